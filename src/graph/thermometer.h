#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "graph/graph.h"
#include "program/integers/client_interface.h"

namespace tacit::graph {

/// The operator of a client that compares features with a public grid, before anything is encrypted. Reads `x` of n
/// elements, each with c borders. Makes [1, n * w] bits: bit e * w + k is 1 if element e lies beyond its border k, and
/// 0 otherwise. So element e has as many ones in front as borders lie below it (a thermometer). A missing value (NaN)
/// has `missing[e]` ones. The width w is c, or c + 1 if missing values of an element are none of its boxes. Attributes:
/// - `borders`: n * c reals, rising by element, none of them NaN.
/// - `missing`: n whole numbers from 0 to c + 1.
/// - `single`: 1 if elements are rounded to single precision before they are compared.
inline constexpr const char* kThermometerOp = "tacit.Thermometer";

/// The operator that undoes the comparisons, up to the box of the grid. Reads [1, n * w] bits. Makes the features in
/// the shape of the attribute `shape`: element e is `points[e * (w + 1) + number of ones of element e]`. It is part of
/// the encrypted model only, so that the model's own operators say what a program on bits computes.
inline constexpr const char* kGridPointsOp = "tacit.GridPoints";

/// Returns the bits of an element, w above. There must be a border and an element.
std::size_t thermometer_width(const integers::Borders& borders);
/// Returns the attributes of kThermometerOp for the borders of an input.
std::map<std::string, Attribute> thermometer_attributes(const integers::Borders& borders);
/// Returns the attributes of kGridPointsOp. `points` holds the number of every box, NaN for a missing value.
std::map<std::string, Attribute> grid_points_attributes(const Shape& features, std::span<const double> points);

}  // namespace tacit::graph
