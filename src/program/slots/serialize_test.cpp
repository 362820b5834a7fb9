#include "program/slots/serialize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "layout/sparse_rows.h"
#include "program/client_interface.h"

namespace tacit::slots {
namespace {

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

}  // namespace
}  // namespace tacit::slots
