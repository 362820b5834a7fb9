#include "program/client_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/byte_stream.h"
#include "base/error.h"
#include "layout/serialize.h"

namespace tacit::program {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::uint32_t kFormat = 0x54434C08;  // "TCL" and the version
constexpr std::size_t kLongestText = 4096;
constexpr std::int64_t kMaxLevel = 127;
constexpr std::size_t kItemBytes = 40;  // that one input or output takes at least

void write(ByteWriter& out, const ClientInput& input) {
  out.text(input.name);
  layout::write_layout(out, input.layout);
  out.i64(input.level);
  for (const double value : {input.scale, input.lowest, input.highest}) out.f64(value);
  out.compact_reals(input.units);
}

void write(ByteWriter& out, const ClientOutput& output) {
  out.text(output.name);
  layout::write_layout(out, output.layout);
  out.u64(output.program_output);
  for (const double value : {output.unit, output.lowest, output.highest}) out.f64(value);
  out.i64(output.level);
  for (const double value : {output.scale, output.noise}) out.f64(value);
}

ClientInput read_input(ByteReader& in) {
  ClientInput input;
  input.name = in.text(kLongestText);
  input.layout = layout::read_layout(in);
  input.level = static_cast<int>(in.i64(0, kMaxLevel, "the level of an input"));
  for (double* value : {&input.scale, &input.lowest, &input.highest}) *value = in.f64();
  if (!(input.scale > 0)) in.fail("the scale of an input is not positive");
  input.units = in.compact_reals();
  if (!input.units.empty() &&
      static_cast<layout::Index>(input.units.size()) != layout::element_count(input.layout.shape()))
    in.fail(fmt::format("input '{}' has {} units and {} elements", input.name, input.units.size(),
                        layout::element_count(input.layout.shape())));
  for (const double unit : input.units)
    if (!(unit > 0 && std::isfinite(unit))) in.fail(fmt::format("a unit of input '{}' is not positive", input.name));
  return input;
}

ClientOutput read_output(ByteReader& in) {
  ClientOutput output;
  output.name = in.text(kLongestText);
  output.layout = layout::read_layout(in);
  output.program_output =
      static_cast<std::size_t>(in.i64(0, std::numeric_limits<std::uint32_t>::max(), "the number of an output"));
  for (double* value : {&output.unit, &output.lowest, &output.highest}) *value = in.f64();
  if (!(output.unit > 0 && std::isfinite(output.unit))) in.fail("the unit of an output is not positive");
  output.level = static_cast<int>(in.i64(0, kMaxLevel, "the level of an output"));
  for (double* value : {&output.scale, &output.noise}) *value = in.f64();
  if (!(output.scale > 0)) in.fail("the scale of an output is not positive");
  if (!(output.noise >= 0 && std::isfinite(output.noise))) in.fail("the noise of an output is negative");
  return output;
}

}  // namespace

std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor) {
  if (!units.empty() && units.size() != tensor.size())
    throw base::InternalError("an input has another number of units than elements");
  for (std::size_t i = 0; i < units.size(); ++i) tensor[i] *= units[i];
  return tensor;
}

std::vector<double> from_units(const ClientOutput& output, std::vector<double> decrypted) {
  for (double& value : decrypted) value *= output.unit;
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
    throw base::InputError(fmt::format("a run takes 1 to {} samples, and {} were given", batch, samples.size()));
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
  ByteWriter out;
  out.u32(kFormat);
  out.i64(interface.batch);
  out.u64(interface.inputs.size());
  for (const ClientInput& input : interface.inputs) write(out, input);
  out.u64(interface.outputs.size());
  for (const ClientOutput& output : interface.outputs) write(out, output);
  return out.take();
}

ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes, "client interface");
  if (in.u32() != kFormat) in.fail("these bytes are not a client interface of this version");
  ClientInterface interface;
  interface.batch = in.i64(1, layout::kMaxSlots, "the number of samples a run");
  const std::size_t inputs = in.count(kItemBytes);
  for (std::size_t i = 0; i < inputs; ++i) interface.inputs.push_back(read_input(in));
  const std::size_t outputs = in.count(kItemBytes);
  for (std::size_t i = 0; i < outputs; ++i) interface.outputs.push_back(read_output(in));
  in.expect_end();
  const auto require_batch = [&](const std::string& name, const layout::Layout& layout) {
    if (layout::element_count(layout.shape()) % interface.batch != 0)
      in.fail(fmt::format("'{}' has {} elements, which {} samples do not share", name,
                          layout::element_count(layout.shape()), interface.batch));
  };
  for (const ClientInput& input : interface.inputs) require_batch(input.name, input.layout);
  for (const ClientOutput& output : interface.outputs) require_batch(output.name, output.layout);
  return interface;
}

}  // namespace tacit::program
