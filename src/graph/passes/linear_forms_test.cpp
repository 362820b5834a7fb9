#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/linear_nodes.h"
#include "graph/passes/linearise.h"
#include "graph/passes/operator_rows.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Attributes = std::map<std::string, Attribute>;

/// Numbers of which no two are the same: 1, 2.25, 3.5, ... and every third negative.
Reals uneven(const Shape& shape) {
  Reals numbers;
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    numbers.push_back((i % 3 == 1 ? -1 : 1) * (1 + 1.25 * static_cast<double>(i)));
  return numbers;
}

/// One node with one private operand.
struct OneNode : Sketch {
  TensorId weights(const Shape& shape) { return constant(shape, uneven(shape)); }
  OneNode& is(const std::string& op, const std::vector<TensorId>& inputs, const Shape& shape,
              const Attributes& attributes = {}) {
    output(node(op, inputs, shape, attributes));
    return *this;
  }
  LinearNode lowered() const { return linear_operator(graph, graph.nodes.at(0)); }
  /// Returns the node's map applied to numbers, with its bias.
  Reals of(const Reals& numbers) const {
    const LinearNode made = lowered();
    Reals result = apply(*made.op, numbers);
    for (std::size_t e = 0; e < result.size(); ++e) result[e] += made.bias[static_cast<layout::Index>(e)];
    return result;
  }
  /// Expects the same result as the model's.
  void expect_the_reference() const {
    const Shape& shape = graph.tensors[graph.inputs.at(0)].shape;
    const std::vector<Tensor> inputs{{shape, uneven(shape), false}};
    EXPECT_THAT(of(uneven(shape)), Pointwise(DoubleNear(1e-9), reference::run(graph, inputs).at(0).data));
    const LinearNode made = lowered();
    EXPECT_EQ(made.op->in_shape(), shape);
    EXPECT_EQ(made.op->out_shape(), graph.tensors[graph.outputs.at(0)].shape);
  }
  std::string refused() const {
    return base::refusal([&] { lowered(); });
  }
};

TEST(LinearForms, ConvolutionsOfEveryRankWithABiasByChannel) {
  OneNode line;
  line.is("Conv", {line.input({2, 2, 5}), line.weights({4, 1, 2}), line.weights({4})}, {2, 4, 2},
          {{"group", std::int64_t{2}}, {"dilations", Integers{2}}, {"strides", Integers{2}}});
  line.expect_the_reference();
  EXPECT_FALSE(line.lowered().bias.all_equal(0));

  OneNode plane;
  plane.is("Conv", {plane.input({2, 2, 3, 4}), plane.weights({3, 2, 2, 3}), plane.weights({3})}, {2, 3, 2, 3},
           {{"pads", Integers{0, 1, 0, 0}}});
  plane.expect_the_reference();

  OneNode space;
  space.is("Conv", {space.input({1, 1, 2, 3, 4}), space.weights({2, 1, 2, 1, 3})}, {1, 2, 1, 3, 2});
  space.expect_the_reference();
  EXPECT_TRUE(space.lowered().bias.all_equal(0));
}

TEST(LinearForms, TransposedConvolutionsSpreadTheInput) {
  OneNode s;
  s.is("ConvTranspose", {s.input({2, 2, 2, 3}), s.weights({2, 3, 2, 2}), s.weights({3})}, {2, 3, 4, 6},
       {{"strides", Integers{2, 2}}});
  s.expect_the_reference();
  OneNode groups;
  groups.is("ConvTranspose", {groups.input({1, 4, 3}), groups.weights({4, 1, 3})}, {1, 2, 4},
            {{"group", std::int64_t{2}}, {"pads", Integers{1, 0}}});
  groups.expect_the_reference();
}

TEST(LinearForms, WeightsThatDoNotFitAConvolutionAreRefused) {
  const auto convolution = [](const Shape& in, const Shape& weights, std::int64_t groups, std::int64_t out) {
    OneNode s;
    Shape shape = in;
    shape[1] = out;
    s.is("Conv", {s.input(in), s.weights(weights)}, shape, {{"group", groups}});
    return s;
  };
  EXPECT_EQ(convolution({1, 4, 3}, {2, 4, 1, 1}, 1, 2).refused(),
            "node 'Conv0' (Conv): the weights have another rank than the input");
  const std::string words = "node 'Conv0' (Conv): weights, groups and input channels do not fit";
  EXPECT_EQ(convolution({1, 4, 3}, {2, 2, 1}, 1, 2).refused(), words);
  EXPECT_EQ(convolution({1, 4, 3}, {3, 2, 1}, 2, 3).refused(), words);
  EXPECT_EQ(convolution({1, 4, 3}, {2, 3, 1}, 2, 2).refused(), words);
  convolution({1, 4, 3}, {2, 2, 1}, 2, 2).expect_the_reference();
  convolution({1, 4, 3}, {2, 4, 1}, 1, 2).expect_the_reference();

  for (const std::size_t encrypted : {1U, 2U}) {
    OneNode s;
    std::vector<TensorId> inputs{s.weights({1, 1, 3}), s.weights({1, 1, 1}), s.weights({1})};
    inputs[encrypted] = s.input(s.graph.tensors[inputs[encrypted]].shape);
    EXPECT_THAT(s.is("Conv", inputs, {1, 1, 3}).refused(),
                HasSubstr("node 'Conv0' (Conv): an encrypted weight has no encrypted form"));
  }
}

TEST(LinearForms, PoolsAverageWhatTheirWindowsHold) {
  const Attributes window{
      {"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}};
  for (const bool count_padding : {false, true}) {
    OneNode s;
    Attributes attributes = window;
    attributes["count_include_pad"] = std::int64_t{count_padding};
    s.is("AveragePool", {s.input({1, 1, 2, 2})}, {1, 1, 2, 2}, attributes);
    // Every window holds one element and three of the padding.
    EXPECT_EQ(s.of({4, 8, 12, 16}), (count_padding ? Reals{1, 2, 3, 4} : Reals{4, 8, 12, 16}));
  }
  OneNode wide;
  wide.is("AveragePool", {wide.input({2, 2, 5})}, {2, 2, 2}, {{"kernel_shape", Integers{3}}, {"strides", Integers{2}}});
  wide.expect_the_reference();

  OneNode whole;
  whole.is("GlobalAveragePool", {whole.input({2, 3, 2, 2})}, {2, 3, 1, 1});
  whole.expect_the_reference();
  OneNode space;
  space.is("GlobalAveragePool", {space.input({1, 2, 2, 1, 2})}, {1, 2, 1, 1, 1});
  EXPECT_EQ(space.of({1, 2, 3, 6, 10, 20, 30, 40}), (Reals{3, 25}));
}

TEST(LinearForms, ReductionsTakeTheirAxesFromAttributesAndInputs) {
  const Reals numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // [2, 3, 2]
  const auto reduced = [&](const std::string& op, const Shape& shape, const Attributes& attributes,
                           const Reals& axes = {}) {
    OneNode s;
    std::vector<TensorId> inputs{s.input({2, 3, 2})};
    if (!axes.empty()) inputs.push_back(s.constant({static_cast<std::int64_t>(axes.size())}, axes));
    return s.is(op, inputs, shape, attributes).of(numbers);
  };
  EXPECT_EQ(reduced("ReduceSum", {1, 3, 2}, {}, {0}), (Reals{8, 10, 12, 14, 16, 18}));
  EXPECT_EQ(reduced("ReduceSum", {2, 3, 1}, {}, {-1}), (Reals{3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(reduced("ReduceSum", {2, 1, 1}, {}, {1, 2}), (Reals{21, 57}));
  EXPECT_EQ(reduced("ReduceSum", {2, 1, 1}, {}, {1, -1, 2, -2}), (Reals{21, 57})) << "an axis counts once";
  EXPECT_EQ(reduced("ReduceSum", {1, 1, 1}, {}), Reals{78});
  EXPECT_EQ(reduced("ReduceSum", {2, 3, 2}, {{"noop_with_empty_axes", std::int64_t{1}}}), numbers);
  EXPECT_THAT(reduced("ReduceMean", {2, 1, 1}, {{"axes", Integers{1, 2}}}), Pointwise(DoubleNear(1e-12), {3.5, 9.5}));
  EXPECT_THAT(reduced("ReduceMean", {2}, {{"axes", Integers{-2, 2}}, {"keepdims", std::int64_t{0}}}),
              Pointwise(DoubleNear(1e-12), {3.5, 9.5}));
  EXPECT_THAT(reduced("ReduceMean", {1, 3, 1}, {{"axes", Integers{0, 2}}}),
              Pointwise(DoubleNear(1e-12), {4.5, 6.5, 8.5}));
  EXPECT_THAT(reduced("ReduceMean", {}, {}), Pointwise(DoubleNear(1e-12), {6.5}));

  OneNode beyond;
  EXPECT_EQ(beyond.is("ReduceSum", {beyond.input({2, 3}), beyond.constant({1}, {2})}, {2, 3}).refused(),
            "node 'ReduceSum0' (ReduceSum): axis 2 is outside [-2, 2) of a tensor of rank 2");
  OneNode encrypted;
  const TensorId x = encrypted.input({2, 3}), axes = encrypted.input({1}, "axes");
  EXPECT_THAT(encrypted.is("ReduceSum", {x, axes}, {1, 3}).refused(),
              HasSubstr("node 'ReduceSum0' (ReduceSum): an encrypted list of axes has no encrypted form"));
}

/// [rows, columns], or the transpose.
Shape turned(std::int64_t rows, std::int64_t columns, bool transposed) {
  return transposed ? Shape{columns, rows} : Shape{rows, columns};
}

TEST(LinearForms, MatrixProductsInEveryOrientation) {
  for (const bool left : {false, true})
    for (const bool a_turned : {false, true})
      for (const bool b_turned : {false, true}) {
        SCOPED_TRACE(testing::Message() << left << a_turned << b_turned);
        OneNode s;
        const Shape a = turned(2, 3, a_turned), b = turned(3, 4, b_turned);
        const TensorId first = left ? s.input(a) : s.weights(a), second = left ? s.weights(b) : s.input(b);
        s.is("Gemm", {first, second, s.weights({2, 1})}, {2, 4},
             {{"transA", std::int64_t{a_turned}}, {"transB", std::int64_t{b_turned}}, {"alpha", 0.5}, {"beta", -3.0}});
        s.expect_the_reference();
      }
  OneNode plain;
  plain.is("Gemm", {plain.input({1, 2}), plain.constant({2, 2}, {1, 2, 3, 4}), plain.constant({2}, {5, 6})}, {1, 2});
  EXPECT_EQ(plain.of({1, 10}), (Reals{36, 48})) << "scales of one";
  OneNode unbiased;
  unbiased.is("Gemm", {unbiased.input({1, 2}), unbiased.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  EXPECT_EQ(unbiased.of({1, 10}), (Reals{31, 42}));
}

TEST(LinearForms, AnEncryptedBiasOfAConstantProductIsRefused) {
  OneNode bias;
  const TensorId a = bias.weights({2, 2}), b = bias.weights({2, 2}), c = bias.input({2, 2});
  EXPECT_THAT(bias.is("Gemm", {a, b, c}, {2, 2}).refused(),
              HasSubstr("node 'Gemm0' (Gemm): an encrypted bias of a constant product has no encrypted form"));
}

TEST(LinearForms, StacksOfMatricesAreBroadcastOnEitherSide) {
  struct Stack {
    Shape a, b, product;
  };
  for (const auto& [a, b, product] :
       {Stack{{2, 3}, {3, 4}, {2, 4}}, Stack{{2, 1, 2, 3}, {3, 3, 4}, {2, 3, 2, 4}},
        Stack{{2, 2, 3}, {3, 4}, {2, 2, 4}}, Stack{{2, 3}, {2, 3, 4}, {2, 2, 4}}, Stack{{3}, {3, 2}, {2}},
        Stack{{2, 3}, {3}, {2}}, Stack{{3}, {3}, {}}, Stack{{3}, {2, 3, 4}, {2, 4}}, Stack{{2, 2, 3}, {3}, {2, 2}}})
    for (const bool left : {false, true}) {
      SCOPED_TRACE(testing::Message() << graph::to_text(a) << " by " << graph::to_text(b) << ", left " << left);
      OneNode s;
      const TensorId first = left ? s.input(a) : s.weights(a), second = left ? s.weights(b) : s.input(b);
      s.is("MatMul", {first, second}, product);
      s.expect_the_reference();
    }
}

TEST(LinearForms, MatricesWithoutAFormAreRefused) {
  const auto refused = [](const Shape& a, const Shape& b) {
    OneNode s;
    const TensorId x = s.input(a);
    return s.is("MatMul", {x, s.weights(b)}, {1}).refused();
  };
  const std::string scalar = "node 'MatMul0' (MatMul): a scalar operand is not a matrix";
  EXPECT_EQ(refused({}, {1, 1}), scalar);
  EXPECT_EQ(refused({1, 1}, {}), scalar);
  EXPECT_EQ(refused({2, 1, 1}, {3, 1, 1}), "node 'MatMul0' (MatMul): its batch dimensions do not broadcast");
}

}  // namespace
}  // namespace tacit::graph::passes
