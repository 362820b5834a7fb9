#include "graph/slots/noise_source.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "graph/slots/output_noise.h"
#include "program/slots/serialize.h"

namespace tacit::graph::passes {
namespace {

// The noise of another program would be a guess, and results are shared by it.
std::string digest_of(const Lowered& lowered) {
  const std::vector<std::uint8_t> program = slots::to_bytes(lowered.program);
  const std::string literal = params::to_json(lowered.literal);
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(program))).update(std::as_bytes(std::span(literal)));
  return base::hexadecimal(hash.finish());
}

}  // namespace

std::vector<double> NoiseSource::of(const Lowered& lowered) const {
  const std::string program = options_.measured || record_ ? digest_of(lowered) : std::string();
  if (!options_.measured) {
    std::vector<double> noise = output_noise(lowered, options_.calibration, *options_.batch);
    if (record_) {
      std::vector<double>& noted = record_->noise[program] = noise;
      for (double& deviation : noted)
        if (!std::isfinite(deviation)) deviation = std::numeric_limits<double>::infinity();
    }
    return noise;
  }
  const auto found = options_.measured->noise.find(program);
  std::size_t outputs = 0;
  for (const slots::Instruction& instruction : lowered.program.instructions)
    outputs += std::holds_alternative<slots::Output>(instruction.operation) ? 1 : 0;
  if (found == options_.measured->noise.end() || found->second.size() != outputs)
    throw base::InputError(fmt::format(
        "the ranges do not say how much noise a program has that is considered here, on parameter set {}: they were "
        "measured with another memory budget (--memory), by other prices (--costs) or by another release, or were "
        "changed; run 'tacit calibrate' with the options that are given here",
        lowered.literal.name));
  return found->second;
}

}  // namespace tacit::graph::passes
