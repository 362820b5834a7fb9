#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/onnx/import.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/onnx/text_model.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ImportRefuses, FilesThatAreNoModels) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto of_file = [](const std::filesystem::path& path) { return base::refusal([&] { import_model(path); }); };
  EXPECT_THAT(of_file(folder / "none.onnx"), AllOf(HasSubstr("none.onnx"), HasSubstr("there is no such file")));
  EXPECT_THAT(of_file(folder), HasSubstr("it is not a file"));
  const auto empty = folder / "tacit_empty.onnx";
  std::ofstream(empty).flush();
  EXPECT_THAT(of_file(empty), HasSubstr("the file is empty"));
  std::filesystem::remove(empty);
  EXPECT_THAT(import_refusal("Dear reader, this is a letter.\n"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(import_refusal("\x89PNG\r\n\x1a\n"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(import_refusal(std::string(100, '\0')), HasSubstr("not an ONNX model"));
  EXPECT_THAT(import_refusal(std::string("\x08\x08", 2)), HasSubstr("it holds no network"));
}

TEST(ImportRefuses, OperatorsThatItDoesNotKnow) {
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 4, 4] x) => (float[1, 1, 4, 4] y) { y = LRN <size = 3> (x) }"),
              AllOf(StartsWith("model 'm.onnx': node 'y' (LRN)"), HasSubstr("use BatchNormalization")));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Frobnicate(x) }"),
              HasSubstr("Frobnicate"));
}

TEST(ImportRefuses, OpsetsThatAreTooNewOrTooOld) {
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }", 29),
              HasSubstr("version 29 of the operator set 'ai.onnx'; versions 1 to 28 are supported"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }", 0), HasSubstr("version 0"));
}

TEST(ImportRefuses, DynamicShapes) {
  EXPECT_THAT(import_text_refusal("g (float[N, 3, height] x) => (float[N, 3, height] y) { y = Relu(x) }"),
              HasSubstr("axis 2 of input 'x' ('height') is dynamic; only the leading batch axis may be"));
  EXPECT_THAT(import_text_refusal("g (float[1, 0] x) => (float[1, 0] y) { y = Relu(x) }"), HasSubstr("has extent 0"));
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x, int64[2] s) => (float[2, 2] y) { y = Reshape(x, s) }"),
              HasSubstr("the shape of its output 'y' depends on private data"));
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (int64[2, M] y) { y = NonZero(x) }"),
              HasSubstr("depends on private data"));
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(import_refusal(model.SerializeAsString()), HasSubstr("input 'x' has no stated shape"));
}

TEST(ImportRefuses, ShapesThatDoNotFit) {
  EXPECT_THAT(
      import_text_refusal("g (float[1, 3] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}> { y = MatMul(x, w) }"),
      HasSubstr("node 'y' (MatMul)"));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 2, 2] x) => (float[1, 1, 1, 1] y) <float[1, 1, 1, 1] w = {1}> "
                                  "{ y = Conv <strides = [0, 1]> (x, w) }"),
              HasSubstr("attribute 'strides' holds 0"));
  EXPECT_THAT(
      import_refusal(text_model_bytes("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }"), {{"z", Tensor{}}}),
      HasSubstr("a tensor is bound to 'z', which is no input of the model"));
  EXPECT_THAT(import_refusal(text_model_bytes("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }"),
                             {{"x", Tensor{{3}, {1, 2, 3}}}}),
              HasSubstr("input 'x' is bound to a tensor of shape [3]"));
}

TEST(ImportRefuses, SequencesWithAbsentTensors) {
  ::onnx::ModelProto model = text_model("g (float[1, 3] x) => (float[1, 3] s) { s = SequenceConstruct(x, x) }");
  model.mutable_graph()->mutable_node(0)->set_input(1, "");
  EXPECT_THAT(import_refusal(model.SerializeAsString()),
              HasSubstr("node 's' (SequenceConstruct): a tensor of the sequence is absent"));
}

TEST(ImportRefuses, WeightsOfConvolutionsThatHaveAnotherRankThanTheInput) {
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x) => (float[1, 3] y) <float[3] w = {2, -1, 5}> "
                                  "{ m = ConvTranspose(x, w) y = Add(m, w) }"),
              HasSubstr("node 'm' (ConvTranspose): its input has rank 2 and its weights have rank 1"));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 3] x) => (float[1, 3] y) <float[3] w = {2, -1, 5}> "
                                  "{ m = ConvTranspose(x, w) y = Add(m, w) }"),
              HasSubstr("rank 3 and its weights have rank 1"));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y) <float[1, 1, 1, 1, 1] w = {1}> "
                                  "{ y = Conv <pads = [0, 0, 0, 0]> (x, w) }"),
              HasSubstr("node 'y' (Conv): its input has rank 4 and its weights have rank 5"));
}

TEST(ImportRefuses, BiasesThatDoNotFit) {
  EXPECT_THAT(import_text_refusal(
                  "g (float[1, 1, 2] x) => (float[1, 3, 2] y) <float[3, 1, 1] w = {2, -1, 5}, float[2] b = {1, 2}> "
                  "{ y = Conv(x, w, b) }"),
              HasSubstr("node 'y' (Conv): a bias of shape [2] does not fit 3 output channels"));
  EXPECT_THAT(
      import_text_refusal("g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2, 1, 1] w = {2, -1}, float[1] b = {1}> "
                          "{ y = ConvTranspose <group = 2> (x, w, b) }"),
      HasSubstr("node 'y' (ConvTranspose): a bias of shape [1] does not fit 2 output channels"));
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[4, 1] y) <float[1, 1] w = {2}, float[2, 1] b = {1, 2}> "
                                  "{ y = Gemm <transA = 1> (x, w, b) }"),
              HasSubstr("node 'y' (Gemm): a bias of shape [2, 1] does not broadcast to the product's [4, 1]"));
}

TEST(ImportRefuses, TrainingMode) {
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) <float[2] s = {1, 1}> "
                                  "{ y, m, v = BatchNormalization <training_mode = 1> (x, s, s, s, s) }"),
              HasSubstr("(BatchNormalization): training mode"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x, bool[1] t) => (float[1, 2] y) <float r = {0.5}> "
                                  "{ y = Dropout(x, r, t) }"),
              HasSubstr("(Dropout): training mode depends on an input"));
}

TEST(ImportRefuses, WhatAnOlderOpsetMeantDifferently) {
  EXPECT_THAT(import_text_refusal("g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[4] s = {1, 2, 3, 4}> "
                                  "{ y = BatchNormalization <spatial = 0> (x, s, s, s, s) }",
                                  8),
              HasSubstr("statistics of every position (spatial = 0) are not supported"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 1] y) { y = ReduceMean <keepdims = 65> (x) }"),
              HasSubstr("attribute 'keepdims' holds 65; it must be 0 or 1"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 1] y, int64[1, 1] i) <int64[1] k = {1}> "
                                  "{ y, i = TopK <largest = -1> (x, k) }"),
              HasSubstr("attribute 'largest' holds -1; it must be 0 or 1"));
}

TEST(ImportRefuses, WeightsThatItCannotRead) {
  const std::string text = "g (float[1, 2] x) => (float[1, 2] y) <float[2] w = {1, 2}> { y = Mul(x, w) }";
  ::onnx::ModelProto model = text_model(text);
  auto* weights = model.mutable_graph()->mutable_initializer(0);
  weights->set_data_location(::onnx::TensorProto::EXTERNAL);
  auto* place = weights->add_external_data();
  place->set_key("location");
  place->set_value("weights.bin");
  EXPECT_THAT(import_refusal(model.SerializeAsString()), HasSubstr("'w' keeps its data in another file"));

  model = text_model(text);
  model.mutable_graph()->mutable_initializer(0)->set_float_data(1, std::nanf(""));
  EXPECT_THAT(import_refusal(model.SerializeAsString()), HasSubstr("not a number"));

  model = text_model(text);
  model.mutable_graph()->mutable_initializer(0)->set_dims(0, std::int64_t{1} << 40);
  EXPECT_NE(import_refusal(model.SerializeAsString()), base::kNotRefused);

  model = text_model(text);
  model.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  EXPECT_THAT(import_refusal(model.SerializeAsString()), HasSubstr("the weights 's' are sparse"));

  model = text_model(text);
  model.add_functions()->set_name("f");
  EXPECT_THAT(import_refusal(model.SerializeAsString()),
              HasSubstr("the function 'f' is defined in the domain 'ai.onnx' of ONNX"));

  EXPECT_THAT(import_text_refusal("g (complex64[1] x) => (complex64[1] y) { y = Identity(x) }"),
              HasSubstr("input 'x' is not a dense tensor of numbers or strings"));
}

TEST(ImportRefuses, NetworksThatAreNotConnected) {
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { z = Relu(x) }"),
              HasSubstr("the output 'y' is computed by no node"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(q) }"),
              HasSubstr("its input 'q' is computed by no earlier node"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) y = Exp(x) }"),
              HasSubstr("the tensor 'y' is defined twice"));
}

TEST(ImportRefuses, NamesThatAreNoText) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  const auto named = [&](const char* name) {
    model.mutable_graph()->mutable_node(0)->set_name(name);
    return import_refusal(model.SerializeAsString());
  };
  EXPECT_EQ(named("caf\xC3\xA9 \xF0\x9F\x90\x9F"), base::kNotRefused);
  // A character cut short, one written too long, half of a pair, and one beyond the last.
  for (const char* name : {"\xE2\x82", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"})
    EXPECT_THAT(named(name), HasSubstr("the name of a node is no text in UTF-8"));
}

TEST(ImportRefuses, ConstantsThatWouldFillTheMemory) {
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[1] y) { s = Constant <value = int64[1] {1000000000}> () "
                                  "big = ConstantOfShape(s) m = ReduceMax <keepdims = 1> (big) y = Mul(x, m) }"),
              HasSubstr("has more than 268435456 elements"));
  EXPECT_THAT(import_text_refusal("g (float[1] x) => (float[1] y) { s = Constant <value = int64[1] {8000000}> () "
                                  "a = ConstantOfShape(s) b = Exp(a) c = Exp(b) m = ReduceMax <keepdims = 1> (c) "
                                  "y = Mul(x, m) }"),
              AllOf(HasSubstr("node 'c' (Exp)"), HasSubstr("24000000 elements by now, and 16777220 is the most")));
}

/// A model with weights, attributes, folding, a function and an older opset.
std::string victim() {
  ::onnx::ModelProto model = text_model(R"(victim (float[N, 1, 4, 4] x) => (float[N, 2] y)
      <float[2, 1, 3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1}, float[2] b = {0.5, -0.5}> {
      c = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b)
      r = own.leak <slope = 0.5> (c)
      p = MaxPool <kernel_shape = [2, 2]> (r)
      s = Constant <value = int64[2] {0, 2}> ()
      f = Reshape(p, s)
      y = Softmax <axis = 1> (f)
    } <domain: "own", opset_import: ["" : 11]> leak (a) => (b) { b = LeakyRelu(a) })",
                                        11);
  model.mutable_opset_import()->RemoveLast();  // of ai.onnx.ml: without it the model is whole
  ::onnx::FunctionProto* function = model.mutable_functions(0);
  function->add_attribute("slope");
  ::onnx::AttributeProto* slope = function->mutable_node(0)->add_attribute();
  slope->set_name("alpha");
  slope->set_type(::onnx::AttributeProto::FLOAT);
  slope->set_ref_attr_name("slope");
  return model.SerializeAsString();
}

TEST(ImportRefuses, EveryTruncation) {
  const std::string bytes = victim();
  ASSERT_EQ(import_refusal(bytes), base::kNotRefused);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string reason = import_refusal(bytes.substr(0, length));
    // Cut between two fields, what remains may be a well-formed message; the model still lacks something.
    EXPECT_THAT(reason, StartsWith("model 'm.onnx': ")) << "cut to " << length << " of " << bytes.size();
    EXPECT_THAT(reason, Not(HasSubstr("\n")));
  }
}

TEST(ImportRefuses, OrSurvivesEveryMutation) {
  const std::string bytes = victim();
  std::mt19937 random(20240511);
  std::size_t refused = 0;
  constexpr std::size_t kCount = 800;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::string mutant = bytes;
    for (std::size_t flips = 1 + random() % 3; flips > 0; --flips)
      mutant[random() % mutant.size()] ^= static_cast<char>(1U << random() % 8);
    if (import_refusal(mutant) != base::kNotRefused) ++refused;
  }
  EXPECT_GT(refused, kCount / 4);
  EXPECT_LT(refused, kCount);
}

TEST(ImportRefuses, MatricesThatDoNotChain) {
  const auto gemm = [](const std::string& attributes, const std::string& weights) {
    return import_text_refusal("g (float[1, 3] x) => (float[A, B] y) <float" + weights + "> { y = Gemm" + attributes +
                               "(x, w) }");
  };
  EXPECT_THAT(gemm("", "[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}"),
              AllOf(HasSubstr("node 'y' (Gemm)"), HasSubstr("3 columns meet 4 rows")));
  EXPECT_THAT(gemm("<transB = 1>", "[3, 2] w = {1, 2, 3, 4, 5, 6}"), HasSubstr("3 columns meet 2 rows"));
  EXPECT_THAT(gemm("<transA = 1>", "[3, 2] w = {1, 2, 3, 4, 5, 6}"), HasSubstr("1 columns meet 3 rows"));
  EXPECT_THAT(gemm("", "[3] w = {1, 2, 3}"), HasSubstr("it takes two matrices"));
  EXPECT_EQ(gemm("", "[3, 2] w = {1, 2, 3, 4, 5, 6}"), base::kNotRefused);
  EXPECT_EQ(gemm("<transB = 1>", "[2, 3] w = {1, 2, 3, 4, 5, 6}"), base::kNotRefused);
}

}  // namespace
}  // namespace tacit::graph::onnx
