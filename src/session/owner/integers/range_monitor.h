#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/quant/compile.h"
#include "program/integers/clear_program.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// Watches the clear reading of a network on integers for values that the encrypted one could not carry: an input
/// outside its grid, or the argument of a table outside its boxes. Thread safe.
class IntegerRangeMonitor {
 public:
  /// `model` and `reading` must outlive the monitor.
  IntegerRangeMonitor(const graph::quant::CompiledIntegers& model, const integers::ClearProgram& reading);
  /// Reads samples in the clear. `first` is the number of the first sample in the report, and the other numbers follow
  /// it. Returns, for every sample, its first value outside its interval.
  std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                std::span<const std::vector<graph::Tensor>> samples);
  /// Returns the values that left their intervals so far, in the order of the layers.
  std::vector<RangeExcess> excesses() const { return excesses_.list(); }

 private:
  void check_input(std::size_t place, const integers::ClientInput& input, std::span<const double> tensor,
                   std::int64_t index, std::optional<RangeExcess>& first);
  void check_value(integers::ValueId id, std::span<const std::int64_t> numbers, std::int64_t index,
                   std::optional<RangeExcess>& first);

  const graph::quant::CompiledIntegers& model_;
  const integers::ClearProgram& reading_;
  std::vector<char> looked_up_;  ///< by value: true if tables read it
  RangeExcesses excesses_;
};

}  // namespace tacit::session
