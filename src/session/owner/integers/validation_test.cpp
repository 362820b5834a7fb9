#include "session/owner/integers/validation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/table.h"

namespace tacit::session {
namespace {

/// A sum that is right, a lookup and a rounding that are not.
IntegerValidation three_operators() {
  check::IntegerResult sum, lookup, rounding;
  sum.value = 3;
  sum.node = "fc";
  sum.operation = "sum";
  sum.elements = 10;
  sum.noise_share = 0.75;
  sum.moved = 4;
  sum.operators = "Gemm";
  sum.boxes = 0.25;
  lookup.value = 4;
  lookup.node = "relu\n1";
  lookup.operation = "lookup";
  lookup.elements = 20;
  lookup.failures = 2;
  lookup.first = 7;
  lookup.cause = check::IntegerCause::noise;
  lookup.moved = 3;
  lookup.noise_share = 0.45;
  rounding.value = 5;
  rounding.node = "r";
  rounding.operation = "round";
  rounding.elements = 5;
  rounding.failures = 1;
  rounding.cause = check::IntegerCause::quantisation;
  rounding.noise_share = 1.5;
  rounding.operators = "Relu\n+ Add";
  rounding.boxes = 1.5;
  return {{sum, lookup, rounding}, 2, 1.5, 0.5};
}

TEST(IntegerValidation, FailsWhereAnOperatorDoes) {
  IntegerValidation validation = three_operators();
  EXPECT_TRUE(validation.failed());
  validation.operators.resize(1);
  EXPECT_FALSE(validation.failed());
  const IntegerValidation none;
  EXPECT_FALSE(none.failed());
  EXPECT_EQ(none.inputs, 0u);
  EXPECT_EQ(none.run_seconds, 0);
}

TEST(IntegerValidation, IsATableForPeople) {
  IntegerValidation validation = three_operators();
  const auto expected = [](const char* inputs, const Table& table, const char* outcome) {
    return fmt::format(
        "Sums against their operands, lookups against their tables, roundings against their operands, on {} in 1.5 s; "
        "noise is the largest, as a share of what a lookup may leave; off by is the largest distance from the "
        "operators of the model on the decrypted operands, in boxes of the interval\n{}{}\n",
        inputs, table.text(), outcome);
  };
  const std::vector<std::string> heading{"operation", "node",  "elements", "failures",
                                         "next box",  "noise", "off by",   "likely cause"};
  Table three(heading), one(heading);
  for (Table* table : {&three, &one}) table->add({"sum", "fc", "10", "0", "", "", "0.25", ""});
  three.add({"lookup", "relu 1", "20", "2", "3", "45 %", "",
             fmt::format("{} of element 7", check::name(check::IntegerCause::noise))});
  three.add({"round", "r", "5", "1", "", "150 %", "1.50",
             fmt::format("{} of element 0: not Relu + Add", check::name(check::IntegerCause::quantisation))});
  EXPECT_EQ(integer_validation_text(validation), expected("2 inputs", three, "Something failed."));
  validation.operators.resize(1);
  validation.inputs = 1;
  EXPECT_EQ(integer_validation_text(validation), expected("1 input", one, "Nothing failed."));
}

TEST(IntegerValidation, IsJsonForPrograms) {
  const nlohmann::ordered_json json = integer_validation_json(three_operators());
  EXPECT_EQ(json.at("scheme"), "tfhe");
  EXPECT_EQ(json.at("inputs"), 2);
  EXPECT_EQ(json.at("validated"), 3);
  EXPECT_EQ(json.at("failed"), true);
  EXPECT_EQ(json.at("first_failure"), "validate failed at relu 1[7]: noise beyond the budget");
  EXPECT_EQ(json.at("seconds"), (nlohmann::ordered_json{{"run", 1.5}, {"validate", 0.5}}));
  ASSERT_EQ(json.at("operators").size(), 3u);
  const nlohmann::ordered_json &sum = json.at("operators").at(0), &lookup = json.at("operators").at(1),
                               &rounding = json.at("operators").at(2);
  EXPECT_EQ(sum.at("value"), 3);
  EXPECT_EQ(sum.at("node"), "fc");
  EXPECT_EQ(sum.at("operation"), "sum");
  EXPECT_EQ(sum.at("compared"), 10);
  EXPECT_EQ(sum.at("failed"), false);
  EXPECT_EQ(sum.at("failures"), 0);
  EXPECT_EQ(sum.at("cause"), "none");
  EXPECT_TRUE(sum.at("index").is_null());
  EXPECT_EQ(sum.at("operators"), "Gemm");
  EXPECT_EQ(sum.at("boxes"), 0.25);
  EXPECT_EQ(lookup.at("failures"), 2);
  EXPECT_EQ(lookup.at("failed"), true);
  EXPECT_EQ(lookup.at("index"), 7);
  EXPECT_EQ(lookup.at("moved"), 3);
  EXPECT_EQ(lookup.at("noise_share"), 0.45);
  EXPECT_TRUE(lookup.at("boxes").is_null()) << "compared with nothing";
  EXPECT_EQ(rounding.at("index"), 0) << "the first element";
  EXPECT_EQ(rounding.at("boxes"), 1.5);
}

TEST(IntegerValidation, HasNoFirstFailureWhereNothingFailed) {
  IntegerValidation validation = three_operators();
  validation.operators.resize(1);
  EXPECT_TRUE(integer_validation_json(validation).at("first_failure").is_null());
}

TEST(IntegerValidation, ASingleFailureIsOne) {
  IntegerValidation validation = three_operators();
  validation.operators.erase(validation.operators.begin(), validation.operators.begin() + 2);
  ASSERT_EQ(validation.operators.front().failures, 1);
  EXPECT_TRUE(validation.failed());
}

}  // namespace
}  // namespace tacit::session
