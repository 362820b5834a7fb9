#include "graph/onnx/batch_axes.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "graph/onnx/batch_rows.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::onnx {
namespace {

using passes::Sketch;
using Axes = BatchAxes::Axes;
using Integers = std::vector<std::int64_t>;

/// Draws a model that holds so many rows.
using Draw = std::function<void(Sketch&, std::int64_t)>;

Graph drawn(const Draw& draw, std::int64_t rows) {
  Sketch s;
  draw(s, rows);
  return s.graph;
}

/// What is told of the last node of a model.
struct Told {
  bool mixes, keeps_apart;
  bool operator==(const Told&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Told& told) {
  return out << "mixes " << told.mixes << ", keeps apart " << told.keeps_apart;
}
constexpr Told kMixes{true, false}, kApart{false, true}, kUntold{false, false};

Told told(const Draw& draw) {
  const Graph one = drawn(draw, 1), several = drawn(draw, kSeveralRows);
  const BatchAxes axes(one, several);
  return {axes.mixes(one.nodes.back()), axes.keeps_apart(one.nodes.back())};
}

/// Of a node on rows of four numbers and constants behind them, whose result has rows of `columns`.
Told of_rows(const std::string& op, const std::vector<std::vector<double>>& constants, std::int64_t columns = 4,
             const std::map<std::string, Attribute>& attributes = {}) {
  return told([&](Sketch& s, std::int64_t rows) {
    std::vector<TensorId> inputs{s.input({rows, 4})};
    for (const std::vector<double>& data : constants)
      inputs.push_back(s.constant({static_cast<std::int64_t>(data.size())}, data));
    s.node(op, inputs, {rows, columns}, attributes);
  });
}

std::map<std::string, Attribute> axis(std::int64_t at) { return {{"axis", at}}; }

TEST(BatchAxes, AreThoseWhoseExtentsDiffer) {
  const Draw draw = [](Sketch& s, std::int64_t rows) {
    const TensorId x = s.input({rows, 3});
    const TensorId turned = s.node("Transpose", {x}, {3, rows}, {{"perm", Integers{1, 0}}});
    s.node("MatMul", {x, turned}, {rows, rows});
    s.constant({3}, {1, 2, 3});
  };
  const Graph one = drawn(draw, 1);
  Graph several = drawn(draw, kSeveralRows);
  const BatchAxes axes(one, several);
  EXPECT_EQ(axes.of(0), Axes{0});
  EXPECT_EQ(axes.of(1), Axes{1});
  EXPECT_EQ(axes.of(2), (Axes{0, 1}));
  EXPECT_EQ(axes.of(3), Axes{});
  several.tensors[0].name = "another";
  several.tensors[1].shape = {9};
  const BatchAxes changed(one, several);
  EXPECT_EQ(changed.of(0), std::nullopt) << "the other graph does not hold it";
  EXPECT_EQ(changed.of(1), std::nullopt) << "the other graph holds it with one axis";
  EXPECT_EQ(changed.of(2), (Axes{0, 1}));
}

TEST(BatchAxes, ANodeAlongTheBatchMixesRows) {
  EXPECT_EQ(of_rows("Softmax", {}, 4, axis(1)).mixes, false);
  EXPECT_EQ(of_rows("Softmax", {}, 4, axis(0)).mixes, true);
  EXPECT_EQ(of_rows("Softmax", {}, 4, axis(-1)).mixes, false);
  EXPECT_EQ(of_rows("Softmax", {}, 4, axis(-2)).mixes, true);
  EXPECT_EQ(of_rows("LayerNormalization", {{1, 1, 1, 1}}, 4, axis(1)), kApart);
  EXPECT_EQ(of_rows("LayerNormalization", {{1, 1, 1, 1}}, 4, axis(0)).mixes, true);
  EXPECT_EQ(of_rows("CumSum", {{1}}), kUntold);
  EXPECT_EQ(of_rows("CumSum", {{0}}), kMixes);
  EXPECT_EQ(of_rows("CumSum", {{-2}}), kMixes);
  // Along which axis is not known.
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              s.node("CumSum", {s.input({rows, 4}), s.input({rows}, "k")}, {rows, 4});
            }),
            kUntold);
  const auto means = [](const std::map<std::string, Attribute>& attributes) {
    return told([&](Sketch& s, std::int64_t rows) {
      s.node("MeanVarianceNormalization", {s.input({rows, 2, 3, 3})}, {rows, 2, 3, 3}, attributes);
    });
  };
  EXPECT_EQ(means({}), kMixes) << "batch, rows and columns are the default";
  EXPECT_EQ(means({{"axes", Integers{2, 3}}}), kUntold);
  EXPECT_EQ(means({{"axes", Integers{-4}}}), kMixes);
}

TEST(BatchAxes, AResultWithoutTheBatchOrForPairsOfRowsMixesThem) {
  const auto made = [](const char* op, const std::function<Shape(std::int64_t)>& shape) {
    return told([&](Sketch& s, std::int64_t rows) { s.node(op, {s.input({rows, 4})}, shape(rows)); }).mixes;
  };
  EXPECT_TRUE(made("ReduceMean", [](std::int64_t) { return Shape{1, 4}; }));
  EXPECT_TRUE(made("Einsum", [](std::int64_t rows) { return Shape{rows, rows}; }));
  EXPECT_FALSE(made("ReduceMean", [](std::int64_t rows) { return Shape{rows, 1}; }));
  EXPECT_FALSE(made("Reshape", [](std::int64_t) { return Shape{1, 4}; })) << "an exporter's: the model holds one row";
  // What reads no rows mixes none.
  EXPECT_FALSE(told([](Sketch& s, std::int64_t rows) {
                 s.input({rows, 4});
                 s.node("Softmax", {s.constant({2, 2}, {1, 2, 3, 4})}, {2, 2}, axis(0));
               }).mixes);
}

// The first operand has other axes with several rows: which of them are the batch is not to be seen.
TEST(BatchAxes, WhatCannotBeFollowedIsNotSurelyMixed) {
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              const TensorId unlike = s.input(rows == 1 ? Shape{1, 4} : Shape{4 * rows});
              s.node("Add", {unlike, s.input({rows, 4}, "z")}, {rows, 4});
            }),
            kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              s.node("Softmax", {kNoTensor, s.input({rows, 4})}, {rows, 4}, axis(0));
            }).mixes,
            false);
}

TEST(BatchAxes, ElementwiseNodesKeepRowsApartWhereTheBatchIsInFront) {
  EXPECT_EQ(of_rows("Relu", {}), kApart);
  EXPECT_EQ(of_rows("Add", {{1, 2, 3, 4}}), kApart);
  EXPECT_EQ(of_rows("Trilu", {}), kUntold);
  EXPECT_EQ(of_rows("Frobnicate", {}), kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) { s.node("Relu", {s.input({4, rows})}, {4, rows}); }), kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) { s.node("Relu", {s.input({rows, 4})}, {4, rows}); }), kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) { s.node("Relu", {s.input({4, rows})}, {rows, 4}); }), kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              s.node("Relu", {s.input({2 * rows, 4})}, {2 * rows, 4});
            }),
            kUntold)
      << "two rows for each of the batch";
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              s.node("Clip", {s.input({rows, 4}), kNoTensor, s.constant({}, {6})}, {rows, 4});
            }),
            kApart);
}

TEST(BatchAxes, ConstantsThatAreMadeFromTheNumberOfRowsLeaveItOpen) {
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              s.node("Div", {s.input({rows, 4}), s.constant({1}, {static_cast<double>(rows)})}, {rows, 4});
            }),
            kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              const TensorId x = s.input({rows, 4});
              s.node("Div", {x, rows == 1 ? s.constant({1}, {1}) : s.input({1}, "k1")}, {rows, 4});
            }),
            kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              const TensorId x = s.input({rows, 4});
              if (rows > 1) s.input({1}, "between");  // the constant has another name then
              s.node("Div", {x, s.constant({1}, {2})}, {rows, 4});
            }),
            kUntold);
}

TEST(BatchAxes, ProductsKeepRowsApartWhereAConstantIsOnTheRight) {
  const std::vector<double> weights(8, 1.0);
  const auto product = [&](const char* op, bool rows_first, const std::map<std::string, Attribute>& attributes = {}) {
    return told([&](Sketch& s, std::int64_t rows) {
      const TensorId x = s.input({rows, 4}), w = s.constant({4, 2}, weights);
      s.node(op, rows_first ? std::vector{x, w} : std::vector{w, x}, {rows, 2}, attributes);
    });
  };
  for (const char* op : {"MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"}) {
    EXPECT_EQ(product(op, true), kApart) << op;
    EXPECT_EQ(product(op, false), kUntold) << op;
  }
  EXPECT_EQ(product("Gemm", true, {{"transA", std::int64_t{1}}}), kUntold);
  EXPECT_EQ(product("Gemm", true, {{"transB", std::int64_t{1}}}), kApart);
  const auto of_two = [](bool left_matrices, bool right_matrices) {
    return told([&](Sketch& s, std::int64_t rows) {
      const TensorId left = s.input(left_matrices ? Shape{rows, 2, 2} : Shape{rows, 2}, "left"),
                     right = s.input(right_matrices ? Shape{rows, 2, 2} : Shape{rows, 2}, "right");
      s.node("MatMul", {left, right}, {rows, 2, 2});
    });
  };
  EXPECT_EQ(of_two(true, true), kApart) << "a product of matrices for every row";
  EXPECT_EQ(of_two(true, false), kUntold);
  EXPECT_EQ(of_two(false, true), kUntold);
  EXPECT_EQ(of_two(false, false), kUntold);
}

TEST(BatchAxes, MovementsKeepRowsApartWhereTheyMoveNothingAlongTheBatch) {
  EXPECT_EQ(of_rows("Transpose", {}, 4, {{"perm", Integers{0, 1}}}), kApart);
  EXPECT_EQ(of_rows("Transpose", {}, 4, {{"perm", Integers{1, 0}}}), kUntold);
  EXPECT_EQ(of_rows("Transpose", {}), kUntold) << "which turns all axes round";
  for (const char* op : {"Concat", "Split"}) {
    EXPECT_EQ(of_rows(op, {}, 4, axis(1)), kApart) << op;
    EXPECT_EQ(of_rows(op, {}, 4, axis(-1)), kApart) << op;
    EXPECT_EQ(of_rows(op, {}, 4, axis(0)), kUntold) << op;
    EXPECT_EQ(of_rows(op, {}, 4, axis(-2)), kUntold) << op;
  }
  EXPECT_EQ(of_rows("Gather", {{0, 2}}, 2, axis(1)), kApart);
  EXPECT_EQ(of_rows("Gather", {{0, 2}}, 2, axis(-1)), kApart);
  EXPECT_EQ(of_rows("Gather", {{0}}, 4, axis(0)), kUntold);
  EXPECT_EQ(of_rows("Gather", {{0}}, 4, axis(-2)), kUntold);
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              const TensorId table = s.constant({5, 4}, std::vector<double>(20, 1));
              s.node("Gather", {table, s.input({rows})}, {rows, 4}, axis(1));
            }),
            kUntold)
      << "rows choose";
}

TEST(BatchAxes, SlicesAndPadsKeepRowsApartWhereTheyLeaveTheBatchWhole) {
  const std::vector<double> starts{0}, ends{2};
  EXPECT_EQ(of_rows("Slice", {starts, ends, {1}}, 2), kApart);
  EXPECT_EQ(of_rows("Slice", {starts, ends, {-1}}, 2), kApart);
  EXPECT_EQ(of_rows("Slice", {starts, ends, {1}, {1}}, 2), kApart);
  EXPECT_EQ(of_rows("Slice", {starts, ends, {0}}), kUntold);
  EXPECT_EQ(of_rows("Slice", {starts, ends, {-2}}), kUntold);
  EXPECT_EQ(of_rows("Slice", {{0, 0}, {2, 2}, {1, 0}}), kUntold);
  EXPECT_EQ(of_rows("Slice", {starts, ends}), kUntold) << "of the first axes where none are named";
  EXPECT_EQ(told([](Sketch& s, std::int64_t rows) {
              const TensorId x = s.input({rows, 4}), zero = s.constant({1}, {0}), one = s.constant({1}, {1});
              s.node("Slice", {x, zero, one, kNoTensor, one}, {rows, 4});
            }),
            kUntold);
  EXPECT_EQ(of_rows("Pad", {{0, 1, 0, 2}}, 7), kApart);
  EXPECT_EQ(of_rows("Pad", {{1, 1, 0, 2}}, 7), kUntold);
  EXPECT_EQ(of_rows("Pad", {{0, 1, 1, 2}}, 7), kUntold);
  EXPECT_EQ(of_rows("Pad", {{0, 1, 0}}, 7), kUntold);
  EXPECT_EQ(of_rows("Pad", {{0, 1, 0, 2}, {9}}, 7), kUntold) << "what is padded with is not looked at";
}

}  // namespace
}  // namespace tacit::graph::onnx
