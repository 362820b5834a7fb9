#include "graph/client_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Numbers = std::vector<std::vector<double>>;

/// A client's part: the square root of three numbers, and one operator behind it.
ClientParts root_then(const std::string& op, const Shape& shape, bool integral = false,
                      const std::map<std::string, Attribute>& attributes = {}) {
  passes::Sketch s;
  const TensorId root = s.node("Sqrt", {s.input({1, 3}, "d")}, {1, 3});
  const TensorId last = s.node(op, {root}, shape, attributes);
  s.graph.tensors[last].integral = integral;
  s.graph.tensors[last].name = "label";
  s.output(last);
  return {{}, s.graph, {}};
}

const std::map<std::string, Attribute> kRow{{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}};

TEST(ClientAnswers, ALabelOverNanIsNone) {
  for (const char* op : {"ArgMin", "ArgMax"}) {
    const ClientParts parts = root_then(op, {1}, true, kRow);
    EXPECT_EQ(answers_of(ClientRun(parts), Numbers{{4, 1, 4}}).at(0).data.size(), 1u);
    EXPECT_THAT(base::refusal([&] {
                  answers_of(ClientRun(parts), Numbers{{4, -1e-9, 9}});
                }),
                AllOf(HasSubstr("output 'label' has no answer"), HasSubstr(op), HasSubstr("reads element 1"),
                      HasSubstr("Sqrt0")));
  }
}

TEST(ClientAnswers, NanThatIsShownIsLeftToWhoComparesIt) {
  const ClientParts parts = root_then("Neg", {1, 3});
  const std::vector<Tensor> outputs = answers_of(ClientRun(parts), Numbers{{4, -1, 9}});
  EXPECT_TRUE(std::isnan(outputs.at(0).data[1]));
  EXPECT_EQ(base::refusal([&] { require_numbers(parts, outputs); }).substr(0, 46),
            "output 'label', element 1: the answer is NaN, ");
  EXPECT_NO_THROW(require_numbers(parts, answers_of(ClientRun(parts), Numbers{{4, 1, 9}})));
}

TEST(ClientAnswers, OperatorsThatAreMadeForNanMayReadIt) {
  passes::Sketch s;
  const TensorId root = s.node("Sqrt", {s.input({1, 2})}, {1, 2});
  const TensorId missing = s.node("IsNaN", {root}, {1, 2});
  s.graph.tensors[missing].integral = true;
  s.graph.tensors[missing].integers = IntegerType::boolean;
  s.output(s.node("Where", {missing, s.constant({1, 2}, {7, 7}), root}, {1, 2}));
  EXPECT_EQ(answers_of(ClientRun({{}, s.graph, {}}), Numbers{{-1, 9}}).at(0).data, (std::vector<double>{7, 3}));
}

}  // namespace
}  // namespace tacit::graph
