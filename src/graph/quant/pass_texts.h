#pragma once

#include <string>
#include <vector>

#include "graph/far_row.h"
#include "graph/passes/network.h"
#include "program/integers/program.h"

/// What `--explain` shows of passes on integers that decide something, and make no new form.
namespace tacit::graph::quant {

/// Returns a line for every row that is far from all others: the place, the number, the range of the others, and
/// whether the row is set aside.
std::string far_rows_text(const FarRows& far);
/// Returns a line for every element whose range differs between two networks of the same values.
std::string changed_ranges_text(const passes::Network& before, const passes::Network& after);
/// Returns a line for every lookup that rounds its argument: the share of its arguments that noise is expected to move
/// to the next box. `rates` are those of neighbour_rates.
std::string neighbour_rates_text(const integers::Program& program, const std::vector<double>& rates);

}  // namespace tacit::graph::quant
