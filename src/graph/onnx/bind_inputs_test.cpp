#include "graph/onnx/bind_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/refusal_for_test.h"
#include "graph/onnx/text_model.h"

namespace tacit::graph::onnx {
namespace {

using testing::HasSubstr;
using Dimension = ::onnx::TensorShapeProto_Dimension;

/// A model whose input x has an axis that was changed.
::onnx::ModelProto with_axis(int axis, const std::function<void(Dimension&)>& change) {
  ::onnx::ModelProto model =
      text_model("g (float[4, 2] x, float[3] z) => (float[4, 2] y, float[3] r) { y = Relu(x) r = Relu(z) }");
  change(*model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(
      axis));
  return model;
}

std::int64_t batch_of(const ::onnx::ModelProto& model) {
  return model.graph().input(0).type().tensor_type().shape().dim(0).dim_value();
}

const std::vector<std::function<void(Dimension&)>> kOpen{[](Dimension& dim) { dim.set_dim_param("N"); },
                                                         [](Dimension& dim) { dim.set_dim_value(-1); },
                                                         [](Dimension& dim) { dim.clear_dim_value(); }};

TEST(BindInputs, AnOpenBatchIsBoundHoweverItIsStated) {
  for (const auto& open : kOpen) {
    ::onnx::ModelProto model = with_axis(0, open);
    EXPECT_TRUE(bind_inputs(model, {}, 3));
    EXPECT_EQ(batch_of(model), 3);
  }
  ::onnx::ModelProto fixed = with_axis(0, [](Dimension& dim) { dim.set_dim_value(5); });
  EXPECT_FALSE(bind_inputs(fixed, {}, 3));
  EXPECT_EQ(batch_of(fixed), 5);
}

TEST(BindInputs, OtherAxesAreFixed) {
  for (const auto& open : kOpen) {
    ::onnx::ModelProto model = with_axis(1, open);
    EXPECT_THAT(base::refusal([&] { bind_inputs(model, {}, 1); }),
                HasSubstr(" is dynamic; only the leading batch axis may be"));
  }
  ::onnx::ModelProto unnamed = with_axis(1, kOpen[2]);
  EXPECT_THAT(base::refusal([&] { bind_inputs(unnamed, {}, 1); }), HasSubstr("axis 1 of input 'x' is dynamic"));
  for (const int axis : {0, 1}) {
    ::onnx::ModelProto empty = with_axis(axis, [](Dimension& dim) { dim.set_dim_value(0); });
    EXPECT_THAT(base::refusal([&] { bind_inputs(empty, {}, 1); }),
                HasSubstr("axis " + std::to_string(axis) + " of input 'x' has extent 0: there is nothing to encrypt"));
  }
}

TEST(BindInputs, ABoundTensorFitsTheAxesThatAreFixed) {
  const auto bound = [](const Shape& shape) {
    ::onnx::ModelProto model = with_axis(0, kOpen[0]);
    return base::refusal([&] {
      bind_inputs(model, {{"x", Tensor{shape, std::vector<double>(24, 1.0), false}}}, 1);
      EXPECT_EQ(batch_of(model), shape[0]);
    });
  };
  EXPECT_EQ(bound({12, 2}), base::kNotRefused);
  EXPECT_EQ(bound({1, 2}), base::kNotRefused);
  EXPECT_EQ(bound({12, 3}), "input 'x' is bound to a tensor of shape [12, 3], which does not fit the model");
  EXPECT_THAT(bound({24}), HasSubstr("a tensor of shape [24], which does not fit"));
  EXPECT_THAT(bound({12, 2, 1}), HasSubstr("a tensor of shape [12, 2, 1], which does not fit"));
  ::onnx::ModelProto shapeless = with_axis(0, kOpen[0]);
  shapeless.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_FALSE(bind_inputs(shapeless, {{"x", Tensor{{7}, std::vector<double>(7, 1.0), false}}}, 1));
  EXPECT_EQ(batch_of(shapeless), 7);
}

TEST(BindInputs, RowsFixAxesThatNothingElseFixes) {
  for (const auto& open : kOpen) {
    ::onnx::ModelProto model = with_axis(1, open);
    const BatchBinding bound = bind_inputs(model, {}, 1, {}, {{7}, {}});
    EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 7);
    EXPECT_EQ(bound.of_rows, (std::map<std::string, Shape>{{"x", {4, 7}}}));
  }
  ::onnx::ModelProto shaped = with_axis(1, kOpen[0]);
  EXPECT_TRUE(bind_inputs(shaped, {}, 1, {{"x", {4, 5}}}, {{7}, {}}).of_rows.empty());
  EXPECT_EQ(shaped.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 5);
  ::onnx::ModelProto fixed = with_axis(0, kOpen[0]);
  EXPECT_TRUE(bind_inputs(fixed, {}, 1, {}, {{7}, {}}).of_rows.empty());
  EXPECT_EQ(fixed.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 2) << "of the model";
  ::onnx::ModelProto flat = with_axis(1, kOpen[0]);
  EXPECT_THAT(base::refusal([&] { bind_inputs(flat, {}, 1, {}, {{7, 3}, {}}); }), HasSubstr("is dynamic"));
  ::onnx::ModelProto empty = with_axis(1, kOpen[0]);
  EXPECT_THAT(base::refusal([&] { bind_inputs(empty, {}, 1, {}, {{0}, {}}); }), HasSubstr("extent 0"));
}

TEST(BindInputs, ShapesFixOpenAxes) {
  const auto open = [](Dimension& dim) { dim.set_dim_param("height"); };
  ::onnx::ModelProto model = with_axis(1, open);
  EXPECT_FALSE(bind_inputs(model, {}, 1, {{"x", {4, 7}}}));
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 7);
  const auto refused = [&](const Shape& shape, const std::string& name = "x") {
    ::onnx::ModelProto again = with_axis(1, open);
    return base::refusal([&] { bind_inputs(again, {}, 1, {{name, shape}}); });
  };
  EXPECT_THAT(refused({4, 7, 1}),
              HasSubstr("the shape [4, 7, 1] given for input 'x' has 3 axes, and the model's has 2"));
  EXPECT_THAT(refused({5, 7}), HasSubstr("has 5 on axis 0, and the model fixes 4 there"));
  EXPECT_THAT(refused({4, 0}), HasSubstr("has an extent below 1"));
  EXPECT_THAT(refused({1}, "image"), HasSubstr("--shape x=1"));
  EXPECT_THAT(base::refusal([&] {
                ::onnx::ModelProto fixed = with_axis(1, [](Dimension& dim) { dim.set_dim_value(2); });
                bind_inputs(fixed, {}, 1, {{"image", {1}}});
              }),
              HasSubstr("a shape is given for 'image', which is no private input of the model"));
}

TEST(BindInputs, ALeadingOneTakesABatchApartAndAnotherExtentFixesIt) {
  ::onnx::ModelProto fixed = with_axis(0, [](Dimension& dim) { dim.set_dim_value(4); });
  const BatchBinding apart = bind_inputs(fixed, {}, 3, {{"x", {1, 2}}});
  EXPECT_TRUE(apart.open);
  EXPECT_TRUE(apart.taken_apart);
  EXPECT_EQ(batch_of(fixed), 3);
  ::onnx::ModelProto open = with_axis(0, kOpen[0]);
  EXPECT_FALSE(bind_inputs(open, {}, 3, {{"x", {8, 2}}}).open);
  EXPECT_EQ(batch_of(open), 8);
  ::onnx::ModelProto one = with_axis(0, kOpen[0]);
  const BatchBinding symbolic = bind_inputs(one, {}, 3, {{"x", {1, 2}}});
  EXPECT_TRUE(symbolic.open);
  EXPECT_FALSE(symbolic.taken_apart);
  EXPECT_EQ(batch_of(one), 3);
}

TEST(BindInputs, ANumberFillsTheShapeOfItsInput) {
  const ::onnx::ModelProto model =
      text_model("g (float[N, 2] x, int64[1] sr, float[2, 2] w) => (float y) { y = Relu(x) }");
  const std::map<std::string, Tensor> all = filled(model, {{"sr", {{}, {16000}, false}}, {"w", {{}, {0.5}, false}}});
  EXPECT_EQ(all.at("sr").shape, (Shape{1}));
  EXPECT_TRUE(all.at("sr").integral);
  EXPECT_THAT(all.at("w").data, testing::ElementsAre(0.5, 0.5, 0.5, 0.5));
  EXPECT_THAT(base::refusal([&] {
                filled(model, {{"sr", {{}, {0.5}, false}}});
              }),
              HasSubstr("input 'sr' takes whole numbers and is bound to 0.5"));
}

}  // namespace
}  // namespace tacit::graph::onnx
