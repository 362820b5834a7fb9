#include "program/slots/serialize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "layout/sparse_rows.h"
#include "program/client_interface.h"

namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;

/// One instruction of every kind.
Program every_operation() {
  Program program{.name = "all", .slots = 32, .instructions = {}};
  const Layout four = Layout::row_major({4}, 32), grid = Layout::multiplexed({1, 5, 2, 2}, 4, 4, 2, 32);
  const auto add = [&](Operation operation, const Layout& layout) {
    program.instructions.push_back({std::move(operation), layout, "node", "model: node", 1.5, 3, 0x1p40});
  };
  const auto op = std::make_shared<layout::SparseRows>(
      layout::Shape{1, 5, 2, 2}, layout::Shape{4}, std::vector<layout::Index>{0, 1, 1, 3, 4},
      std::vector<layout::Index>{19, 0, 7, 3}, std::vector<double>{0.5, -2, 3, 4});
  add(Input{"x"}, grid);
  add(Linear{{{0, {grid, four, op}, {{{0, 0, 0}, {3, 1, 2}, {31, 31, 0}}, {8, 4}}}},
             layout::RepeatedReals({1, 2, 3, 4}, 1)},
      four);
  add(Polynomial{1, {0.5, 0, 0.25}, params::PolynomialSchedule::choose(2)}, four);
  add(Multiply{2, 1}, four);
  add(Add{3, 3}, four);
  add(Subtract{4, 3}, four);
  add(AddPlain{5, layout::RepeatedReals({1, 2, 3, 4}, 1)}, four);
  add(MultiplyPlain{6, layout::RepeatedReals({1, -1}, 1)}, four);
  add(Rotate{7, -3}, four);
  add(RotateSum{8, {1, 5, -2}}, four);
  add(Drop{9}, four);
  const Layout wide = Layout::row_major({64}, 32), one = Layout::row_major({32}, 32);
  add(Gather{{{10, {2}, {0}, 0}}}, wide);
  add(Sum{11, 2}, one);
  add(Multiply{11, 11, 2}, one);
  add(MultiplyPlain{11, layout::RepeatedReals({2, 3}, 32), 2}, one);
  add(Output{8, "y"}, four);
  return program;
}

program::ClientInterface client() {
  const Layout ten = Layout::row_major({1, 10}, 32);
  return {{{"x", ten, 7, 0x1p40, -1, 1}},
          {{"y", ten, 0, 1, -10, 10, 0, 0x1p40}, {"scores", ten, 0, 4, 0, 0, 1, 0x1p39}}};
}

TEST(Serialize, EveryOperationSurvivesTheRoundTrip) {
  const Program program = every_operation();
  const std::vector<std::uint8_t> bytes = to_bytes(program);
  const Program read = program_from_bytes(bytes);
  EXPECT_EQ(to_text(read), to_text(program));
  EXPECT_EQ(to_bytes(read), bytes);
  EXPECT_EQ(std::get<MultiplyPlain>(read.instructions[7].operation).factor.values(), (std::vector<double>{1, -1}));
  EXPECT_EQ(std::get<RotateSum>(read.instructions[9].operation).steps, (std::vector<std::int64_t>{1, 5, -2}));
  EXPECT_EQ(std::get<MultiplyPlain>(read.instructions[14].operation).terms, 2);
}

TEST(Serialize, ClientInterfacesSurviveTheRoundTrip) {
  const std::vector<std::uint8_t> bytes = to_bytes(client());
  const program::ClientInterface read = program::client_interface_from_bytes(bytes);
  EXPECT_EQ(to_bytes(read), bytes);
  ASSERT_EQ(read.outputs.size(), 2U);
  EXPECT_EQ(read.outputs[1].unit, 4);
  EXPECT_EQ(read.inputs[0].scale, 0x1p40);
  EXPECT_EQ(read.outputs[1].level, 1);
  EXPECT_EQ(read.outputs[1].scale, 0x1p39);
}

/// Every prefix is refused; a flipped byte is refused or read as another valid value, and nothing else happens.
template <class Read>
void attack(const std::vector<std::uint8_t>& bytes, const Read& read) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(std::span(bytes).first(size)), base::InputError) << size;
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<std::uint8_t> damaged = bytes;
    for (int flips = 1 + trial % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    try {
      read(damaged);
    } catch (const base::InputError&) {
    }
  }
}

TEST(Serialize, DamagedBytesAreRefusedOrHarmless) {
  attack(to_bytes(every_operation()), [](auto bytes) { program_from_bytes(bytes); });
  attack(to_bytes(client()), [](auto bytes) { program::client_interface_from_bytes(bytes); });
}

TEST(Serialize, ABrokenProgramIsAnInputErrorWhenRead) {
  Program program = every_operation();
  std::get<AddPlain>(program.instructions[6].operation).addend = layout::RepeatedReals({1, 2, 3}, 1);
  EXPECT_THROW(program_from_bytes(to_bytes(program)), base::InputError);
  program = every_operation();
  std::get<Linear>(program.instructions[1].operation).terms[0].schedule.steps[1].giant = 3;
  EXPECT_THROW(program_from_bytes(to_bytes(program)), base::InputError);
  const auto refuses = [](const auto& change) {
    Program broken = every_operation();
    change(broken);
    EXPECT_THROW(program_from_bytes(to_bytes(broken)), base::InputError);
  };
  const auto gather = [](Program& p) -> GatherPart& { return std::get<Gather>(p.instructions[11].operation).parts[0]; };
  refuses([&](Program& p) { gather(p).offset = 1; });
  refuses([&](Program& p) { gather(p).strides = {1}; });
  refuses([&](Program& p) { gather(p).extents = {3}; });
  refuses([&](Program& p) { gather(p).extents = {2, layout::Index{1} << 62}; });
  refuses([&](Program& p) { gather(p).extents = {-2}; });
  refuses([](Program& p) { std::get<Sum>(p.instructions[12].operation).terms = 3; });
  refuses([](Program& p) { std::get<RotateSum>(p.instructions[9].operation).steps[1] = 32; });
  // An output is no value: whoever read it would read nothing.
  refuses([](Program& p) {
    p.instructions.push_back({Output{15, "z"}, p.instructions[15].layout, "n", "m", 1, 3, 1});
  });
}

TEST(ClientInterface, UnitsAreUndone) {
  EXPECT_EQ(program::from_units(client().outputs[1], {1, -2, 0.5}), (std::vector<double>{4, -8, 2}));
  EXPECT_EQ(program::in_units(std::vector<double>{2, 0.5}, {3, 3}), (std::vector<double>{6, 1.5}));
  EXPECT_THROW(program::in_units(std::vector<double>{2}, {3, 3}), base::InternalError);
}

/// One input and what reads it, written and read again.
class OneOperation {
 public:
  explicit OneOperation(Operation operation) {
    const Layout full = Layout::row_major({32}, 32);
    program.instructions.push_back({Input{"x"}, full, "x", "model: x", 1.5, 3, 0x1p40});
    program.instructions.push_back({std::move(operation), full, "node", "model: node", 1.5, 3, 0x1p40});
  }
  void taken() const { EXPECT_EQ(to_text(program_from_bytes(to_bytes(program))), to_text(program)); }
  void refused(const std::string& why) const {
    base::expect_refusal<base::InputError>([&] { program_from_bytes(to_bytes(program)); }, why);
  }
  Program program{.name = "one", .slots = 32, .instructions = {}};
};

TEST(Serialize, NumbersOfInstructionsAreBounded) {
  OneOperation made(Rotate{0, 32});
  Instruction& last = made.program.instructions[1];
  made.taken();
  for (const int level : {0, 127}) {
    last.level = level;
    made.taken();
  }
  for (const int level : {-1, 128}) {
    last.level = level;
    made.refused("a level is " + std::to_string(level) + ", outside 0 to 127");
  }
  last.level = 3;
  for (const double scale : {0.0, -1.0}) {
    last.scale = scale;
    made.refused("a scale is not positive");
  }
  last.scale = 0x1p-40;
  made.taken();
  for (const Index slots : {Index{0}, 2 * layout::kMaxSlots}) {
    made.program.slots = slots;
    made.refused("the number of slots");
  }
}

TEST(Serialize, NumbersOfOperationsAreBounded) {
  OneOperation(Rotate{0, -32}).taken();
  for (const std::int64_t steps : {-33, 33}) OneOperation(Rotate{0, steps}).refused("a rotation is ");
  OneOperation(Sum{0, 1}).taken();
  for (const Index terms : {Index{0}, layout::kMaxCiphertexts + 1}) {
    const std::string why = "the terms of a sum is " + std::to_string(terms) + ", outside 1 to 16777216";
    OneOperation(Sum{0, terms}).refused(why);
    OneOperation(Multiply{0, 0, terms}).refused(why);
    OneOperation(MultiplyPlain{0, layout::RepeatedReals(2), terms}).refused(why);
  }
  OneOperation(Gather{{{0, {1}, {1}, 0}}}).taken();
  OneOperation(Gather{{{0, {1}, {1}, -1}}}).refused("the offset of a gather");
  for (const Operation& later : {Operation(Drop{1}), Operation(Add{0, 1}), Operation(Add{1, 0})})
    OneOperation(later).refused("%1 is read before it is defined");
  Validate check{0, Detail::vector, 0, -3};
  OneOperation(check).refused("the length of a validation");
}

TEST(Serialize, NumbersOfBootstrapsAreBounded) {
  const auto with = [](const auto& change) {
    Bootstrap bootstrap{{0}, {}};
    bootstrap.schedule.chain.sine = {1};
    change(bootstrap.schedule);
    return OneOperation(bootstrap);
  };
  using Schedule = params::BootstrapSchedule;
  with([](Schedule&) {}).taken();
  with([](Schedule& s) { s.chain.sine.clear(); }).refused("a bootstrap has no sine");
  with([](Schedule& s) { s.log_ratio = 40; }).taken();
  with([](Schedule& s) { s.log_ratio = 41; }).refused("a bootstrap has no sine");
  for (const int level : {-1, 128}) {
    const std::string why = " is " + std::to_string(level) + ", outside 0 to 127", of_level = "a level of a bootstrap";
    with([&](Schedule& s) { s.chain.input = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.chain.output = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.chain.top = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.chain.skipped = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.log_ratio = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.input_level = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.output_level = level; }).refused(of_level + why);
    with([&](Schedule& s) { s.chain.sine.push_back(level); }).refused("a level of a bootstrap's sine" + why);
    with([&](Schedule& s) {
      s.slots_to_coefficients.push_back({level, 0, 0, {}});
    }).refused("a factor of a bootstrap" + why);
    with([&](Schedule& s) {
      s.coefficients_to_slots.push_back({0, level, 0, {}});
    }).refused("a factor of a bootstrap" + why);
    with([&](Schedule& s) {
      s.coefficients_to_slots.push_back({0, 0, level, {}});
    }).refused("a factor of a bootstrap" + why);
    with([&](Schedule& s) { s.polynomial.log_baby = level; }).refused("the baby steps of a polynomial" + why);
    with([&](Schedule& s) { s.polynomial.depth = level; }).refused("the depth of a polynomial" + why);
  }
  for (const int degree : {-1, (1 << 20) + 1})
    with([&](Schedule& s) { s.polynomial.degree = degree; }).refused("the degree of a polynomial");
  for (const int most : {0, 127})
    with([&](Schedule& s) {
      s.chain.input = s.chain.output = s.chain.top = s.chain.skipped = s.input_level = s.output_level = most;
      s.chain.sine = {most};
      s.polynomial = {1 << 20, most, most};
      s.slots_to_coefficients.push_back({most, most, most, {}});
    }).taken();
}

// Earlier versions could write the number 2 for a form, and 1 in the byte after it for an arcsine.
TEST(Serialize, BootstrapsOfEarlierVersionsAreRefusedAndNotMisread) {
  const auto of = [](params::BootstrapForm form) {
    Bootstrap bootstrap{{0}, {}};
    bootstrap.schedule.chain.sine = {1};
    bootstrap.schedule.form = form;
    return OneOperation(bootstrap);
  };
  EXPECT_EQ(static_cast<int>(params::BootstrapForm::linear), 0);
  EXPECT_EQ(static_cast<int>(params::BootstrapForm::folded), 1);
  of(params::BootstrapForm{2}).refused("a bootstrap is of a form that this version does not have; compile the model");
  const std::vector<std::uint8_t> linear = to_bytes(of(params::BootstrapForm::linear).program);
  std::vector<std::uint8_t> bytes = to_bytes(of(params::BootstrapForm::folded).program);
  const auto form = std::ranges::mismatch(bytes, linear).in1;
  ASSERT_EQ(form[0], 1);
  ASSERT_EQ(form[1], 0);
  EXPECT_EQ(base::refusal([&] { program_from_bytes(bytes); }), base::kNotRefused);
  form[1] = 1;
  base::expect_refusal<base::InputError>([&] { program_from_bytes(bytes); },
                                         "a bootstrap computes an arcsine, which this version does not do; compile");
}

// The numbers of the kinds are part of the format: a program of an earlier build is read by the next one.
TEST(Serialize, KindsOfOperationsHaveTheirNumbers) {
  const auto kind_of = [](const Operation& operation) {
    const Layout full = Layout::row_major({32}, 32);
    Program program{.name = "p", .slots = 32, .instructions = {}};
    const std::size_t before = to_bytes(program).size();
    program.instructions.push_back({operation, full, "", "", 1, 0, 1});
    return static_cast<int>(to_bytes(program).at(before));
  };
  EXPECT_EQ(kind_of(Input{"x"}), 0);
  EXPECT_EQ(kind_of(Linear{}), 1);
  EXPECT_EQ(kind_of(Polynomial{}), 2);
  EXPECT_EQ(kind_of(Multiply{}), 3);
  EXPECT_EQ(kind_of(Add{}), 4);
  EXPECT_EQ(kind_of(Rotate{}), 8);
  EXPECT_EQ(kind_of(Output{}), 9);
  EXPECT_EQ(kind_of(Bootstrap{}), 11);
  EXPECT_EQ(kind_of(Gather{}), 15);
}

/// Two inputs, their sum, and a validation of that.
Program validated(Detail detail) {
  const Layout full = Layout::row_major({32}, 32);
  Program program{.name = "checked", .slots = 32, .instructions = {}};
  const auto add = [&](Operation operation) {
    program.instructions.push_back({std::move(operation), full, "node", "model: node", 1.5, 3, 0x1p40});
  };
  add(Input{"x", std::vector<double>(32, 2.5)});
  add(Input{"y"});
  add(Add{0, 1});
  Validate check{2, detail, 1, -3};
  check.arguments = {0, 1};
  if (detail == Detail::network) {
    check.meaning = {"sum", {2}, 0.5};
    check.argument_meanings = {{"left", {3}, 0.25}, {"right", {4}, 0.125}};
  }
  add(check);
  return program;
}

TEST(Serialize, ValidationsTravelWithWhatTheirValuesMean) {
  for (const Detail detail : {Detail::network, Detail::vector, Detail::instruction}) {
    const Program read = program_from_bytes(to_bytes(validated(detail)));
    const auto& check = std::get<Validate>(read.value(3).operation);
    EXPECT_EQ(check.value, 2U);
    EXPECT_EQ(check.detail, detail);
    EXPECT_EQ(check.length, 1);
    EXPECT_EQ(check.epsilon, -3);
    EXPECT_EQ(check.arguments, (std::vector<ValueId>{0, 1}));
    EXPECT_EQ(read.value(3).bound, 1.5);
    EXPECT_EQ(read.value(3).scale, 0x1p40);
    EXPECT_EQ(std::get<Input>(read.value(0).operation).units, std::vector<double>(32, 2.5));
    if (detail != Detail::network) {
      EXPECT_EQ(check.argument_meanings.size(), 0U);
      EXPECT_EQ(check.meaning.tensor, "");
      continue;
    }
    EXPECT_EQ(check.meaning.tensor, "sum");
    EXPECT_EQ(check.meaning.factors, (std::vector<double>{2}));
    EXPECT_EQ(check.meaning.offset, 0.5);
    ASSERT_EQ(check.argument_meanings.size(), 2U);
    EXPECT_EQ(check.argument_meanings[0].tensor, "left");
    EXPECT_EQ(check.argument_meanings[1].tensor, "right");
    EXPECT_EQ(check.argument_meanings[1].factors, (std::vector<double>{4}));
    EXPECT_EQ(check.argument_meanings[1].offset, 0.125);
  }
}

TEST(Serialize, AProgramHasOneSlotOrTheMost) {
  for (const Index slots : {Index{1}, layout::kMaxSlots}) {
    Program program{.name = "p", .slots = slots, .instructions = {}};
    program.instructions.push_back({Input{"x"}, Layout::row_major({1}, slots), "", "", 0, 0, 1});
    EXPECT_EQ(program_from_bytes(to_bytes(program)).slots, slots);
  }
}

TEST(Serialize, SchedulesHaveABabyAndAGiantStepForEveryDiagonal) {
  const Program program = every_operation();
  const Program read = program_from_bytes(to_bytes(program));
  const params::LinearSchedule& schedule = std::get<Linear>(read.value(1).operation).terms.at(0).schedule;
  EXPECT_EQ(schedule, (params::LinearSchedule{{{0, 0, 0}, {3, 1, 2}, {31, 31, 0}}, {8, 4}}));
  EXPECT_EQ(std::get<Polynomial>(read.value(2).operation).coefficients, (std::vector<double>{0.5, 0, 0.25}));
  EXPECT_EQ(std::get<Polynomial>(read.value(2).operation).schedule, params::PolynomialSchedule::choose(2));
  const GatherPart& part = std::get<Gather>(read.value(11).operation).parts.at(0);
  EXPECT_EQ(part.extents, (std::vector<Index>{2}));
  EXPECT_EQ(part.strides, (std::vector<Index>{0}));
}

TEST(Serialize, BootstrapsTravelWhole) {
  Bootstrap bootstrap{{0}, params::plan_bootstrap(params::named_literal("S8"), {.output_level = 5})};
  for (auto* factors : {&bootstrap.schedule.slots_to_coefficients, &bootstrap.schedule.coefficients_to_slots})
    for (params::DftFactor& factor : *factors) factor.schedule = {{{3, 1, 2}}, {}};  // of fewer slots
  const OneOperation made(bootstrap);
  const Program read = program_from_bytes(to_bytes(made.program));
  EXPECT_EQ(std::get<Bootstrap>(read.value(1).operation).schedule, bootstrap.schedule);
}

}  // namespace
}  // namespace tacit::slots
