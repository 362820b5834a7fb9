#include "program/client_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/byte_fields.h"
#include "base/error.h"
#include "layout/serialize.h"

namespace tacit::program {
namespace {

using base::Of;

constexpr std::uint32_t kWholeFormat = 0x54434C09;  // "TCL" and the version: no input is thin
constexpr std::uint32_t kFormat = 0x54434C0A;
constexpr std::int64_t kMaxLevel = 127;
constexpr std::size_t kItemBytes = 40;  // that one input or output takes at least

void check_units(const base::ByteReader& in, const ClientInput& input) {
  const layout::Index elements = layout::element_count(input.layout.shape());
  if (!input.units.empty() && static_cast<layout::Index>(input.units.size()) != elements)
    in.fail(fmt::format("input '{}' has {} units and {} elements", input.name, input.units.size(), elements));
  for (const double unit : input.units)
    if (!(unit > 0 && std::isfinite(unit))) in.fail(fmt::format("a unit of input '{}' is not positive", input.name));
}

void check_shares(const base::ByteReader& in, const ClientOutput& output) {
  const layout::Index elements = layout::element_count(output.layout.shape());
  if (!output.shares.empty() && static_cast<layout::Index>(output.shares.size()) != elements)
    in.fail(fmt::format("output '{}' has {} units and {} elements", output.name, output.shares.size(), elements));
  for (const double share : output.shares)
    if (!(share > 0 && share <= 1))
      in.fail(fmt::format("the unit of an element of output '{}' is {} times the largest, outside 0 to 1", output.name,
                          share));
}

/// The slots before the first copy, which must hold every element.
void check_gap(const base::ByteReader& in, const ClientInput& input) {
  const layout::Index period = input.layout.slots() >> input.log_gap;
  const bool within = period > 1 && std::ranges::all_of(input.layout.positions(),
                                                        [&](const layout::Position& at) { return at.slot < period; });
  if (!within || input.layout.period() < input.layout.slots())
    in.fail(fmt::format("the slots of input '{}' leave no room for 2^{} copies", input.name, input.log_gap));
}

bool has_thin(const ClientInterface& interface) {
  return std::ranges::any_of(interface.inputs, [](const ClientInput& input) { return input.log_gap > 0; });
}

template <class Fields>
void fields(Fields& f, Of<Fields, ClientInput>& input, std::uint32_t format) {
  f.text(input.name);
  f.by(input.layout, layout::write_layout, layout::read_layout);
  f.integer(input.level, 0, kMaxLevel, "the level of an input");
  f.real(input.scale, input.lowest, input.highest);
  f.require(input.scale > 0, "the scale of an input is not positive");
  f.compact_reals(input.units);
  if constexpr (Fields::reads) check_units(f.from, input);
  if (format < kFormat) return;
  f.integer(input.log_gap, 0, std::bit_width(static_cast<std::uint64_t>(layout::kMaxSlots)), "the copies of an input");
  if constexpr (Fields::reads)
    if (input.log_gap > 0) check_gap(f.from, input);
}

template <class Fields>
void fields(Fields& f, Of<Fields, ClientOutput>& output) {
  f.text(output.name);
  f.by(output.layout, layout::write_layout, layout::read_layout);
  f.integer(output.program_output, 0, std::numeric_limits<std::uint32_t>::max(), "the number of an output");
  f.real(output.unit, output.lowest, output.highest);
  f.require(output.unit > 0, "the unit of an output is not positive");
  f.integer(output.level, 0, kMaxLevel, "the level of an output");
  f.real(output.scale, output.noise);
  f.require(output.scale > 0, "the scale of an output is not positive");
  f.require(output.noise >= 0, "the noise of an output is negative");
  f.compact_reals(output.shares);
  if constexpr (Fields::reads) check_shares(f.from, output);
}

template <class Fields>
void fields(Fields& f, Of<Fields, ClientInterface>& interface) {
  std::uint32_t format = kWholeFormat;  // the oldest that says all, so that older versions read it
  if constexpr (Fields::reads) {
    format = f.from.u32();
    f.require(format == kWholeFormat || format == kFormat,
              "these bytes are not a client interface of this version; compile the model again");
  } else {
    if (has_thin(interface)) format = kFormat;
    f.to.u32(format);
  }
  f.integer(interface.batch, 1, layout::kMaxSlots, "the number of samples a run");
  f.list(interface.inputs, kItemBytes, [&](auto& input) { fields(f, input, format); });
  f.list(interface.outputs, kItemBytes, [&](auto& output) { fields(f, output); });
}

}  // namespace

std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor) {
  if (!units.empty() && units.size() != tensor.size())
    throw base::InternalError("an input has another number of units than elements");
  for (std::size_t i = 0; i < units.size(); ++i) tensor[i] *= units[i];
  return tensor;
}

std::vector<double> from_units(const ClientOutput& output, std::vector<double> decrypted) {
  if (!output.shares.empty() && output.shares.size() != decrypted.size())
    throw base::InternalError("an output has another number of units than elements");
  for (double& value : decrypted) value *= output.unit;
  for (std::size_t e = 0; e < output.shares.size(); ++e) decrypted[e] *= output.shares[e];
  return decrypted;
}

std::vector<std::vector<double>> from_units(const ClientInterface& client,
                                            const std::vector<std::vector<double>>& results) {
  std::vector<std::vector<double>> tensors;
  for (const ClientOutput& output : client.outputs)
    tensors.push_back(from_units(output, results.at(output.program_output)));
  return tensors;
}

std::vector<std::vector<double>> side_by_side(const ClientInterface& client,
                                              std::span<const std::vector<std::vector<double>>> samples) {
  const auto batch = static_cast<std::size_t>(client.batch);
  if (samples.empty() || samples.size() > batch)
    base::refuse("a run takes 1 to {} samples, and {} were given", batch, samples.size());
  std::vector<std::vector<double>> tensors(samples.front().size());
  for (std::size_t place = 0; place < batch; ++place) {
    const std::vector<std::vector<double>>& sample = samples[std::min(place, samples.size() - 1)];
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (sample.size() != tensors.size() || sample[i].size() != samples.front()[i].size())
        throw base::InputError("the samples of a run have tensors of different sizes");
      if (place == 0) tensors[i].reserve(batch * sample[i].size());
      tensors[i].insert(tensors[i].end(), sample[i].begin(), sample[i].end());
    }
  }
  return tensors;
}

std::vector<std::vector<double>> of_sample(const ClientInterface& client,
                                           const std::vector<std::vector<double>>& tensors, std::size_t sample) {
  std::vector<std::vector<double>> result;
  for (const std::vector<double>& tensor : tensors) {
    const std::size_t size = tensor.size() / static_cast<std::size_t>(client.batch);
    const auto begin = tensor.begin() + static_cast<std::ptrdiff_t>(sample * size);
    result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return result;
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
  const auto require_batch = [&](const std::string& name, const layout::Layout& layout) {
    if (layout::element_count(layout.shape()) % interface.batch != 0)
      in.from.fail(fmt::format("'{}' has {} elements, which {} samples do not share", name,
                               layout::element_count(layout.shape()), interface.batch));
  };
  for (const ClientInput& input : interface.inputs) require_batch(input.name, input.layout);
  for (const ClientOutput& output : interface.outputs) require_batch(output.name, output.layout);
  return interface;
}

}  // namespace tacit::program
