#include "program/slots/rank_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "layout/diagonals.h"
#include "layout/placement.h"
#include "layout/sparse_rows.h"
#include "params/account.h"
#include "params/small_ring_for_test.h"
#include "program/slots/cost.h"
#include "program/slots/levels.h"
#include "program/slots/memory_plan.h"
#include "program/slots/operation_prices.h"
#include "program/slots/unit_prices.h"

namespace tacit::slots {
namespace {

using layout::Layout;

constexpr params::Interconnect kNetwork{.bits_per_second = 8e9, .latency_seconds = 1e-3};  // a byte takes a nanosecond

params::CkksLiteral ranked_literal() {
  return {.name = "test", .log_n = 10, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true};
}

/// Four ciphertexts, times themselves, then a map in which output j reads inputs j and j + 1.
Program ranked_program() {
  const layout::Index slots = 512, size = 4 * slots;
  const Layout four = Layout::row_major({size}, slots);
  std::vector<layout::Index> begin{0}, column;
  std::vector<double> weight;
  for (layout::Index r = 0; r < size; ++r) {
    for (const layout::Index c : {r, r + slots})
      if (c < size) {
        column.push_back(c);
        weight.push_back(1);
      }
    begin.push_back(static_cast<layout::Index>(column.size()));
  }
  LinearTerm term{1,
                  {four, four, std::make_shared<layout::SparseRows>(four.shape(), four.shape(), begin, column, weight)},
                  {{{0, 0, 0}}, {}}};
  Program made{.name = "four", .slots = slots, .instructions = {}};
  const auto add = [&](Operation operation) {
    made.instructions.push_back({std::move(operation), four, "node", "four.onnx: node", 1, -1, 0});
  };
  add(Input{"x"});
  add(Multiply{0, 0});
  add(Linear{{term}, {}});
  add(Output{2, "y"});
  assign_levels(made, params::CkksParameters::check(ranked_literal()));
  return made;
}

TEST(RankPlan, OfOneRankIsTheCostReading) {
  const Program four = ranked_program();
  const RankPlan plan = plan_ranks(four, ranked_literal(), {}, kNetwork, 1);
  const ProgramCost cost = price(four, ranked_literal(), {});
  EXPECT_NEAR(plan.seconds, cost.seconds, 1e-9 * cost.seconds);
  EXPECT_NEAR(plan.rank_bytes, cost.memory.peak(), 1e-9 * cost.memory.peak());
  EXPECT_EQ(plan.waiting_seconds, 0);
  EXPECT_EQ(plan.sent_bytes, 0);
  EXPECT_EQ(plan.exchanges, 0);
  EXPECT_NEAR(plan.efficiency, 1, 1e-9);
}

// Rank 1 gets inputs 2 and 3 at level 2; rank 0 gets value 2 for output 1 at level 1, then outputs 2 and 3 at level 0.
TEST(RankPlan, OfTwoRanksCountsWhatTravelsByHand) {
  const Program four = ranked_program();
  const double row = 1024 * 8, at_2 = 2 * 3 * row, at_1 = 2 * 2 * row, at_0 = 2 * row;
  const RankPlan plan = plan_ranks(four, ranked_literal(), {}, kNetwork, 2);
  EXPECT_EQ(plan.exchanges, 3);
  EXPECT_DOUBLE_EQ(plan.sent_bytes, 2 * at_2 + at_1 + 2 * at_0);
  EXPECT_DOUBLE_EQ(plan.received_bytes, 2 * at_2);
  EXPECT_NEAR(plan.waiting_seconds, 3e-3 + 1e-9 * (2 * at_2 + at_1 + 2 * at_0), 1e-12);
  const ProgramCost cost = price(four, ranked_literal(), {});
  // Half of every instruction; of the map rank 0 has two of four outputs and four of seven blocks.
  EXPECT_GT(plan.seconds - plan.waiting_seconds, 0.5 * cost.seconds);
  EXPECT_LT(plan.seconds - plan.waiting_seconds, 0.6 * cost.seconds);
  EXPECT_NEAR(plan.efficiency, cost.seconds / (2 * plan.seconds), 1e-12);
  EXPECT_NEAR(plan.apart_seconds, cost.seconds + 2e-3 + 1e-9 * (4 * at_2 / 2 + 4 * at_0), 1e-9);
}

// A rank holds the addends of what it computes, and all factors.
TEST(RankPlan, PlaintextsAreWeightsToo) {
  const Layout four = Layout::row_major({4 * 512}, 512);
  const layout::RepeatedReals ones(1.0);
  Program made{.name = "plain", .slots = 512, .instructions = {}};
  const auto add = [&](Operation operation) {
    made.instructions.push_back({std::move(operation), four, "node", "plain.onnx: node", 1, -1, 0});
  };
  add(Input{"x"});
  add(AddPlain{0, ones});
  add(MultiplyPlain{1, ones});
  add(Output{2, "y"});
  assign_levels(made, params::CkksParameters::check(ranked_literal()));
  const ProgramCost cost = price(made, ranked_literal(), {});
  const double addends = cost.instructions[1].weight_bytes, factors = cost.instructions[2].weight_bytes;
  EXPECT_GT(addends, 0);
  EXPECT_GT(factors, 0);
  for (const layout::Index ranks : {1, 2, 3}) {
    const double most = ranks == 1 ? 1 : 0.5;  // of four ciphertexts: 2, or 2, 1 and 1
    EXPECT_DOUBLE_EQ(
        plan_ranks(made, ranked_literal(), {}, kNetwork, ranks).rank_bytes,
        cost.memory.keys + cost.memory.transforms + most * addends + factors +
            value_bytes(made, params::Account(ranked_literal()), base::thread_limit(), layout::Placement(ranks)))
        << ranks;
  }
}

// A map without entries has a bias alone: nothing is multiplied, sent or held for it.
TEST(RankPlan, AMapMayHaveNoEntries) {
  const Layout four = Layout::row_major({4 * 512}, 512);
  const LinearTerm none{
      0,
      {four, four,
       std::make_shared<layout::SparseRows>(four.shape(), four.shape(), std::vector<layout::Index>(4 * 512 + 1, 0),
                                            std::vector<layout::Index>{}, std::vector<double>{})},
      {{}, {}}};
  Program made{.name = "none", .slots = 512, .instructions = {}};
  for (Operation operation :
       {Operation(Input{"x"}), Operation(Linear{{none}, layout::RepeatedReals(1.0)}), Operation(Output{1, "y"})})
    made.instructions.push_back({std::move(operation), four, "node", "none.onnx: node", 1, -1, 0});
  assign_levels(made, params::CkksParameters::check(ranked_literal()));
  const ProgramCost cost = price(made, ranked_literal(), {});
  const RankPlan one = plan_ranks(made, ranked_literal(), {}, kNetwork, 1),
                 two = plan_ranks(made, ranked_literal(), {}, kNetwork, 2);
  EXPECT_NEAR(one.seconds, cost.seconds, 1e-9 * cost.seconds);
  EXPECT_GT(two.seconds, two.waiting_seconds);
  EXPECT_EQ(two.exchanges, 1);  // the results of rank 1, for whoever decrypts them
  EXPECT_DOUBLE_EQ(two.rank_bytes, cost.memory.keys + cost.memory.transforms +
                                       value_bytes(made, params::Account(ranked_literal()), base::thread_limit(),
                                                   layout::Placement(2)));
}

/// Six ciphertexts that are bootstrapped twice, and three that are once, beside the first round of these.
Program two_rounds(const params::CkksLiteral& set, const params::BootstrapSchedule& schedule) {
  Program made{.name = "rounds", .slots = 256, .instructions = {}};
  const auto add = [&](Operation operation, layout::Index ciphertexts) {
    made.instructions.push_back(
        {std::move(operation), Layout::row_major({ciphertexts * 256}, 256), "node", "rounds.onnx: node", 1, -1, 0});
  };
  add(Input{"x"}, 6);
  add(Input{"y"}, 3);
  add(Bootstrap{{0}, schedule}, 6);
  add(Bootstrap{{1}, schedule}, 3);
  add(Bootstrap{{2}, schedule}, 6);
  add(Output{4, "z"}, 6);
  add(Output{3, "w"}, 3);
  assign_levels(made, params::CkksParameters::check(set));
  return made;
}

TEST(RankPlan, BootstrapsComeInRoundsThatFollowOnEachOther) {
  const params::CkksLiteral set = params::insecure_on_small_ring("S8", 9);
  const Program made = two_rounds(set, params::plan_bootstrap(set, {.output_level = 5}));
  const RankPlan plan = plan_ranks(made, set, {}, kNetwork, 3);
  EXPECT_EQ(plan.bootstrap_rounds, 2);
  EXPECT_EQ(plan.widest_round, 9);
  // A pair on each rank: a third of six ciphertexts, and of three, two pairs on three ranks.
  const double pair = price(made, set, {}).instructions[2].seconds / 3;
  EXPECT_NEAR(plan.seconds - plan.waiting_seconds, 3 * pair, 0.02 * pair);
}

// Rank 0 has outputs 0 and 1, which read inputs 0 to 2 through four of the seven blocks; rank 1 has the three others.
TEST(RankPlan, ALinearMapLastsAsLongAsItsLargestShareOfBlocks) {
  const Program four = ranked_program();
  const RankPlan plan = plan_ranks(four, ranked_literal(), {}, kNetwork, 2);
  const ProgramCost cost = price(four, ranked_literal(), {});
  const LinearTerm& term = std::get<Linear>(four.instructions[2].operation).terms[0];
  const layout::DiagonalCount diagonals = layout::diagonal_set(term.map).count;
  ASSERT_EQ(diagonals.products, 7);
  const LinearPrices parts = OperationPrices(ranked_literal(), {}).linear(1);
  const double product = diagonals.density * parts.product + (1 - diagonals.density) * parts.repeated;
  EXPECT_NEAR(
      (plan.seconds - plan.waiting_seconds) / (0.5 * cost.instructions[1].seconds + 4 * product + 2 * parts.finish), 1,
      1e-9);
  const params::Account account(ranked_literal());
  EXPECT_NEAR(plan.rank_bytes,
              cost.memory.keys + cost.memory.weights * 4 / 7 +
                  value_bytes(four, account, base::thread_limit(), layout::Placement(2)),
              1e-9 * plan.rank_bytes);
  EXPECT_GT(cost.memory.weights, 0);
  EXPECT_EQ(plan.ranks, 2);
  EXPECT_NEAR(plan.apart_efficiency, cost.seconds / plan.apart_seconds, 1e-12);
}

// Both halves change places: each rank reads what the other one holds.
TEST(RankPlan, AGatherLeavesCiphertextsWhereTheyAre) {
  const Layout four = Layout::row_major({4 * 512}, 512);
  Program made{.name = "halves", .slots = 512, .instructions = {}};
  const auto add = [&](Operation operation) {
    made.instructions.push_back({std::move(operation), four, "node", "halves.onnx: node", 1, -1, 0});
  };
  add(Input{"x"});
  add(Rotate{0, 1});
  add(Gather{{{1, {2}, {1}, 2}, {1, {2}, {1}, 0}}});
  add(Rotate{2, 1});
  add(Output{3, "y"});
  assign_levels(made, params::CkksParameters::check(ranked_literal()));
  const double one = 2 * 1024 * 8;
  const RankPlan plan = plan_ranks(made, ranked_literal(), {}, kNetwork, 2);
  // Two to rank 1; two either way; two back to rank 0.
  EXPECT_EQ(plan.exchanges, 3);
  EXPECT_DOUBLE_EQ(plan.sent_bytes, (2 + 4 + 2) * one);
  EXPECT_DOUBLE_EQ(plan.received_bytes, (2 + 2) * one);
  EXPECT_NEAR(plan.waiting_seconds, 3e-3 + 1e-9 * (2 + 2 + 2) * one, 1e-12);
  EXPECT_EQ(plan.bootstrap_rounds, 0);
  EXPECT_EQ(plan.widest_round, 0);
}

// Sums of two: rank 0 makes the first two of four from what it holds, and rank 1 gets four terms for the others.
TEST(RankPlan, ASumReadsAllItsTermsWhereItIsMade) {
  const auto plan_of = [](Operation operation, layout::Index ranks) {
    const auto layout = [](layout::Index ciphertexts) { return Layout::row_major({ciphertexts * 512}, 512); };
    Program made{.name = "sums", .slots = 512, .instructions = {}};
    made.instructions.push_back({Input{"x"}, layout(8), "x", "sums.onnx: x", 1, -1, 0});
    made.instructions.push_back({std::move(operation), layout(4), "sum", "sums.onnx: sum", 1, -1, 0});
    made.instructions.push_back({Output{1, "y"}, layout(4), "y", "sums.onnx: y", 1, -1, 0});
    assign_levels(made, params::CkksParameters::check(ranked_literal()));
    return std::pair(plan_ranks(made, ranked_literal(), {}, kNetwork, ranks), price(made, ranked_literal(), {}));
  };
  const double row = 1024 * 8;
  for (const auto& [operation, level] : {std::pair(Operation(Sum{0, 2}), 0), std::pair(Operation(Multiply{0, 0, 2}), 1),
                                         std::pair(Operation(MultiplyPlain{0, layout::RepeatedReals(2), 2}), 1)}) {
    const double operand = 2 * (level + 1) * row, result = 2 * row;
    const auto [two, cost] = plan_of(operation, 2);
    EXPECT_EQ(two.exchanges, 2) << mnemonic(operation);
    EXPECT_DOUBLE_EQ(two.sent_bytes, 4 * operand + 2 * result);
    EXPECT_DOUBLE_EQ(two.received_bytes, 4 * operand);
    EXPECT_NEAR((two.seconds - two.waiting_seconds) / cost.seconds, 0.5, 1e-9);
    // Of three ranks the last one makes two of the four, and rank 0 the first.
    const auto [three, same] = plan_of(operation, 3);
    EXPECT_DOUBLE_EQ(three.sent_bytes, 6 * operand + 3 * result);
    EXPECT_DOUBLE_EQ(three.received_bytes, 4 * operand);
    EXPECT_NEAR((three.seconds - three.waiting_seconds) / cost.seconds, 0.5, 1e-9);
    EXPECT_EQ(same.seconds, cost.seconds);
  }
}

// Pairs of %0 go to the other two ranks, one of %1's two pairs is made on ranks 1 and 2, and rank 0 gets what is made
// there.
TEST(RankPlan, BootstrapsLieWhereTheirPairsAreMade) {
  const params::CkksLiteral set = params::insecure_on_small_ring("S8", 9);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(set, {.output_level = 5});
  const Program made = two_rounds(set, schedule);
  const double row = 512 * 8, read = 2 * (schedule.input_level + 1) * row, left = 2 * row;
  const RankPlan plan = plan_ranks(made, set, {}, kNetwork, 3);
  EXPECT_EQ(plan.exchanges, 4);
  EXPECT_DOUBLE_EQ(plan.sent_bytes, (4 + 2) * read + (4 + 1) * left);
  EXPECT_DOUBLE_EQ(plan.received_bytes, std::max(3 * read, 5 * left));
  EXPECT_NEAR(plan.waiting_seconds, 4e-3 + 1e-9 * ((4 + 2) * read + (4 + 1) * left), 1e-12);
  const ProgramCost cost = price(made, set, {});
  EXPECT_NEAR(plan.apart_seconds, cost.seconds + 2e-3 + 1e-9 * (2 * 9 * read / 2 + 2 * 9 * left), 1e-9);
  EXPECT_NEAR(plan.efficiency, cost.seconds / (3 * plan.seconds), 1e-12);
  // One rank makes all pairs, the last of %1's with a single ciphertext, beside the transforms.
  const RankPlan one = plan_ranks(made, set, {}, kNetwork, 1);
  EXPECT_NEAR(one.seconds / cost.seconds, 1, 1e-9);
  EXPECT_GT(cost.memory.transforms, 0);
  EXPECT_NEAR(one.rank_bytes / cost.memory.peak(), 1, 1e-9);
  EXPECT_EQ(one.bootstrap_rounds, 2);
  EXPECT_EQ(one.widest_round, 9);
}

// Terms add up: a sum more for every output, shared out like the outputs.
TEST(RankPlan, TermsOfALinearMapAddUp) {
  Program twice = ranked_program();
  auto& linear = std::get<Linear>(twice.instructions[2].operation);
  linear.terms.push_back(linear.terms[0]);
  linear.terms.push_back(linear.terms[0]);
  const ProgramCost cost = price(twice, ranked_literal(), {}), single = price(ranked_program(), ranked_literal(), {});
  const RankPlan one = plan_ranks(twice, ranked_literal(), {}, kNetwork, 1),
                 two = plan_ranks(twice, ranked_literal(), {}, kNetwork, 2),
                 of_single = plan_ranks(ranked_program(), ranked_literal(), {}, kNetwork, 2);
  EXPECT_NEAR(one.seconds / cost.seconds, 1, 1e-9);
  EXPECT_NEAR(one.rank_bytes / cost.memory.peak(), 1, 1e-9);
  const double product = cost.instructions[1].seconds / 2;
  const double added = UnitPrices(ranked_literal(), {}).seconds(Unit::add, 0);
  EXPECT_NEAR(cost.instructions[2].seconds - 3 * single.instructions[2].seconds, 2 * 4 * added, 1e-9 * cost.seconds);
  EXPECT_NEAR(two.seconds - two.waiting_seconds - product,
              3 * (of_single.seconds - of_single.waiting_seconds - product) + 2 * 2 * added, 1e-9 * cost.seconds);
  // Every term's inputs travel.
  const double at_1 = 2 * 2 * 1024 * 8;
  EXPECT_DOUBLE_EQ(two.sent_bytes - of_single.sent_bytes, 2 * at_1);
  EXPECT_EQ(two.exchanges, 3);
}

}  // namespace
}  // namespace tacit::slots
