#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "layout/sparse_rows.h"
#include "params/account.h"
#include "params/lookup_noise.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "program/slots/levels.h"
#include "program/slots/lookup_failure.h"
#include "program/slots/memory_plan.h"
#include "program/slots/noise_model.h"
#include "program/slots/operation_prices.h"
#include "program/slots/padding.h"
#include "program/slots/recorder.h"
#include "program/slots/runnable.h"
#include "program/slots/serialize.h"

// Lookups in every reading of programs.
namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;
using ::testing::HasSubstr;

const params::CkksLiteral& lookup_literal() {
  static const params::CkksLiteral made = params::insecure_on_small_ring("S8", 10);
  return made;
}
const params::CkksParameters& lookup_parameters() {
  static const auto made = params::CkksParameters::check(lookup_literal());
  return made;
}

const std::vector<double> kFirst{0.5, -1, 0.25, 1}, kSecond{0, 1, 1, 0};

/// An input of two ciphertexts, a lookup of some tables, an output.
Program lookup_program(std::vector<std::vector<double>> tables, int output_level = 1) {
  const auto slots = static_cast<Index>(lookup_parameters().slots());
  const Layout in = Layout::row_major({2, slots}, slots);
  const Layout out = Layout::row_major({2 * static_cast<Index>(tables.size()), slots}, slots);
  const auto schedule = params::plan_lookup(
      lookup_literal(), {.form = params::BootstrapForm::half, .entries = 4, .output_level = output_level});
  Program program{.name = "tables", .slots = slots, .instructions = {}};
  program.instructions.push_back({Input{"x"}, in, "x", "tables: x", 1, -1, 0});
  program.instructions.push_back({Lookup{{0}, std::move(tables), schedule}, out, "table", "tables: table", 1, -1, 0});
  program.instructions.push_back({Output{1, "y"}, out, "y", "tables: y", 1, -1, 0});
  return program;
}

std::string objection(const std::function<void(Lookup&)>& change) {
  Program program = lookup_program({kFirst});
  change(std::get<Lookup>(program.instructions[1].operation));
  return base::refusal<base::InternalError>([&] { verify(program); });
}

TEST(LookupInstruction, NeedsTablesOfItsForm) {
  EXPECT_EQ(objection([](Lookup&) {}), base::kNotRefused);
  const auto another_size = HasSubstr("a table or its series has another size than the form allows");
  EXPECT_THAT(objection([](Lookup& x) { x.tables[0].pop_back(); }), another_size);
  EXPECT_THAT(objection([](Lookup& x) { x.tables[0][2] = NAN; }), another_size);
  EXPECT_THAT(objection([](Lookup& x) { x.schedule.polynomial.depth = 4; }), another_size);
  EXPECT_THAT(objection([](Lookup& x) { x.schedule.bootstrap.form = params::BootstrapForm::folded; }), another_size);
  EXPECT_THAT(objection([](Lookup& x) { x.tables.clear(); }),
              HasSubstr("as many ciphertexts of each table as it reads"));
  EXPECT_THAT(objection([](Lookup& x) { x.tables.push_back(kSecond); }),
              HasSubstr("as many ciphertexts of each table as it reads"));
  Program program = lookup_program({kFirst});
  const auto schedule = std::get<Lookup>(program.instructions[1].operation).schedule.bootstrap;
  program.instructions[1].operation = Bootstrap{{0}, schedule};
  EXPECT_THAT(base::refusal<base::InternalError>([&] { verify(program); }),
              HasSubstr("a bootstrap has a form that only lookups read"));
}

TEST(LookupInstruction, TakesLevelsAsABootstrapDoes) {
  Program program = lookup_program({kFirst, kSecond});
  assign_levels(program, lookup_parameters(), 1);
  EXPECT_EQ(program.value(0).level, 3);
  EXPECT_EQ(program.value(1).level, 1);
  EXPECT_EQ(program.value(1).scale, lookup_parameters().scale());
  EXPECT_EQ(operand_level(program.value(1)), 3);
  EXPECT_EQ(total_depth(program), 0);
  require_runnable_from_file(program, lookup_parameters());
  const auto& lookup = std::get<Lookup>(program.value(1).operation);
  EXPECT_EQ(key_manifest(program), params::key_manifest(lookup.schedule));
  EXPECT_EQ(message_levels_needed(program), lookup.schedule.bootstrap.chain.output);
  EXPECT_THAT(to_text(program), HasSubstr("%1 = lookup %0 tables 2 entries 4 half from level 3 to 1 :"));
  const std::string deeper = base::refusal([&] { assign_levels(program, lookup_parameters(), 2); });
  EXPECT_THAT(deeper, HasSubstr("needs 2 levels at table, and parameter set"));
  program.instructions[1].level = program.instructions[2].level = 2;
  EXPECT_THAT(base::refusal([&] { require_runnable(program, lookup_parameters()); }),
              HasSubstr("a lookup ends at level 1 and the program says 2"));
}

TEST(LookupInstruction, ClearReadingIsTheFunctionAtTheArgument) {
  Program program = lookup_program({kFirst, kSecond});
  assign_levels(program, lookup_parameters(), 1);
  const auto n = static_cast<std::size_t>(program.slots);
  std::vector<double> x(2 * n);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 5 == 4 ? std::cos(static_cast<double>(i)) : params::entry_argument(static_cast<int>(i % 5), 4);
  const std::vector<double> y = ClearProgram(program).run({x})[0];
  const auto first = params::table_series(params::BootstrapForm::half, kFirst);
  ASSERT_EQ(y.size(), 4 * n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t at = i / n * 2 * n + i % n;  // the tables of a ciphertext are side by side
    EXPECT_NEAR(y[at], params::look_up(params::BootstrapForm::half, first, x[i]), 1e-12);
    if (i % 5 < 4) {
      EXPECT_NEAR(y[at], kFirst[i % 5], 1e-12);
      EXPECT_NEAR(y[at + n], kSecond[i % 5], 1e-12);
    }
  }
}

TEST(LookupInstruction, BytesComeBackAndDamagedOnesAreRefused) {
  Program program = lookup_program({kFirst, kSecond});
  assign_levels(program, lookup_parameters(), 1);
  const std::vector<std::uint8_t> bytes = to_bytes(program);
  const Program read = program_from_bytes(bytes);
  EXPECT_EQ(to_bytes(read), bytes);
  const auto &before = std::get<Lookup>(program.value(1).operation), &after = std::get<Lookup>(read.value(1).operation);
  EXPECT_EQ(after.schedule, before.schedule);
  EXPECT_EQ(after.tables, before.tables);
  EXPECT_EQ(after.inputs, before.inputs);
  std::get<Lookup>(program.instructions[1].operation).schedule.entries = 3;
  EXPECT_THAT(base::refusal([&] { program_from_bytes(to_bytes(program)); }),
              HasSubstr("a table or its series has another size than the form allows"));
  program = lookup_program({kFirst});
  assign_levels(program, lookup_parameters(), 1);
  std::get<Lookup>(program.instructions[1].operation).schedule.bootstrap.log_ratio = 3;
  EXPECT_THAT(base::refusal([&] { require_runnable_from_file(program, lookup_parameters()); }),
              HasSubstr("its lookup has another sine than the parameter set"));
}

TEST(LookupInstruction, CostsABootstrapAndItsSeries) {
  Program one = lookup_program({kFirst}), two = lookup_program({kFirst, kSecond});
  for (Program* program : {&one, &two}) assign_levels(*program, lookup_parameters(), 1);
  const auto& schedule = std::get<Lookup>(one.value(1).operation).schedule;
  const OperationPrices prices(lookup_literal(), {});
  const ProgramCost of_one = price(one, lookup_literal(), {}), of_two = price(two, lookup_literal(), {});
  const double expected =
      prices.bootstraps(schedule.bootstrap, 2) + 2 * prices.seconds(prices.account().lookup_tables(schedule, 1));
  EXPECT_NEAR(of_one.seconds / expected, 1, 0.01);
  EXPECT_NEAR(of_two.seconds - of_one.seconds,
              2 * prices.seconds(prices.account().lookup_tables(schedule, 2)) -
                  2 * prices.seconds(prices.account().lookup_tables(schedule, 1)),
              0.01 * of_one.seconds);
  EXPECT_EQ(transform_bytes(one, prices.account()), prices.account().transform_bytes(schedule.bootstrap));
}

TEST(LookupInstruction, HasTheNoiseOfItsNoisiestTable) {
  const std::vector<double> large{5, -5, 5, -5};
  Program program = lookup_program({kFirst, large});
  assign_levels(program, lookup_parameters(), 1);
  const auto& lookup = std::get<Lookup>(program.value(1).operation);
  const params::LookupNoise noise =
      params::lookup_noise(lookup_parameters(), lookup.schedule, large, program.value(1).scale);
  EXPECT_EQ(modelled_noise(program, lookup_parameters())[1], noise.mean);
  EXPECT_EQ(largest_noise(program, lookup_parameters())[1], noise.largest);
}

// The error of an argument is that of the input, times the 2-norm of the map before the lookup, and that of the
// bootstrap.
TEST(LookupInstruction, FailuresFollowTheNormOfTheSumThatIsRead) {
  const auto of = [&](double weight) {
    const auto slots = static_cast<Index>(lookup_parameters().slots());
    const Layout in = Layout::row_major({slots}, slots);
    auto op = std::make_shared<layout::SparseRows>(
        in.shape(), in.shape(), [&](Index row, layout::RowEntries& entries) { entries.add(row, weight); });
    Program program{.name = "sums", .slots = slots, .instructions = {}};
    program.instructions.push_back({Input{"x"}, in, "x", "", 1, -1, 0});
    params::LinearSchedule diagonal;
    diagonal.steps.push_back({0, 0, 0});
    program.instructions.push_back({Linear{{{0, {in, in, op}, diagonal}}, {}}, in, "sum", "", 1, -1, 0});
    const auto schedule =
        params::plan_lookup(lookup_literal(), {.form = params::BootstrapForm::half, .entries = 4, .output_level = 1});
    program.instructions.push_back({Lookup{{1}, {kFirst}, schedule}, in, "table", "", 1, -1, 0});
    program.instructions.push_back({Output{2, "y"}, in, "y", "", 1, -1, 0});
    verify(program);
    assign_levels(program, lookup_parameters(), 1);
    return lookup_failure(program, lookup_parameters());
  };
  const LookupFailure small = of(1e-3), large = of(4e4), larger = of(8e4);
  EXPECT_EQ(small.id, 2u);
  EXPECT_LT(small.log2_probability, -1e6);
  EXPECT_NEAR(larger.deviation / large.deviation, 2, 0.1);
  EXPECT_NEAR(large.log2_probability,
              params::log2_lookup_failure(large.deviation, 4) + std::log2(lookup_parameters().slots()), 1e-9);
  EXPECT_GT(larger.log2_probability, large.log2_probability);
}

// The error of a result is that of its table, the rounding of the output and the noise that decryption adds.
TEST(LookupInstruction, OutputsThatAreRoundedFailByTheirStep) {
  Program program = lookup_program({kFirst});
  assign_levels(program, lookup_parameters(), 1);
  const NoiseModel noise = largest_noise(program, lookup_parameters());
  const double deviation = std::sqrt(2.0) * noise[1];
  const auto of = [&](double step) {
    const RoundedOutput output{1, step};
    return lookup_failure(program, lookup_parameters(), {&output, 1});
  };
  const LookupFailure fine = of(8 * deviation), coarse = of(0.5);
  EXPECT_NEAR(fine.deviation / deviation, 1, 1e-9);
  EXPECT_EQ(fine.id, 1u);
  EXPECT_NEAR(
      fine.log2_probability,
      std::log2(std::erfc(4 / std::sqrt(2.0))) + std::log2(4.0 * static_cast<double>(lookup_parameters().slots())),
      1e-6);
  EXPECT_LT(coarse.log2_probability, kMostLog2LookupFailure);
}

TEST(LookupInstruction, LeavesZerosOnlyIfItsTablesAreZeroAtZero) {
  const Program any = lookup_program({kFirst}), odd = lookup_program({{-1, -0.5, 0.5, 1}});
  EXPECT_EQ(padding_of(any)[1], Padding::bounded);
  EXPECT_EQ(padding_of(odd)[1], Padding::zero);
}

TEST(LookupInstruction, IsRecordedAsItIsCalled) {
  const auto slots = static_cast<Index>(lookup_parameters().slots());
  const auto recorder = Recorder::make("recorded", slots, 8);
  const auto schedule =
      params::plan_lookup(lookup_literal(), {.form = params::BootstrapForm::half, .entries = 4, .output_level = 1});
  const ArrayPtr x = recorder->encrypt(Layout::row_major({slots}, slots), [&](Index) { return std::vector<double>(1); },
                                       {3, lookup_parameters().scale()});
  const View view = View::whole(x);
  const std::vector tables{kFirst, kSecond};
  const ArrayPtr y = recorder->look_up({&view, 1}, tables, schedule, {1, lookup_parameters().scale()});
  EXPECT_EQ(y->count(), 2);
  const Program& program = recorder->program();
  const auto& lookup = std::get<Lookup>(program.instructions.back().operation);
  EXPECT_EQ(lookup.tables, tables);
  EXPECT_EQ(lookup.schedule, schedule);
  EXPECT_EQ(program.instructions.back().level, 1);
  verify(program);
}

}  // namespace
}  // namespace tacit::slots
