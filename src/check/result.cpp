#include "check/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::check {

const char* name(Cause cause) {
  constexpr const char* kNames[]{"none", "range", "noise", "scale", "approximation", "bug", "drift", "grid"};
  return kNames[static_cast<std::size_t>(cause)];
}

void judge_elements(std::span<const double> encrypted, std::span<const double> message, layout::Index length,
                    OperatorResult& result) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
    const double difference = std::abs(encrypted[i] - message[i]),
                 error = std::isnan(difference) ? HUGE_VAL : difference;
    result.worst_error = std::max(result.worst_error, error);
    sum += error;
    if (error <= result.tolerance) continue;
    if (result.failures++ == 0) {
      result.index = static_cast<layout::Index>(i);
      result.encrypted = encrypted[i];
      result.message = message[i];
    }
  }
  result.compared = length;
  result.mean_error = sum / static_cast<double>(length);
  result.failed = result.failures > 0;
}

std::string failure_text(const OperatorResult& result) {
  const std::string block =
      result.blocks > 1 ? fmt::format(" in block {} of {}", result.block, result.blocks) : std::string();
  return fmt::format("validate failed at {}[{}]{}: {:.9g} != {:.9g}{}{}", result.node, result.index, block,
                     result.encrypted, result.message, result.out_of_range.empty() ? "" : "; ", result.out_of_range);
}

double bits(double error) {
  constexpr double kMostBits = 99;
  return error > 0 ? std::min(kMostBits, -std::log2(error)) : kMostBits;
}

void Report::add(const Report& other, std::size_t input) {
  run_seconds += other.run_seconds;
  validate_seconds += other.validate_seconds;
  peak_bytes = std::max(peak_bytes, other.peak_bytes);
  for (std::size_t i = 0; i < other.operators.size(); ++i) {
    if (i == operators.size()) {
      operators.push_back(other.operators[i]);
      operators.back().input = input;
      continue;
    }
    OperatorResult& kept = operators[i];
    const double others = static_cast<double>(input);
    const double mean = (kept.mean_error * others + other.operators[i].mean_error) / (others + 1);
    if (other.operators[i].failed > kept.failed ||
        (other.operators[i].failed == kept.failed && other.operators[i].worst_error > kept.worst_error)) {
      kept = other.operators[i];
      kept.input = input;
    }
    kept.mean_error = mean;
  }
}

const OperatorResult* Report::first_failure() const {
  const auto found = std::find_if(operators.begin(), operators.end(), [](const OperatorResult& r) { return r.failed; });
  return found == operators.end() ? nullptr : &*found;
}

}  // namespace tacit::check
