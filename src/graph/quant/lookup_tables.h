#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/network.h"
#include "layout/repeated_reals.h"
#include "program/integers/program.h"

namespace tacit::graph::quant {

/// A value of a network as an integer tensor: element e is scale[e] v + offset[e]. With several addends, the element is
/// the sum of so many integers side by side, each with a separate scale and offset.
struct Made {
  integers::ValueId id = 0;
  int step = 0;
  layout::RepeatedReals scale{1}, offset{0};
  std::size_t addends = 1;
};

/// Returns the width of the interval that a sum may use if tables of `bits` bits read it, in units of the torus's last
/// bit. It is half of the torus less two boxes. Half a box at either end keeps the padding free, and another half box
/// keeps noise off the padding (integers::first_centre).
double torus_span(int bits);
/// Returns the same width if arguments are rounded exactly: from the middle of the first box to the middle of the last.
double exact_torus_span(int bits);

/// Returns the real numbers at the centres of the boxes of a table of this value: 2^bits for every element. With
/// `shift`, returns the points at that share of a box from the centres.
std::vector<double> box_points(const integers::Program& program, const Made& made, std::size_t elements,
                               double shift = 0);

/// True if several integers of this value are in one box of a table.
bool rounds_in_boxes(const integers::Program& program, const Made& made);

/// Replaces every number that is not finite by the nearest finite number of its element, because a function need not be
/// defined where no sample led. An element has `count` numbers. Throws InputError naming the node if an element has no
/// finite number.
std::vector<double> finite(std::vector<double> numbers, std::size_t count, const std::string& node);

/// Clamps the numbers of every element to an interval: the element's range over the samples, wider by `widths` times
/// its width on either side. Keeps the numbers of an element that has one number over the samples. An element has
/// `count` numbers.
void keep_near(const std::vector<Range>& seen, double widths, std::size_t count, std::vector<double>& numbers);

/// Splits `entries` into tables of `count` entries, one per element, and joins equal tables. Returns the different
/// tables, and for every element the index of its table. The indices are empty if all elements have the first table.
std::pair<std::vector<std::vector<std::int64_t>>, std::vector<std::uint32_t>> distinct_tables(
    const std::vector<std::int64_t>& entries, std::size_t count);

}  // namespace tacit::graph::quant
