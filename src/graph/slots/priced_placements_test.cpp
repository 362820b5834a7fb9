#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/slots/cheapest_placement.h"
#include "graph/slots/lower.h"
#include "layout/diagonals.h"
#include "layout/sparse_rows.h"
#include "params/small_ring_for_test.h"
#include "program/slots/operation_prices.h"

// The prices by which values are refreshed before levels run out.
namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kLittle = 8, kMuch = 4096, kEverything = 256;

/// The map of a layer. Every element reads one element, or all of them if the layer has 256 elements.
layout::LinearOperatorPtr map_between(std::int64_t from, std::int64_t to) {
  return std::make_shared<layout::SparseRows>(Shape{1, from}, Shape{1, to},
                                              [=](layout::Index row, layout::RowEntries& entries) {
                                                if (to != kEverything) return entries.add(row % from, 1.0);
                                                for (layout::Index column = 0; column < from; ++column)
                                                  entries.add(column, 0.01);
                                              });
}

/// Layers of these widths: a map and an odd series of three levels.
Network layers_of(const std::vector<std::int64_t>& widths) {
  Network network;
  const auto add = [&](auto operation, std::int64_t width) {
    return network.add({.operation = std::move(operation),
                        .shape = {1, width},
                        .node = fmt::format("n{}", network.values.size()),
                        .op = "Op",
                        .range = {-1, 1}});
  };
  ValueId x = add(Private{}, kLittle);
  std::int64_t before = kLittle;
  for (const std::int64_t width : widths) {
    x = add(Affine{{{x, map_between(before, width)}}}, width);
    Function function;
    function.input = x;
    function.lowest = -1;
    function.highest = 1;
    function.coefficients = {0, 0.5, 0, 0.1, 0, 0.1, 0, 0.1};
    x = add(std::move(function), width);
    before = width;
  }
  network.outputs = {add(Affine{{{x, map_between(before, kLittle)}}}, kLittle)};
  return network;
}

/// The seconds of a placement. Series and maps count at their levels. A map at another level than in the latest
/// placement scales as a rotation. Bootstraps count to the level at which they end.
class Seconds {
 public:
  Seconds(const Network& network, params::CkksLiteral literal, const params::CostTable& costs,
          const BootstrapPlacement& latest)
      : network_(network), literal_(std::move(literal)), latest_(latest), prices_(literal_, costs) {
    for (ValueId id = 0; id < network.values.size(); ++id) {
      maps_.push_back(0);
      const auto* affine = std::get_if<Affine>(&network.values[id].operation);
      if (affine == nullptr) continue;
      const layout::Layout from = layout_of(affine->terms[0].input), to = layout_of(id);
      const slots::LinearSplits splits(layout::diagonal_set({from, to, affine->terms[0].op}), from.ciphertexts(),
                                       to.ciphertexts());
      maps_.back() = splits.seconds(prices_.linear(latest.levels[id] + 1));
    }
  }

  double of(const BootstrapPlacement& placement) {
    double sum = 0;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const int level = placement.levels[id], own = latest_.levels[id];
      if (std::holds_alternative<Affine>(network_.values[id].operation))
        sum += maps_[id] * (level == own ? 1 : prices_.rotate(level + 1) / prices_.rotate(own + 1));
      if (const auto* function = std::get_if<Function>(&network_.values[id].operation)) {
        const auto plan = params::plan_polynomial(function->coefficients, params::PolynomialSchedule::choose(7));
        sum += static_cast<double>(layout_of(id).ciphertexts()) * prices_.polynomial(level + 3, plan);
      }
    }
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (placement.refreshed[id] != 0) sum += bootstraps(placement.ends[id], layout_of(id).ciphertexts());
    return sum;
  }

 private:
  layout::Layout layout_of(ValueId id) const {
    const Value& value = network_.values[id];
    return layout::Layout::row_major(value.shape, 1024)
        .filled(std::holds_alternative<Function>(value.operation) ? layout::Fill::unknown : layout::Fill::zero);
  }
  double bootstraps(int level, std::int64_t ciphertexts) {
    const auto [made, fresh] = bootstraps_.try_emplace({level, ciphertexts});
    const int end = std::max(level, params::chain_of(literal_).input);
    if (fresh)
      made->second = prices_.bootstraps(
          params::plan_bootstrap(literal_, {.form = params::BootstrapForm::folded, .output_level = end}), ciphertexts);
    return made->second;
  }

  const Network& network_;
  params::CkksLiteral literal_;
  const BootstrapPlacement& latest_;
  slots::OperationPrices prices_;
  std::vector<double> maps_;  // by value
  std::map<std::pair<int, std::int64_t>, double> bootstraps_;
};

double number_behind(const std::string& text, const std::string& words) {
  return std::stod(text.substr(text.find(words) + words.size()));
}

/// Lowers layers of these widths, and compares the decision with the cheapest by the prices above. Returns true if a
/// value is worth refreshing early.
bool refreshes_early(const std::vector<std::int64_t>& widths, const char* set, const params::CostTable& costs) {
  const params::CkksLiteral literal = params::insecure_on_small_ring(set, 11);
  const Network network = layers_of(widths);
  const ProgramNames names{"layers", {"x"}, {"y"}};
  PassControl passes{.skipped = {"pair-bootstraps", "small-questions"},
                     .explain = [](const std::string&, const std::string&) {},
                     .explained = {"place-by-price"}};
  const Lowered lowered = Lowering(network, names, costs, nullptr, passes).lower(literal).or_refuse();
  passes.skipped.insert("place-by-price");
  const Lowered late = Lowering(network, names, costs, nullptr, passes).lower(literal).or_refuse();
  EXPECT_EQ(lowered.decisions.size(), 1u);
  const std::string told = lowered.decisions.empty() ? "" : lowered.decisions[0].second;

  const Network& normalised = lowered.normalised.network;
  const std::optional<FeatureGrid> no_grid;
  RowSlices slices;
  const BootstrapPlacer placer(normalised, literal, 0, no_grid, slices);
  const BootstrapPlacement latest = placer.place().or_refuse();
  Seconds price(normalised, literal, costs, latest);
  const std::set<ValueId> early =
      worth_refreshing_early(placer, [&](const BootstrapPlacement& placement) { return price.of(placement); });

  const double seconds = late.cost.seconds, gigabytes = late.cost.memory.peak() / 1e9;
  EXPECT_NEAR(number_behind(told, "latest: "), seconds, 1e-3 * seconds);
  EXPECT_NEAR(number_behind(told, " s, "), gigabytes, 0.01 * gigabytes);
  const std::string rest = told.substr(told.find('\n') + 1);
  if (early.empty()) {
    EXPECT_EQ(rest, "");
    return false;
  }
  EXPECT_THAT(rest, testing::StartsWith(fmt::format("{} refreshed early: ", early.size())));
  if (!rest.starts_with(fmt::format("{} refreshed early: ", early.size()))) return true;
  const bool taken = rest.ends_with(", taken\n");
  EXPECT_EQ(number_behind(rest, "early: ") < seconds, taken);
  if (!taken) return true;
  EXPECT_LT(lowered.cost.seconds, late.cost.seconds);
  EXPECT_LE(lowered.cost.memory.least(), 1.1 * late.cost.memory.least());
  const double bytes = lowered.cost.memory.peak();
  EXPECT_NEAR(number_behind(rest, "early: "), lowered.cost.seconds, 1e-3 * lowered.cost.seconds);
  EXPECT_NEAR(number_behind(rest, " s, "), bytes / 1e9, 0.01 * bytes / 1e9);
  std::set<std::string> expected, refreshed;
  const BootstrapPlacement cheapest = placer.place(early).or_refuse();
  for (ValueId id = 0; id < normalised.values.size(); ++id)
    if (cheapest.refreshed[id] != 0) expected.insert(normalised.values[id].node);
  for (const slots::Instruction& made : lowered.program.instructions)
    if (std::holds_alternative<slots::Bootstrap>(made.operation)) refreshed.insert(made.node);
  EXPECT_EQ(refreshed, expected);
  return true;
}

TEST(PricedPlacements, AreTheCheapestByTheLevelsOfAllThatIsMade) {
  std::size_t early = 0;
  const auto count = [&](const std::vector<std::int64_t>& widths, const char* set, const params::CostTable& costs) {
    SCOPED_TRACE(fmt::format("{}, {} layers of {} first", set, widths.size(), widths[0]));
    early += refreshes_early(widths, set, costs) ? 1 : 0;
  };
  for (const char* set : {"S8", "S15"}) {
    for (const std::vector<std::int64_t>& widths : {std::vector<std::int64_t>{8, 8, 8, 8, 8, 8},
                                                    {4096, 8, 4096, 8, 4096, 8, 4096},
                                                    {8, 4096, 8, 4096, 8, 4096, 8}})
      count(widths, set, {});
    // Products with diagonals at their usual speed, and so slow that dense maps are most of a run.
    for (const double product_ns : {0.24, 20.0}) {
      params::CostTable costs;
      costs.product_ns = product_ns;
      for (const std::vector<std::int64_t>& widths :
           {std::vector<std::int64_t>{256, 256, 8, 8, 8}, {8, 8, 8, 256, 256}, {256, 8, 8, 256, 8, 8}})
        count(widths, set, costs);
    }
  }
  EXPECT_GT(early, 0u);
}

}  // namespace
}  // namespace tacit::graph::passes
