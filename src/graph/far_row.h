#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/range.h"

namespace tacit::graph {

/// The limit of the calibration rows that may be set aside: none (automatic), a share below 1, or a number of rows. 0
/// sets no row aside.
using CalibrationTrim = std::optional<double>;

/// Returns how many rows of `samples` may be set aside. Automatically, it is one of fewer than 40 rows, else two or a
/// 100th of the rows, whichever is more.
std::size_t most_set_aside(const CalibrationTrim& trim, std::size_t samples);

/// A calibration row that drives a value far beyond what all ordinary rows reach.
struct FarRow {
  std::int64_t row = 0;      ///< counted from 0, in the file of samples
  std::string node;          ///< the input or layer where the row is farthest
  std::int64_t element = 0;  ///< element of the input or layer, or its channel if it has spatial dimensions
  bool channel = false;      ///< true if `element` counts channels
  double value = 0;          ///< the farthest number
  Range others;              ///< range of the ordinary rows at this place
  double factor = 0;         ///< the range with this row, as a multiple of `others`
  bool set_aside = false;    ///< true if the row is left out of the calibration
  bool operator==(const FarRow&) const = default;
};

/// The range of an input or a layer without the rows that were set aside, and with them.
struct RangeWithFarRows {
  std::string node;
  Range without, with;
  double factor() const { return without.width() > 0 ? with.width() / without.width() : 1; }
  bool operator==(const RangeWithFarRows&) const = default;
};

/// The rows that are far from all others, and the ranges that they would widen.
struct FarRows {
  std::vector<FarRow> rows;  ///< by row
  std::vector<RangeWithFarRows>
      ranges{};  ///< ranges that the rows set aside would widen at least twofold, the widest first
  bool operator==(const FarRows&) const = default;
};

/// Returns at most two warnings: one about the rows that were set aside, and one about those that stay.
std::vector<std::string> warnings_of(const FarRows& far);

}  // namespace tacit::graph
