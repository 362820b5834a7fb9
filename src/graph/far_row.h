#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/range.h"

namespace tacit::graph {

/// How many calibration rows may be set aside: none where absent (automatic), a share below 1, or a number of rows;
/// 0 sets none aside.
using CalibrationTrim = std::optional<double>;

/// So many rows of `samples` may be set aside: automatically one row of fewer than 40, two, or a 100th of many.
std::size_t most_set_aside(const CalibrationTrim& trim, std::size_t samples);

/// A calibration row that drives a value far beyond what all ordinary rows reach.
struct FarRow {
  std::int64_t row = 0;      ///< counted from 0, in the file of samples
  std::string node;          ///< the input or layer where the row lies farthest
  std::int64_t element = 0;  ///< of the input or layer: its element, or its channel where it has spatial dimensions
  bool channel = false;      ///< `element` counts channels
  double value = 0;          ///< the number that lies farthest
  Range others;              ///< of the ordinary rows, there
  double factor = 0;         ///< the range with this row, as a multiple of `others`
  bool set_aside = false;    ///< the row calibrates nothing
  bool operator==(const FarRow&) const = default;
};

/// The range of an input or a layer without the rows that were set aside, and with them.
struct RangeWithFarRows {
  std::string node;
  Range without, with;
  double factor() const { return without.width() > 0 ? with.width() / without.width() : 1; }
  bool operator==(const RangeWithFarRows&) const = default;
};

/// Rows that lie far from all others, and what they would cost.
struct FarRows {
  std::vector<FarRow> rows;                ///< by row
  std::vector<RangeWithFarRows> ranges{};  ///< that rows set aside would widen at least twofold, the widest first
  bool operator==(const FarRows&) const = default;
};

/// One warning about the rows that were set aside, and one about those that stay; none where there are none.
std::vector<std::string> warnings_of(const FarRows& far);

}  // namespace tacit::graph
