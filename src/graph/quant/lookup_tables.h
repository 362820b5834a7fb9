#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/network.h"
#include "layout/repeated_reals.h"
#include "program/integers/program.h"

namespace tacit::graph::quant {

/// A value of a network as an integer tensor: element e is scale[e] v + offset[e].
struct Made {
  integers::ValueId id = 0;
  int step = 0;
  layout::RepeatedReals scale{1}, offset{0};
};

/// What half of the torus a sum may fill that tables of so many bits read, in units of the torus's last bit: all boxes
/// but two. Half a box at either end keeps off the padding, and as much again keeps noise off it
/// (integers::first_centre).
double torus_span(int bits);
/// The same where arguments are rounded exactly: from the middle of the first box to that of the last.
double exact_torus_span(int bits);

/// The real numbers that the boxes of a table of this value are centred on: 2^bits of every element.
std::vector<double> box_points(const integers::Program& program, const Made& made, std::size_t elements);

/// Numbers that are not finite take the place of the nearest finite one of their element: a function need not be
/// defined where samples never led. `count` numbers an element. Throws InputError naming the node where an element has
/// none.
std::vector<double> finite(std::vector<double> numbers, std::size_t count, const std::string& node);

/// Brings the numbers of every element into the interval that is wider than what samples showed of it by so many of its
/// widths on either side. Keeps the numbers of an element that samples showed as one number. `count` numbers an
/// element.
void keep_near(const std::vector<Range>& seen, double widths, std::size_t count, std::vector<double>& numbers);

/// Tables of `count` entries each, one an element, without repetition, and which of them every element takes (empty
/// where all take the first).
std::pair<std::vector<std::vector<std::int64_t>>, std::vector<std::uint32_t>> distinct_tables(
    const std::vector<std::int64_t>& entries, std::size_t count);

}  // namespace tacit::graph::quant
