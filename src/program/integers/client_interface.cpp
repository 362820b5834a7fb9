#include "program/integers/client_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/private_value.h"
#include "layout/serialize.h"

namespace tacit::integers {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::uint32_t kFormat = 0x54434901;  // "TCI" and the version
constexpr std::size_t kLongestText = 4096;
constexpr double kHalf = 0.5;           // of a step: what rounding makes up for
constexpr std::size_t kItemBytes = 40;  // that one input or output takes at least

void write(ByteWriter& out, const std::string& name, const layout::Shape& shape, int step, const Quantiser& quantiser) {
  out.text(name);
  layout::write_shape(out, shape);
  out.i64(step);
  layout::write_repeated(out, quantiser.scale);
  layout::write_repeated(out, quantiser.offset);
  out.i64(quantiser.lowest);
  out.i64(quantiser.highest);
}

/// Either half of the interface.
template <class Item>
void read(ByteReader& in, Item& item) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  item.name = in.text(kLongestText);
  item.shape = layout::read_shape(in);
  item.step = static_cast<int>(in.i64(0, kMessageBits - 1, "the step of a tensor"));
  item.quantiser.scale = layout::read_repeated(in);
  item.quantiser.offset = layout::read_repeated(in);
  for (const double scale : item.quantiser.scale.values())
    if (!(scale > 0)) in.fail(fmt::format("a scale of '{}' is not positive", item.name));
  item.quantiser.lowest = in.i64(-kMost, kMost, "the lowest integer of a tensor");
  item.quantiser.highest = in.i64(item.quantiser.lowest, kMost, "the highest integer of a tensor");
}

}  // namespace

std::vector<std::size_t> elements_beyond(const ClientInput& input, std::span<const double> tensor) {
  const Quantiser& q = input.quantiser;
  std::vector<std::size_t> beyond;
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    const double value = (tensor[e] - q.offset[at]) / q.scale[at];
    if (value < static_cast<double>(q.lowest) - kHalf || value > static_cast<double>(q.highest) + kHalf)
      beyond.push_back(e);
  }
  return beyond;
}

Integers quantise(const ClientInput& input, std::span<const double> tensor) {
  if (static_cast<layout::Index>(tensor.size()) != layout::element_count(input.shape))
    throw base::InputError(fmt::format("input '{}' has {} elements; expected {}", input.name, tensor.size(),
                                       layout::element_count(input.shape)));
  const Quantiser& q = input.quantiser;
  const auto lowest = static_cast<double>(q.lowest), highest = static_cast<double>(q.highest);
  Integers integers(tensor.size());
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    const double value = (tensor[e] - q.offset[at]) / q.scale[at];
    if (!std::isfinite(value) || (!input.saturates && !(value >= lowest - kHalf && value <= highest + kHalf)))
      throw base::InputError(
          fmt::format("input '{}', element {}: {} lies outside [{:.6g}, {:.6g}], the range that the model was compiled "
                      "for; clip it, or compile "
                      "the model with samples that reach it (--calibrate)",
                      input.name, e, base::private_value(tensor[e]), q.scale[at] * lowest + q.offset[at],
                      q.scale[at] * highest + q.offset[at]));
    integers[e] = static_cast<std::int64_t>(std::clamp(std::round(value), lowest, highest));
  }
  return integers;
}

std::vector<double> dequantise(const ClientOutput& output, std::span<const std::int64_t> decrypted) {
  const Quantiser& q = output.quantiser;
  std::vector<double> tensor(decrypted.size());
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const auto at = static_cast<layout::Index>(e);
    if (decrypted[e] < q.lowest || decrypted[e] > q.highest)
      throw base::InputError(fmt::format(
          "output '{}', element {}: {} lies outside [{:.6g}, {:.6g}], what the model was compiled for: its input is "
          "unlike the calibration data",
          output.name, e, base::private_value(q.scale[at] * static_cast<double>(decrypted[e]) + q.offset[at]),
          q.scale[at] * static_cast<double>(q.lowest) + q.offset[at],
          q.scale[at] * static_cast<double>(q.highest) + q.offset[at]));
    tensor[e] = q.scale[at] * static_cast<double>(decrypted[e]) + q.offset[at];
  }
  return tensor;
}

std::vector<std::uint8_t> to_bytes(const ClientInterface& interface) {
  ByteWriter out;
  out.u32(kFormat);
  out.u64(interface.inputs.size());
  for (const ClientInput& input : interface.inputs) {
    write(out, input.name, input.shape, input.step, input.quantiser);
    out.u8(input.saturates ? 1 : 0);
  }
  out.u64(interface.outputs.size());
  for (const ClientOutput& output : interface.outputs)
    write(out, output.name, output.shape, output.step, output.quantiser);
  return out.take();
}

ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes, "client interface");
  if (in.u32() != kFormat) in.fail("these bytes are not a client interface on integers of this version");
  ClientInterface interface;
  interface.inputs.resize(in.count(kItemBytes));
  for (ClientInput& input : interface.inputs) {
    read(in, input);
    input.saturates = in.u8() != 0;
  }
  interface.outputs.resize(in.count(kItemBytes));
  for (ClientOutput& output : interface.outputs) read(in, output);
  in.expect_end();
  return interface;
}

}  // namespace tacit::integers
