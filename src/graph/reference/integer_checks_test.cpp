#include "graph/reference/integer_checks.h"

#include "graph/integers.h"
#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::HasSubstr;

const char* kNothing = base::kNotRefused;

std::string lost(const char* op, std::size_t at, double value, bool integral = true, bool passed_on = true) {
  const Tensor held{{1}, {value}, integral, {}};
  std::vector<const Tensor*> inputs(5, nullptr);
  inputs[at] = &held;
  inputs.resize(at + 1);
  return base::refusal([&] { refuse_lost_integers(Node{op, "n", {}, {}, {}}, inputs, passed_on); });
}

TEST(IntegerChecks, LostIntegersAreMovedAndNotComputedWith) {
  EXPECT_EQ(lost("Add", 1, 0x1p53), kNothing);
  EXPECT_EQ(lost("Add", 1, 0x1p62, false), kNothing) << "a real";
  EXPECT_THAT(lost("Add", 1, 0x1p62), HasSubstr("its input 1 holds an integer beyond 2^53, up to which integers are"));
  EXPECT_THAT(lost("Add", 0, -0x1p62), HasSubstr("its input 0 holds an integer beyond 2^53"));
  EXPECT_EQ(lost("Gather", 0, 0x1p62), kNothing);
  EXPECT_THAT(lost("Gather", 0, 0x1p62, true, false), HasSubstr("its input 0 holds")) << "not passed on";
  EXPECT_THAT(lost("Gather", 1, 0x1p62), HasSubstr("its input 1 holds")) << "it says where to";
  EXPECT_THAT(lost("Where", 0, 0x1p62), HasSubstr("its input 0 holds"));
  EXPECT_EQ(lost("Where", 2, 0x1p62), kNothing);
  EXPECT_THAT(lost("Equal", 0, 0x1p62), HasSubstr("its input 0 holds")) << "texts may be compared, lost digits not";
}

TEST(IntegerChecks, SlicesStartAndEndAtLostIntegers) {
  for (const bool passed_on : {true, false}) {
    EXPECT_EQ(lost("Slice", 1, 0x1p62, true, passed_on), kNothing);
    EXPECT_EQ(lost("Slice", 2, -0x1p62, true, passed_on), kNothing);
    EXPECT_THAT(lost("Slice", 3, 0x1p62, true, passed_on), HasSubstr("its input 3 holds"));
    EXPECT_THAT(lost("Slice", 4, 0x1p62, true, passed_on), HasSubstr("its input 4 holds"));
    EXPECT_THAT(lost("Pad", 1, 0x1p62, true, passed_on), HasSubstr("its input 1 holds"));
  }
  EXPECT_EQ(lost("Slice", 0, 0x1p62), kNothing);
  EXPECT_THAT(lost("Slice", 0, 0x1p62, true, false), HasSubstr("its input 0 holds"));
}

TEST(IntegerChecks, ResultsAreOfTheirType) {
  const auto made = [](const char* op, const Tensor& result, IntegerType type) {
    return base::refusal([&] { check_integers(Node{op, "n", {}, {}, {}}, result, type); });
  };
  EXPECT_EQ(made("Pow", integers({-128, 127}), IntegerType::int8), kNothing);
  EXPECT_THAT(made("Pow", integers({0, 128}), IntegerType::int8),
              HasSubstr("it makes 128 of integers of type int8, which hold -128 to 127"));
  EXPECT_THAT(made("Pow", integers({-129}), IntegerType::int8), HasSubstr("it makes -129 of integers of type int8"));
  EXPECT_THAT(made("Pow", integers({0.5}), IntegerType::int8), HasSubstr("it makes 0.5 of integers"));
  EXPECT_EQ(made("Pow", reals({2}, {0.5, 300}), IntegerType::int8), kNothing);
  EXPECT_EQ(made("Pow", integers({0x1p53, -0x1p53}), IntegerType::int64), kNothing);
  EXPECT_THAT(made("Pow", integers({0x1p53 + 2}), IntegerType::int64), HasSubstr("what becomes of it differs"));
  for (const double value : {kLostInteger, -kLostInteger}) {
    EXPECT_THAT(made("Add", integers({value}), IntegerType::int64),
                HasSubstr("it makes an integer of type int64 beyond 2^53"));
    for (const char* op : {"Gather", "Cast", "GatherElements", "Where"})
      EXPECT_EQ(made(op, integers({value}), IntegerType::int64), kNothing) << op;
  }
  Tensor words = texts({"a"});
  words.data[0] = 0.5;
  EXPECT_EQ(made("Add", words, IntegerType::int8), kNothing) << "texts are not looked at";
}

TEST(IntegerChecks, InputsAreOfTheirType) {
  TensorInfo info{"x", {2}, true};
  info.integers = IntegerType::int8;
  const auto given = [&](double value) {
    return base::refusal([&] { check_integer_input(info, reals({2}, {0, value})); });
  };
  EXPECT_EQ(given(127), kNothing);
  EXPECT_EQ(given(-128), kNothing);
  EXPECT_THAT(given(128), HasSubstr("input 'x' takes integers from -128 to 127 (int8), and element 1 of what was given "
                                    "lies outside"));
  EXPECT_THAT(given(-129), HasSubstr("element 1 of what was given lies outside"));
  EXPECT_THAT(given(1.5), HasSubstr("input 'x' takes integers (int8), and element 1 of what was given is none"));
  info.text = true;
  EXPECT_EQ(given(1.5), kNothing);
  info.text = false;
  info.integral = false;
  EXPECT_EQ(given(1.5), kNothing);
}

}  // namespace
}  // namespace tacit::graph::reference
