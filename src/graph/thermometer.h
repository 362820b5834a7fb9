#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "program/integers/client_interface.h"

namespace tacit::graph {

/// The bits of an element's box. Box k of 0 to `borders` lies beyond k borders. Without a digit, bit k is 1 if the box
/// is above k: as many ones in front as borders (a thermometer). With a digit d, the box is a * d + c, and the bits are
/// those of a, then the d - 1 of c. So 255 borders take 30 bits in place of 255. The program makes a comparison with
/// border k = a * d + c of them by one product: [box >= k] = high(a + 1) + (high(a) - high(a + 1)) * low(c).
struct BoxBits {
  std::size_t borders = 0;
  std::size_t digit = 0;  ///< 0, or from 2 to `borders`

  /// Returns the bits of a.
  std::size_t high() const { return digit == 0 ? borders : borders / digit; }
  std::size_t count() const { return digit == 0 ? borders : high() + digit - 1; }
  /// True if a comparison with border k, from 1 on, takes a product of digits.
  bool needs_product(std::size_t k) const { return digit != 0 && k % digit != 0; }
  /// Returns the bit that a comparison with border k adds to its product, or is. None if it is the product alone.
  std::optional<std::size_t> bit_of(std::size_t k) const;
  /// Appends the bits of a box.
  void append(std::size_t box, std::vector<double>& bits) const;
  /// Returns the box of such bits, at most the last one.
  std::size_t box_of(std::span<const double> bits) const;
};

/// The operator of a client that compares features with a public grid, before anything is encrypted. Reads `x` of n
/// elements, each with c borders. Makes [1, n * w] bits, those of element e at e * w (BoxBits). The box of an element
/// is the number of its borders below it, and that of a missing value (NaN) is `missing[e]`. There are c borders for
/// bits, or c + 1 if missing values of an element are none of its boxes. Attributes:
/// - `borders`: n * c reals, rising by element, none of them NaN.
/// - `missing`: n whole numbers from 0 to c + 1.
/// - `single`: 1 if elements are rounded to single precision before they are compared.
/// - `digit`: BoxBits::digit.
inline constexpr const char* kThermometerOp = "tacit.Thermometer";

/// The operator that undoes the comparisons, up to the box of the grid. Reads [1, n * w] bits. Makes the features in
/// the shape of the attribute `shape`: element e is `points[e * boxes + box of element e]`. The attribute `digit` is
/// that of the bits. It is part of the encrypted model only, so that the model's own operators say what a program on
/// bits computes.
inline constexpr const char* kGridPointsOp = "tacit.GridPoints";

/// Returns the borders of an element's bits, that of missing values included. There must be a border and an element.
std::size_t borders_of_bits(const integers::Borders& borders);
/// Returns the attributes of kThermometerOp for the borders of an input.
std::map<std::string, Attribute> thermometer_attributes(const integers::Borders& borders, std::size_t digit = 0);
/// Returns the attributes of kGridPointsOp. `points` holds the number of every box, NaN for a missing value.
std::map<std::string, Attribute> grid_points_attributes(const Shape& features, std::span<const double> points,
                                                        std::size_t digit = 0);

}  // namespace tacit::graph
