#include "graph/passes/value_domains.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::map<std::string, Attribute> kKeep{{"keepdims", std::int64_t{1}}};

struct DomainSketch : Sketch {
  TensorId x = input({1, 3});
  TensorId made(const std::string& op, std::vector<TensorId> inputs, const Shape& shape = {1, 3},
                std::map<std::string, Attribute> attributes = {}) {
    return node(op, std::move(inputs), shape, std::move(attributes));
  }
  Range of(TensorId id) const { return value_domains(graph)[id]; }
};

TEST(ValueDomains, SquaresNormsAndProbabilities) {
  DomainSketch m;
  const TensorId square = m.made("Mul", {m.x, m.x});
  EXPECT_EQ(m.of(m.x), (Range{-kInfinity, kInfinity}));
  EXPECT_EQ(m.of(square), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Pow", {m.x, m.constant({}, {4})})), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Pow", {m.x, m.constant({}, {3})})), (Range{-kInfinity, kInfinity}));
  EXPECT_EQ(m.of(m.made("Pow", {m.x, m.constant({}, {0.5})})), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("ReduceSum", {square}, {1, 1}, kKeep)), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("ReduceSumSquare", {m.x}, {1, 1}, kKeep)), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("ReduceL2", {m.x}, {1, 1}, kKeep)), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Softmax", {m.x})), (Range{0, 1}));
  EXPECT_EQ(m.of(m.made("Tanh", {m.x})), (Range{-1, 1}));
  EXPECT_EQ(m.of(m.made("Exp", {m.x})), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Exp", {m.made("Neg", {square})})), (Range{0, 1}));
}

TEST(ValueDomains, ArithmeticWithConstantsOfKnownSigns) {
  DomainSketch m;
  const TensorId p = m.made("Sigmoid", {m.x});
  EXPECT_EQ(m.of(m.made("Add", {p, m.constant({}, {2})})), (Range{2, 3}));
  EXPECT_EQ(m.of(m.made("Sub", {m.constant({}, {1}), p})), (Range{0, 1}));
  EXPECT_EQ(m.of(m.made("Mul", {p, m.constant({3}, {-2, 0.5, 1})})), (Range{-2, 1}));
  EXPECT_EQ(m.of(m.made("Div", {m.constant({}, {1}), m.made("Add", {p, m.constant({}, {1})})})), (Range{0.5, 1}));
  EXPECT_EQ(m.of(m.made("MatMul", {p, m.constant({3, 2}, {1, 2, 3, 0, 1, 1})}, {1, 2})), (Range{0, 9}));
  EXPECT_EQ(m.of(m.made("Clip", {m.x, m.constant({}, {-2}), m.constant({}, {5})})), (Range{-2, 5}));
  EXPECT_EQ(m.of(m.made("Max", {m.x, m.constant({}, {1})})), (Range{1, kInfinity}));
  EXPECT_EQ(m.of(m.made("Sub", {p, m.x})), (Range{-kInfinity, kInfinity}));
}

TEST(ValueDomains, MovementsKeepIntervalsAndPadsAddZeros) {
  DomainSketch m;
  const TensorId p = m.made("Clip", {m.x, m.constant({}, {2}), m.constant({}, {3})});
  EXPECT_EQ(m.of(m.made("Transpose", {p}, {3, 1})), (Range{2, 3}));
  EXPECT_EQ(m.of(m.made("Concat", {p, m.made("Relu", {m.x})}, {1, 6}, {{"axis", std::int64_t{1}}})),
            (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Pad", {p}, {1, 4})).lowest, 0);
}

TEST(ValueDomains, DistancesWrittenOutByConvertersAreNotNegative) {
  // |x|² - 2 w·x + |w|², as k-means and nearest neighbours are exported.
  const std::vector<double> centres{1, -2, 0.5, 3, 0.25, -1};
  const std::vector<double> norms{5.25, 10.0625};
  DomainSketch m;
  const TensorId squares = m.made("ReduceSumSquare", {m.x}, {1, 1}, kKeep);
  const TensorId products =
      m.made("Gemm", {m.x, m.constant({2, 3}, centres)}, {1, 2}, {{"alpha", -2.0}, {"transB", std::int64_t{1}}});
  const TensorId sum = m.made("Add", {squares, products}, {1, 2});
  EXPECT_EQ(m.of(m.made("Add", {m.constant({2}, norms), sum}, {1, 2})), (Range{0, kInfinity}));
  EXPECT_EQ(m.of(m.made("Add", {m.constant({2}, {6.25, 11.0625}), sum}, {1, 2})).lowest, 1) << "one more everywhere";
  EXPECT_EQ(m.of(m.made("Add", {m.constant({2}, {4.25, 10.0625}), sum}, {1, 2})).lowest, -1) << "no distance";
  EXPECT_EQ(m.of(products).lowest, -kInfinity);
}

TEST(ValueDomains, DistancesByNegatedAndHalvedProducts) {
  DomainSketch m;
  const TensorId squares = m.made("Mul", {m.x, m.x});
  const TensorId sum = m.made("ReduceSum", {squares}, {1, 1}, kKeep);
  const TensorId product = m.made("MatMul", {m.x, m.constant({3, 2}, {1, 3, -2, 0.25, 0.5, -1})}, {1, 2});
  const TensorId twice = m.made("Mul", {m.constant({}, {2}), product}, {1, 2});
  const TensorId without = m.made("Sub", {sum, twice}, {1, 2});
  EXPECT_EQ(m.of(m.made("Add", {without, m.constant({1, 2}, {5.25, 10.0625})}, {1, 2})), (Range{0, kInfinity}));
}

TEST(ValueDomains, DomainsOfFunctions) {
  DomainSketch m;
  const auto domain = [&](const std::string& op, std::vector<TensorId> inputs, std::size_t input) {
    m.made(op, std::move(inputs));
    return domain_of(m.graph, m.graph.nodes.back(), input);
  };
  EXPECT_EQ(domain("Sqrt", {m.x}, 0).operand, (Range{0, kInfinity}));
  EXPECT_FALSE(domain("Sqrt", {m.x}, 0).off_zero);
  EXPECT_TRUE(domain("Log", {m.x}, 0).off_zero);
  EXPECT_EQ(domain("Acos", {m.x}, 0).operand, (Range{-1, 1}));
  EXPECT_TRUE(domain("Div", {m.x, m.x}, 1).off_zero);
  EXPECT_FALSE(domain("Div", {m.x, m.x}, 0).off_zero);
  EXPECT_EQ(domain("Pow", {m.x, m.constant({}, {1.5})}, 0).operand, (Range{0, kInfinity}));
  EXPECT_EQ(domain("Pow", {m.x, m.constant({}, {2})}, 0).operand, (Range{-kInfinity, kInfinity}));
  EXPECT_TRUE(domain("Pow", {m.x, m.constant({}, {-1})}, 0).off_zero);
}

}  // namespace
}  // namespace tacit::graph::passes
