#include "graph/passes/fold.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

Network folded(const Graph& graph) { return fold(linearise(recognise(graph))); }

std::vector<double> network_output(const Network& network, const Tensor& input) {
  return evaluate(network, {input}).at(network.outputs.at(0));
}

TEST(Fold, SumsOfATensorWithItselfAreOneFactor) {
  Sketch s;
  TensorId x = s.input({1, 2});
  for (int i = 0; i < 64; ++i) x = s.node("Add", {x, x}, {1, 2});
  s.output(x);
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network_output(network, {{1, 2}, {1, -0.5}}), (std::vector<double>{0x1p64, -0x1p63}));
  EXPECT_LE(network.values[1].op.size(), 100U);
  EXPECT_TRUE(network.values[1].op.starts_with("Add+Add+"));
}

TEST(Fold, LongChainsOfMovementsAreOneGather) {
  Sketch s;
  TensorId x = s.input({2, 3});
  for (int i = 0; i < 5001; ++i)
    x = s.node("Transpose", {x}, i % 2 == 0 ? Shape{3, 2} : Shape{2, 3}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  s.output(x);
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network_output(network, {{2, 3}, {1, 2, 3, 4, 5, 6}}), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  const auto& affine = std::get<Affine>(network.values[1].operation);
  layout::RowEntries entries;
  affine.terms.at(0).op->append_row(1, entries);
  EXPECT_EQ(entries.columns, std::vector<layout::Index>{3});
}

TEST(Fold, NamesOperandsOnce) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId a = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId b = s.node("Neg", {x}, {1, 2});
  s.output(s.node("Add", {a, b}, {1, 2}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network.values[1].op, "Neg+MatMul+Add");
  EXPECT_EQ(network_output(network, {{1, 2}, {1, 10}}), (std::vector<double>{30, 32}));
}

TEST(Fold, ConstantsOfTheInnerMapAreCarriedOver) {
  for (const std::vector<double>& shift : {std::vector<double>{1, 1}, {0, 0}, {2, -1}}) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId moved = s.node("Add", {x, s.constant({1, 2}, shift)}, {1, 2});
    const TensorId product = s.node("MatMul", {moved, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
    s.output(s.node("Add", {product, s.constant({1, 2}, {1, 1})}, {1, 2}));
    const Network network = folded(s.graph);
    ASSERT_EQ(network.values.size(), 2U);
    // (1 + a, 10 + b) W + (1, 1), of which 31 and 42 are (1, 10) W without constants.
    EXPECT_EQ(network_output(network, {{1, 2}, {1, 10}}),
              (std::vector<double>{32 + shift[0] + 3 * shift[1], 43 + 2 * shift[0] + 4 * shift[1]}));
  }
}

// A composition of the two would stream 2^33 entries.
TEST(Fold, MapsThatAreDearToComposeStayTwo) {
  Sketch s;
  const TensorId x = s.input({1, 2048});
  const std::vector<double> ones(2048 * 2048, 1.0 / 2048);
  const TensorId w = s.constant({2048, 2048}, ones);
  const TensorId a = s.node("MatMul", {x, w}, {1, 2048});
  s.output(s.node("MatMul", {a, w}, {1, 2048}));
  EXPECT_EQ(folded(s.graph).values.size(), 3U);
}

TEST(Fold, TwoSmallMatricesAreOne) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId a = s.node("MatMul", {x, s.constant({2, 3}, {1, 2, 3, 4, 5, 6})}, {1, 3});
  s.output(s.node("MatMul", {a, s.constant({3, 2}, {1, -1, 2, 0, 3, 1})}, {1, 2}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network_output(network, {{1, 2}, {1, 10}}), (std::vector<double>{41 + 2 * 52 + 3 * 63, -41 + 63}));
}

// The first matrix is multiplied once, and not in both readers. An operator that only moves elements costs nothing.
TEST(Fold, MatricesThatTwoReadStayAndMovementsDoNot) {
  const auto values = [](bool moves) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId inner = s.node(
        "MatMul", {x, s.constant({2, 2}, moves ? std::vector<double>{0, 1, 1, 0} : std::vector<double>{1, 2, 3, 4})},
        {1, 2});
    s.output(s.node("MatMul", {inner, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2}));
    s.output(s.node("MatMul", {inner, s.constant({2, 2}, {5, 6, 7, 8})}, {1, 2}));
    return folded(s.graph).values.size();
  };
  EXPECT_EQ(values(false), 4U);
  EXPECT_EQ(values(true), 3U);
}

// A row of 2049 times 2048 entries, though there is one alone.
TEST(Fold, LongRowsAreNotComposed) {
  Sketch s;
  const TensorId x = s.input({1, 2049});
  const TensorId a =
      s.node("MatMul", {x, s.constant({2049, 2048}, std::vector<double>(2049 * 2048, 1.0 / 2048))}, {1, 2048});
  s.output(s.node("MatMul", {a, s.constant({2048, 1}, std::vector<double>(2048, 1.0))}, {1, 1}));
  EXPECT_EQ(folded(s.graph).values.size(), 3U);
}

// A reshape is no value, and the readers of its result count as readers of its operand.
TEST(Fold, ReadersBehindAReshapeCountAsThoseInFrontOfIt) {
  const auto values = [](int readers) {
    Sketch s;
    const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
    const TensorId turned = s.node("Reshape", {h, s.constant({2}, {2, 1})}, {2, 1});
    for (int r = 0; r < readers; ++r)
      s.output(s.node("MatMul", {s.constant({2, 2}, {5, 6, 7, 8.0 + r}), turned}, {2, 1}));
    const Network network = folded(s.graph);
    EXPECT_EQ(network_output(network, {{1, 2}, {1, 10}}), (std::vector<double>{5 * 31 + 6 * 42, 7 * 31 + 8 * 42}));
    return network.values.size();
  };
  EXPECT_EQ(values(1), 2U);
  EXPECT_EQ(values(2), 4U);
}

TEST(Fold, KeepsReshapesThatAreOutputsOrAskedFor) {
  Sketch s;
  const TensorId turned = s.node("Reshape", {s.input({1, 2}), s.constant({1}, {2})}, {2});
  const TensorId sum = s.node("Add", {turned, s.constant({2}, {1, 2})}, {2});
  s.output(s.node("Mul", {sum, s.constant({2}, {2, 3})}, {2}));
  EXPECT_EQ(folded(s.graph).values.size(), 2U);
  const Network linear = linearise(recognise(s.graph));
  EXPECT_EQ(fold(linear, {turned}).values.size(), 3U);
  EXPECT_EQ(fold(linear, {turned, sum}).values.size(), 4U);
  EXPECT_EQ(network_output(fold(linear, {turned, sum}), {{1, 2}, {1, 10}}), (std::vector<double>{4, 36}));
  s.output(turned);
  const Network network = folded(s.graph);
  EXPECT_EQ(network.values.size(), 3U);
  EXPECT_EQ(network.values[network.outputs.at(1)].shape, (Shape{2}));
}

TEST(Fold, FactorsOfAProductTakeTheShapeOfTheLeftOne) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({2}, "y");
  const TensorId turned = s.node("Reshape", {x, s.constant({1}, {2})}, {2});
  s.output(s.node("Mul", {turned, y}, {2}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 4U);
  EXPECT_EQ(network.values[2].shape, (Shape{1, 2}));
  EXPECT_EQ(network.values[3].shape, (Shape{1, 2}));
  EXPECT_EQ(evaluate(network, {{{1, 2}, {3, 4}}, {{2}, {5, 6}}}).at(3), (std::vector<double>{15, 24}));
}

TEST(Fold, NodesWhoseWeightsCancelAreRefusedByName) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Sub", {x, x}, {1, 2}));
  EXPECT_EQ(base::refusal([&] { folded(s.graph); }),
            "node 'Sub0' (Sub): all its weights are zero or cancel, so that it is a constant and there is nothing to "
            "compute on encrypted values; replace it by that constant");
}

TEST(Fold, MovementsBehindPaddingAreOneGatherAndItsConstants) {
  Sketch s;
  const TensorId padded = s.node("Pad", {s.input({2}), s.constant({2}, {1, 2}), s.constant({}, {9})}, {5});
  s.output(s.node("Gather", {padded, s.constant({5}, {4, 1, 2, 0, 1})}, {5}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network_output(network, {{2}, {3, 4}}), (std::vector<double>{9, 3, 4, 9, 3}));
  const auto& affine = std::get<Affine>(network.values[1].operation);
  layout::RowEntries entries;
  affine.terms.at(0).op->append_row(0, entries);
  EXPECT_EQ(entries.size(), 0U) << "a constant alone";
  affine.terms.at(0).op->append_row(2, entries);
  EXPECT_EQ(entries.columns, std::vector<layout::Index>{1});
  EXPECT_EQ(entries.weights, std::vector<double>{1});
}

TEST(Fold, MatricesOfOnesAreNoMovementsAndWeighedOnesAre) {
  const auto values = [](const std::vector<double>& inner) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId h = s.node("MatMul", {x, s.constant({2, 2}, inner)}, {1, 2});
    s.output(s.node("MatMul", {h, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2}));
    s.output(s.node("MatMul", {h, s.constant({2, 2}, {5, 6, 7, 8})}, {1, 2}));
    return folded(s.graph).values.size();
  };
  EXPECT_EQ(values({1, 1, 1, 1}), 4U) << "two entries a row: multiplied once, for both readers";
  EXPECT_EQ(values({0, 2, 3, 0}), 3U) << "one entry a row";
  EXPECT_EQ(values({0, 1, 0, 0}), 3U) << "one entry, or none";
}

TEST(Fold, MovementsOfRepeatedElementsKeepTheirFactor) {
  Sketch s;
  const TensorId x = s.input({2, 1});
  const TensorId twice = s.node("Mul", {x, s.constant({2}, {2, 2})}, {2, 2});
  s.output(s.node("Transpose", {twice}, {2, 2}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  EXPECT_EQ(network_output(network, {{2, 1}, {3, 5}}), (std::vector<double>{6, 10, 6, 10}));
}

TEST(Fold, MultiplesOfATensorAddUpElementByElement) {
  Sketch s;
  const TensorId x = s.input({3});
  const TensorId a = s.node("Mul", {x, s.constant({3}, {1, 2, 3})}, {3});
  s.output(s.node("Add", {a, s.node("Mul", {x, s.constant({3}, {10, 20, 50})}, {3})}, {3}));
  const Network network = folded(s.graph);
  ASSERT_EQ(network.values.size(), 2U);
  const auto& affine = std::get<Affine>(network.values[1].operation);
  ASSERT_EQ(affine.terms.size(), 1U);
  EXPECT_TRUE(affine.terms[0].op->diagonal().has_value()) << "factors alone";
  EXPECT_EQ(network_output(network, {{3}, {1, 2, 4}}), (std::vector<double>{11, 44, 212}));
}

/// One reader comes after the reshape, and one before it.
TEST(Fold, AReaderInFrontOfAReshapeCountsBesideThoseBehindIt) {
  Sketch s;
  const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId turned = s.node("Reshape", {h, s.constant({2}, {2, 1})}, {2, 1});
  s.output(s.node("MatMul", {s.constant({2, 2}, {5, 6, 7, 8}), turned}, {2, 1}));
  s.output(s.node("MatMul", {h, s.constant({2, 2}, {5, 6, 7, 8})}, {1, 2}));
  const Network network = folded(s.graph);
  EXPECT_EQ(network.values.size(), 4U) << "the input, the matrix that both read, and theirs";
  EXPECT_EQ(network_output(network, {{1, 2}, {1, 10}}), (std::vector<double>{5 * 31 + 6 * 42, 7 * 31 + 8 * 42}));
}

/// Nodes on an image, whose maps are long and are never held.
struct Image : Sketch {
  TensorId at;
  explicit Image(const Shape& shape) : at(input(shape)) {}

  /// A convolution with one channel, with a kernel of ones.
  Image& convolved(const Shape& kernel, const Shape& out) {
    at = node("Conv", {at, constant(kernel, std::vector<double>(static_cast<std::size_t>(element_count(kernel)), 1))},
              out);
    return *this;
  }
  /// Means of pairs beside each other.
  Image& halved(const Shape& out) {
    const std::vector<std::int64_t> pair{1, 2};
    at = node("AveragePool", {at}, out, {{"kernel_shape", pair}, {"strides", pair}});
    return *this;
  }
  Image& turned(const Shape& out) {
    at = node("Transpose", {at}, out, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
    return *this;
  }
  std::size_t values() {
    output(at);
    return folded(graph).values.size();
  }
};

// Rows of 512 * 2 entries, of which 512 * 512 rows make 2^28, the most.
TEST(Fold, MapsAreComposedUpToABoundOfEntries) {
  const auto pooled = [](std::int64_t rows) {
    return Image({1, 1, rows + 15, 1055})
        .convolved({1, 1, 16, 32}, {1, 1, rows, 1024})
        .halved({1, 1, rows, 512})
        .values();
  };
  EXPECT_EQ(pooled(512), 2U);
  EXPECT_EQ(pooled(513), 3U);
  EXPECT_EQ(Image({1, 1, 528, 2110}).halved({1, 1, 528, 1055}).convolved({1, 1, 16, 32}, {1, 1, 513, 1024}).values(),
            3U)
      << "short rows first";
}

// Rows of 16 * 512 times 512 entries are 2^22, the most.
TEST(Fold, MapsAreComposedUpToABoundOfARow) {
  const auto values = [](std::int64_t kernel) {
    Sketch s;
    const TensorId x = s.input({1, 16, kernel + 511});
    const TensorId w = s.constant({1, 16, kernel}, std::vector<double>(static_cast<std::size_t>(16 * kernel), 1));
    const TensorId h = s.node("Conv", {x, w}, {1, 1, 512});
    s.output(s.node("AveragePool", {h}, {1, 1, 1}, {{"kernel_shape", std::vector<std::int64_t>{512}}}));
    return folded(s.graph).values.size();
  };
  EXPECT_EQ(values(512), 2U);
  EXPECT_EQ(values(513), 3U);
}

// Rows of 1024 entries, 512 * 513 of them: more than 2^28, but no more than the convolution alone has.
TEST(Fold, MovementsAreComposedWithMapsOfAnyLength) {
  EXPECT_EQ(Image({1, 1, 543, 544}).convolved({1, 1, 32, 32}, {1, 1, 512, 513}).turned({1, 1, 513, 512}).values(), 2U);
  EXPECT_EQ(Image({1, 1, 544, 543}).turned({1, 1, 543, 544}).convolved({1, 1, 32, 32}, {1, 1, 512, 513}).values(), 2U);
}

}  // namespace
}  // namespace tacit::graph::passes
