#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// Watches the clear reading of a compiled network for values that the encrypted one could not carry:
/// - a model input outside its accepted range;
/// - the argument of a polynomial outside its interval;
/// - an operand outside [-1, 1] of a bootstrap without a polynomial after it;
/// - a value that would wrap around the modulus of its level;
/// - a result outside the bounds that the client accepts.
/// Thread safe.
class RangeMonitor {
 public:
  /// `compilation` and `reading` must outlive the monitor.
  RangeMonitor(const Compilation& compilation, const slots::ClearProgram& reading);
  /// Reads 1 to `batch` samples in the clear, as one run. `first` is the number of the first sample in the report, and
  /// the other numbers follow it. Returns, for every sample, its first value outside its interval.
  std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                std::span<const std::vector<graph::Tensor>> samples);
  /// Returns the values that left their intervals so far, in the order of the layers.
  std::vector<RangeExcess> excesses() const { return excesses_.list(); }

 private:
  struct Interval {
    std::string node, op;
    IntervalSource source{};
    double lowest = 0, highest = 0;
  };
  /// The source of intervals that do not come from a modulus.
  IntervalSource source() const;
  /// Returns the place of a value. Inputs come first, then the instructions, then the outputs.
  std::size_t place_of(program::ValueId id) const;
  /// The samples of one run, and the first excess of each.
  struct Run {
    std::int64_t first = 0;
    std::vector<std::optional<RangeExcess>> found;
  };
  /// Checks the values of one sample. `sample` is its place in the run.
  void check_values(std::size_t place, const Interval& interval, Run& run, std::size_t sample,
                    std::span<const double> values);
  /// Checks the values of a whole batch, side by side.
  void check_batch(std::size_t place, const Interval& interval, Run& run, std::span<const double> values);
  void check_polynomial(program::ValueId id, const slots::Polynomial& polynomial, const slots::SlotArray& argument,
                        Run& run);
  void check_bootstrap(program::ValueId id, const slots::Bootstrap& bootstrap,
                       std::span<const program::ArrayPtr> operands, Run& run);
  void check_modulus(program::ValueId id, const slots::SlotArray& value, Run& run);

  const Compilation& compilation_;
  const slots::ClearProgram& reading_;
  RangeExcesses excesses_;
};

}  // namespace tacit::session
