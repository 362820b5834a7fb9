#include "graph/passes/lower.h"

#include <algorithm>
#include <cmath>

#include "graph/passes/choose_layouts.h"
#include "layout/diagonals.h"
#include "program/levels.h"
#include "program/linear_plan.h"

namespace tacit::graph::passes {
namespace {

// Free bits of the first prime above the scale and an output's bound: a factor of four, and the sign.
constexpr int kOutputSpareBits = 3;
// Outputs are not scaled up beyond this: more would not make them more precise.
constexpr int kLargestOutputBits = 6;

}  // namespace

double largest_output(const params::CkksLiteral& literal) {
  return std::exp2(literal.q_bits.at(0) - literal.log_scale - kOutputSpareBits);
}

Lowered lower(const Network& network, const params::CkksLiteral& literal, const ProgramNames& names,
              double key_seconds_per_byte) {
  const params::CkksParameters parameters = params::CkksParameters::check(literal);
  const program::CostTable table;
  const program::OperationPrices prices(literal, table);
  const LinearPricesAt linear_prices = [&](int level) {
    program::LinearPrices at = prices.linear(level);
    const double stream = key_seconds_per_byte * prices.key_bytes(level);
    at.baby += stream;
    at.giant += stream;
    at.fold += stream;
    return at;
  };
  const std::vector<int> levels = levels_of(network);
  Lowered lowered{
      literal, normalise(network, std::min(std::exp2(kLargestOutputBits), largest_output(literal))), {}, {}};
  const MapPrice map_price = [&](const layout::LinearMap& map, ValueId id) {
    const layout::DiagonalSet set = layout::diagonal_set(map);
    const std::int64_t inputs = map.in.ciphertexts(), outputs = map.out.ciphertexts();
    const program::LinearPrices at_level = linear_prices(levels[id] + 1);
    return program::seconds(program::count(program::plan_linear(set, at_level, inputs, outputs), set, inputs, outputs),
                            at_level);
  };
  const std::vector<layout::Layout> layouts =
      choose_layouts(lowered.normalised.network, static_cast<layout::Index>(parameters.slots()), map_price);
  lowered.program = emit(lowered.normalised.network, layouts, linear_prices, names);
  program::verify(lowered.program);
  program::assign_levels(lowered.program, parameters);
  lowered.cost = program::price(lowered.program, literal, table);
  return lowered;
}

}  // namespace tacit::graph::passes
