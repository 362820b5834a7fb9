#include "program/integers/client_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/byte_fields.h"
#include "base/error.h"
#include "base/private_value.h"
#include "layout/serialize.h"

namespace tacit::integers {
namespace {

using base::Of;

constexpr std::uint32_t kEvenFormat = 0x54434901;     // "TCI" and the version: no input has borders
constexpr std::uint32_t kBordersFormat = 0x54434902;  // no element of an output has several addends
constexpr std::uint32_t kInterfaceFormat = 0x54434903;
constexpr std::uint32_t kMostAddends = 1 << 10;
constexpr double kHalfStep = 0.5;       // of a step: what rounding makes up for
constexpr std::size_t kItemBytes = 40;  // that one input or output takes at least
/// The interval of a tensor stays within it: doubles tell its integers apart.
constexpr std::int64_t kMostQuantised = std::int64_t{1} << 53;

/// Of either half of the interface.
template <class Fields, class Item>
void tensor_fields(Fields& f, Item& item) {
  f.text(item.name);
  f.by(item.shape, layout::write_shape, layout::read_shape);
  f.integer(item.step, 0, kMessageBits - 1, "the step of a tensor");
  f.by(item.quantiser.scale, layout::write_repeated, layout::read_repeated);
  f.by(item.quantiser.offset, layout::write_repeated, layout::read_repeated);
  if constexpr (Fields::reads)
    for (const double scale : item.quantiser.scale.values())
      if (!(scale > 0)) f.from.fail(fmt::format("a scale of '{}' is not positive", item.name));
  f.integer(item.quantiser.lowest, -kMostQuantised, kMostQuantised, "the lowest integer of a tensor");
  f.integer(item.quantiser.highest, item.quantiser.lowest, kMostQuantised, "the highest integer of a tensor");
}

bool has_borders(const ClientInterface& interface) {
  return std::ranges::any_of(interface.inputs, [](const ClientInput& input) { return input.borders.present(); });
}

bool has_addends(const ClientInterface& interface) {
  return std::ranges::any_of(interface.outputs, [](const ClientOutput& output) { return output.addends > 1; });
}

/// Every element has as many borders, which rise, and NaN stands for an integer of the input.
void check_borders(base::ByteReader& from, const ClientInput& input) {
  const Borders& borders = input.borders;
  if (!borders.present() && borders.missing.empty()) return;
  const auto elements = static_cast<std::size_t>(layout::element_count(input.shape));
  if (elements == 0 || borders.missing.size() != elements || borders.rising.size() % elements != 0 ||
      !borders.present())
    from.fail(fmt::format("the borders of '{}' do not fit its elements", input.name));
  for (std::size_t e = 0; e < elements; ++e) {
    const std::span<const double> of = borders.of(e);
    if (!std::ranges::is_sorted(of)) from.fail(fmt::format("the borders of '{}' do not rise", input.name));
    if (std::cmp_greater(of.size(), input.quantiser.highest))
      from.fail(fmt::format("'{}' has more borders than its integers tell apart", input.name));
    if (borders.missing[e] < input.quantiser.lowest || borders.missing[e] > input.quantiser.highest)
      from.fail(fmt::format("missing values of '{}' are no integer of it", input.name));
  }
}

template <class Fields>
void fields(Fields& f, Of<Fields, ClientInterface>& interface) {
  std::uint32_t format = kEvenFormat;  // the oldest that says all, so that older versions read it
  if constexpr (Fields::reads) {
    format = f.from.u32();
    f.require(format >= kEvenFormat && format <= kInterfaceFormat,
              "these bytes are not a client interface on integers of this version; compile the model again");
  } else {
    if (has_borders(interface)) format = kBordersFormat;
    if (has_addends(interface)) format = kInterfaceFormat;
    f.to.u32(format);
  }
  f.list(interface.inputs, kItemBytes, [&](auto& input) {
    tensor_fields(f, input);
    f.flag(input.saturates);
    if (format < kBordersFormat) return;
    f.reals(input.borders.rising);
    f.compact_indices(input.borders.missing);
    f.flag(input.borders.single);
    if constexpr (Fields::reads) check_borders(f.from, input);
  });
  f.list(interface.outputs, kItemBytes, [&](auto& output) {
    tensor_fields(f, output);
    if (format == kInterfaceFormat) f.integer(output.addends, 1, kMostAddends, "the addends of an element");
  });
}

}  // namespace

Integers between_borders(const Borders& borders, std::span<const double> tensor) {
  Integers integers(tensor.size());
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const std::span<const double> of = borders.of(e);
    const double value = borders.single ? static_cast<double>(static_cast<float>(tensor[e])) : tensor[e];
    integers[e] = std::isnan(value) ? borders.missing[e] : std::ranges::lower_bound(of, value) - of.begin();
  }
  return integers;
}

std::vector<std::size_t> elements_beyond(const ClientInput& input, std::span<const double> tensor) {
  const Quantiser& q = input.quantiser;
  std::vector<std::size_t> beyond;
  if (input.borders.present()) return beyond;
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    const double value = (tensor[e] - q.offset[at]) / q.scale[at];
    if (value < static_cast<double>(q.lowest) - kHalfStep || value > static_cast<double>(q.highest) + kHalfStep)
      beyond.push_back(e);
  }
  return beyond;
}

Integers quantise(const ClientInput& input, std::span<const double> tensor) {
  if (static_cast<layout::Index>(tensor.size()) != layout::element_count(input.shape))
    base::refuse("input '{}' has {} elements; expected {}", input.name, tensor.size(),
                 layout::element_count(input.shape));
  if (input.borders.present()) return between_borders(input.borders, tensor);
  const Quantiser& q = input.quantiser;
  const auto lowest = static_cast<double>(q.lowest), highest = static_cast<double>(q.highest);
  Integers integers(tensor.size());
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    const double value = (tensor[e] - q.offset[at]) / q.scale[at];
    if (!std::isfinite(value) || (!input.saturates && !(value >= lowest - kHalfStep && value <= highest + kHalfStep)))
      base::refuse(
          "input '{}', element {}: {} lies outside [{:.6g}, {:.6g}], the range that the model was compiled "
          "for; clip it, or compile the model with samples that reach it (--calibrate)",
          input.name, e, base::private_value(tensor[e]), q.scale[at] * lowest + q.offset[at],
          q.scale[at] * highest + q.offset[at]);
    integers[e] = static_cast<std::int64_t>(std::clamp(std::round(value), lowest, highest));
  }
  return integers;
}

std::vector<double> dequantise(const ClientOutput& output, std::span<const std::int64_t> decrypted) {
  const Quantiser& q = output.quantiser;
  for (std::size_t e = 0; e < decrypted.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    if (decrypted[e] < q.lowest || decrypted[e] > q.highest)
      base::refuse(
          "output '{}', element {}: {} lies outside [{:.6g}, {:.6g}], what the model was compiled for: its input is "
          "unlike the calibration data",
          output.name, e / output.addends,
          base::private_value(q.scale[at] * static_cast<double>(decrypted[e]) + q.offset[at]),
          q.scale[at] * static_cast<double>(q.lowest) + q.offset[at],
          q.scale[at] * static_cast<double>(q.highest) + q.offset[at]);
  }
  return reals_of(output, decrypted);
}

std::vector<double> reals_of(const ClientOutput& output, std::span<const std::int64_t> decrypted) {
  const Quantiser& q = output.quantiser;
  std::vector<double> tensor(decrypted.size() / output.addends);
  for (std::size_t i = 0; i < decrypted.size(); ++i) {
    const auto at = static_cast<layout::Index>(i);
    tensor[i / output.addends] += q.scale[at] * static_cast<double>(decrypted[i]) + q.offset[at];
  }
  return tensor;
}

std::vector<std::uint8_t> to_bytes(const ClientInterface& interface) {
  base::FieldWriter out;
  fields(out, interface);
  return out.to.take();
}

ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes) {
  base::FieldReader in{{bytes, "client interface"}};
  ClientInterface interface;
  fields(in, interface);
  in.from.expect_end();
  return interface;
}

}  // namespace tacit::integers
