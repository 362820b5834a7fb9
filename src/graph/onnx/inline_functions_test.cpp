#include "graph/onnx/inline_functions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A model of opset 17 with functions in the domain "own", of opset 17 where they do not say otherwise.
::onnx::ModelProto model_of(const std::string& text) {
  const std::string all = "<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]> " + text;
  ::onnx::ModelProto model;
  ::onnx::OnnxParser parser(all.c_str());
  const auto status = parser.Parse(model);
  if (!status.IsOK()) throw std::invalid_argument(status.ErrorMessage());
  return model;
}

const std::string kOwn = " <domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]> ";

Graph inlined(const ::onnx::ModelProto& model) { return import_bytes(model.SerializeAsString(), "m.onnx"); }
Graph inlined(const std::string& text) { return inlined(model_of(text)); }

std::vector<double> answer(const Graph& graph, std::vector<double> input) {
  const Shape shape = graph.tensors[graph.inputs.at(0)].shape;
  return reference::run(graph, std::vector{Tensor{shape, std::move(input), false}}).at(0).data;
}
std::vector<double> answer(const std::string& text, std::vector<double> input) {
  return answer(inlined(text), std::move(input));
}

std::string model_refusal(const ::onnx::ModelProto& model) { return import_refusal(model.SerializeAsString()); }
std::string model_refusal(const std::string& text) { return model_refusal(model_of(text)); }

/// A field that came with a later file format than the library's: it keeps what it does not know.
void set_unknown(google::protobuf::Message& message, int field, const std::string& bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(field, bytes);
}
constexpr int kOverloadOfNode = 8, kOverloadOfFunction = 13, kAttributeDefault = 11;

::onnx::AttributeProto real_attribute_proto(const std::string& name, float value) {
  ::onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  return attribute;
}

const std::string kTwice = "twice (a) => (b) { b = Add(a, a) }";

TEST(InlineFunctions, ACallBecomesTheNodesOfTheFunction) {
  const Graph graph = inlined("g (float[1, 2] x) => (float[1, 2] y) { h = own.twice(x) y = Neg(h) }" + kOwn + kTwice);
  EXPECT_THAT(operators_of(graph), ElementsAre("Add", "Neg"));
  EXPECT_THAT(answer(graph, {1, -3}), ElementsAre(-2, 6));
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
}

TEST(InlineFunctions, FunctionsCallEachOtherToAnyDepth) {
  const std::string text = "g (float[1, 1] x) => (float[1, 1] y) { y = own.eight(x) }" + kOwn +
                           "eight (a) => (b) { c = own.four(a) b = own.twice(c) }" + kOwn +
                           "four (a) => (b) { c = own.twice(a) b = own.twice(c) }" + kOwn + kTwice;
  EXPECT_THAT(operators_of(inlined(text)), ElementsAre("Add", "Add", "Add"));
  EXPECT_THAT(answer(text, {3}), ElementsAre(24));
}

TEST(InlineFunctions, TheSameFunctionMayBeCalledAgainAndOnItsOwnResult) {
  const std::string text =
      "g (float[1, 1] x) => (float[1, 1] y) { a = own.twice(x) b = own.twice(a) c = own.twice(x) y = Sub(b, c) }" +
      kOwn + kTwice;
  EXPECT_THAT(answer(text, {3}), ElementsAre(12 - 6));
}

/// As scikit-learn's KNNImputer is exported.
TEST(InlineFunctions, CallsInBranchesBecomeNodesToo) {
  ::onnx::ModelProto model =
      model_of("g (float[1, 2] x) => (float[A, B] y) { c = Constant <value = bool {1}> () y = If (c) }" + kOwn +
               kTwice + kOwn + "quadruple (a) => (b) { c = own.twice(a) b = own.twice(c) }");
  ::onnx::NodeProto& branches = *model.mutable_graph()->mutable_node(1);
  ASSERT_EQ(branches.op_type(), "If");
  for (const char* name : {"then_branch", "else_branch"}) {
    ::onnx::AttributeProto& branch = *branches.add_attribute();
    branch.set_name(name);
    branch.set_type(::onnx::AttributeProto::GRAPH);
    ::onnx::NodeProto& call = *branch.mutable_g()->add_node();
    call.set_domain("own");
    call.set_op_type("quadruple");
    call.add_input("x");
    call.add_output("z");
    branch.mutable_g()->set_name(name);
    branch.mutable_g()->add_output()->set_name("z");
  }
  EXPECT_THAT(answer(inlined(model), {1, -3}), ElementsAre(4, -12));
}

TEST(InlineFunctions, NamesInsideAFunctionAreItsOwn) {
  // The function's "x", "y" and "h" are others than the model's; a tensor of the model has the name that a prefix would
  // have.
  const std::string text = "g (float[1, 2] x) => (float[1, 2] y) { h = Neg(x) y1 = own.f(h) y = Sub(y1, x) }" + kOwn +
                           "f (x) => (y) { h = Add(x, x) y = Mul(h, x) }";
  EXPECT_THAT(answer(text, {1, 2}), ElementsAre(2 - 1, 8 - 2));
  ::onnx::ModelProto model =
      model_of("g (float[1, 2] x) => (float[1, 2] y) { t = Neg(x) y1 = own.f(x) y = Sub(y1, t) }" + kOwn +
               "f (x) => (y) { h = Add(x, x) y = Mul(h, x) }");
  for (auto& node : *model.mutable_graph()->mutable_node())
    for (auto* names : {node.mutable_input(), node.mutable_output()})
      for (std::string& name : *names)
        if (name == "t") name = "y1.1/h";
  EXPECT_THAT(answer(inlined(model), {1, 2}), ElementsAre(2 + 1, 8 + 2));
}

TEST(InlineFunctions, AttributesAreHandedDown) {
  ::onnx::ModelProto model =
      model_of("g (float[1, 2] x) => (float[1, 2] y) { y = own.f <steep = 0.5> (x) }" + kOwn +
               "f (a) => (b) { c = own.leak(a) b = Neg(c) }" + kOwn + "leak (a) => (b) { b = LeakyRelu(a) }");
  model.mutable_functions(0)->add_attribute("steep");
  ::onnx::AttributeProto* outer = model.mutable_functions(0)->mutable_node(0)->add_attribute();
  outer->set_name("slope");
  outer->set_type(::onnx::AttributeProto::FLOAT);
  outer->set_ref_attr_name("steep");
  ::onnx::AttributeProto* inner = model.mutable_functions(1)->mutable_node(0)->add_attribute();
  inner->set_name("alpha");
  inner->set_type(::onnx::AttributeProto::FLOAT);
  inner->set_ref_attr_name("slope");
  EXPECT_THAT(answer(inlined(model), {-4, 1}), ElementsAre(2, -1));

  // Where the caller does not give it, the attribute is absent: the operator's default holds.
  model.mutable_graph()->mutable_node(0)->clear_attribute();
  const std::vector<double> usual = answer(inlined(model), {-4, 1});
  EXPECT_NEAR(usual[0], 0.04, 1e-8);
  // Or the function's own default.
  set_unknown(*model.mutable_functions(0), kAttributeDefault, real_attribute_proto("steep", 0.25F).SerializeAsString());
  EXPECT_THAT(answer(inlined(model), {-4, 1}), ElementsAre(1, -1));
  *model.mutable_graph()->mutable_node(0)->add_attribute() = real_attribute_proto("steep", 2);
  EXPECT_THAT(answer(inlined(model), {-4, 1}), ElementsAre(8, -1)) << "the caller's wins over the default";

  set_unknown(*model.mutable_functions(0), kAttributeDefault, "\xff\xff");
  EXPECT_THAT(model_refusal(model), HasSubstr("the function 'f' has an attribute that cannot be read"));
}

TEST(InlineFunctions, AReferenceOutsideOfAFunctionIsRefused) {
  ::onnx::ModelProto model = model_of("g (float[1, 2] x) => (float[1, 2] y) { y = LeakyRelu(x) }");
  ::onnx::AttributeProto* attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name("alpha");
  attribute->set_type(::onnx::AttributeProto::FLOAT);
  attribute->set_ref_attr_name("slope");
  EXPECT_THAT(model_refusal(model), HasSubstr("attribute 'alpha' refers to the attribute of a function"));
}

TEST(InlineFunctions, OptionalInputsAndUnusedOutputsMayBeLeftOut) {
  const std::string function = kOwn + "f (a, low, high) => (b, c) { b = Clip(a, low, high) c = Neg(a) }";
  EXPECT_THAT(
      answer("g (float[1, 2] x) => (float[1, 2] y) <float h = {0.5}> { y = own.f(x, , h) }" + function, {-9, 9}),
      ElementsAre(-9, 0.5));
  EXPECT_THAT(answer("g (float[1, 2] x) => (float[1, 2] y) <float l = {0.5}> { y = own.f(x, l) }" + function, {-9, 9}),
              ElementsAre(0.5, 9));
  EXPECT_THAT(answer("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + function, {-9, 9}), ElementsAre(-9, 9));
  ::onnx::ModelProto model = model_of("g (float[1, 2] x) => (float[1, 2] y) { z, y = own.f(x) }" + function);
  model.mutable_graph()->mutable_node(0)->set_output(0, "");
  EXPECT_THAT(answer(inlined(model), {-9, 9}), ElementsAre(9, -9));
  EXPECT_THAT(model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x, x, x, x) }" + function),
              HasSubstr("node 'y' (f): the function 'f' takes 3 inputs and gives 2 outputs, not 4 and 1"));
  EXPECT_THAT(model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y, z, w = own.f(x) }" + function),
              HasSubstr("gives 2 outputs, not 1 and 3"));
}

TEST(InlineFunctions, AnInputMayBeAnOutput) {
  const std::string text =
      "g (float[1, 2] x) => (float[1, 2] y) { y, z = own.both(x) }" + kOwn + "both (a) => (a, b) { b = Neg(a) }";
  EXPECT_THAT(answer(text, {1, 2}), ElementsAre(1, 2));
  // The call has nothing for the output to be.
  const std::string empty =
      "g (float[1, 2] x) => (float[1, 2] y) { y = own.second(x) }" + kOwn + "second (a, b) => (b) { c = Neg(a) }";
  EXPECT_NE(model_refusal(empty), base::kNotRefused);
}

TEST(InlineFunctions, AFunctionHasOperatorsOfItsOwnVersion) {
  // Axes of ReduceSum were an attribute in opset 11, and are an input in the model's opset 17.
  const std::string old = " <domain: \"own\", opset_import: [\"\" : 11]> ";
  const std::string text =
      "g (float[1, 2, 2] x) => (float[1, 2] y) <int64[1] a = {2}> { s = own.f(x) t = ReduceSum <keepdims = 0> (x, a) "
      "y = Mul(s, t) }" +
      old + "f (x) => (y) { y = ReduceSum <axes = [1], keepdims = 0> (x) }";
  EXPECT_THAT(answer(text, {1, 2, 3, 4}), ElementsAre(4 * 3, 6 * 7));
  EXPECT_THAT(model_refusal(
                  "g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) } <domain: \"own\", opset_import: [\"\" : 99]> "
                  "f (x) => (y) { y = Relu(x) }"),
              HasSubstr("the function 'f' uses version 99 of the operator set 'ai.onnx'"));
  EXPECT_THAT(
      model_refusal(
          "g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) } <domain: \"own\", opset_import: [\"own\" : 1]> "
          "f (x) => (y) { y = Relu(x) }"),
      HasSubstr("does not state its version of the operator set 'ai.onnx'"));
}

TEST(InlineFunctions, AModelNeedsNoOperatorSetOfItsOwnWhereItOnlyCalls) {
  ::onnx::ModelProto model = model_of("g (float[1, 2] x) => (float[1, 2] y, float[1, 2] z) { y, z = own.both(x) }" +
                                      kOwn + "both (a) => (a, b) { b = Neg(a) }");
  model.mutable_opset_import()->DeleteSubrange(0, 1);
  EXPECT_THAT(answer(inlined(model), {1, 2}), ElementsAre(1, 2));
}

TEST(InlineFunctions, OverloadsAreFunctionsOfTheirOwn) {
  ::onnx::ModelProto model = model_of("g (float[1, 2] x) => (float[1, 2] y) { h = own.f(x) y = own.f(h) }" + kOwn +
                                      "f (a) => (b) { b = Neg(a) }" + kOwn + "f (a) => (b) { b = Add(a, a) }");
  EXPECT_THAT(model_refusal(model), HasSubstr("the function 'f' is defined twice"));
  set_unknown(*model.mutable_functions(1), kOverloadOfFunction, "sum");
  EXPECT_THAT(answer(inlined(model), {1, 2}), ElementsAre(1, 2));
  set_unknown(*model.mutable_graph()->mutable_node(1), kOverloadOfNode, "sum");
  EXPECT_THAT(answer(inlined(model), {1, 2}), ElementsAre(-2, -4));
  set_unknown(*model.mutable_graph()->mutable_node(1), kOverloadOfNode, "product");
  EXPECT_THAT(model_refusal(model), HasSubstr("the operator domain 'own' is not supported"));
}

TEST(InlineFunctions, RecursionIsRefused) {
  EXPECT_THAT(
      model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn + "f (a) => (b) { b = own.f(a) }"),
      AllOf(HasSubstr("(f): the function 'f' calls itself")));
  EXPECT_THAT(model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn +
                            "f (a) => (b) { b = own.h(a) }" + kOwn + "h (a) => (b) { b = own.f(a) }"),
              HasSubstr("the function 'f' calls itself"));
}

TEST(InlineFunctions, FunctionsThatShadowOperatorsAreRefused) {
  for (const std::string domain : {"", "ai.onnx", "ai.onnx.ml"}) {
    ::onnx::ModelProto model =
        model_of("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }" + kOwn + "Relu (a) => (b) { b = Neg(a) }");
    model.mutable_functions(0)->set_domain(domain);
    EXPECT_THAT(model_refusal(model), AllOf(HasSubstr("the function 'Relu' is defined in the domain 'ai.onnx"),
                                            HasSubstr("of ONNX and would shadow an operator")));
  }
}

TEST(InlineFunctions, BodiesThatAreNotWholeAreRefused) {
  EXPECT_THAT(
      model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn + "f (a) => (b) { b = Add(a, x) }"),
      HasSubstr("the function 'f' reads 'x', which it does not define"));
  EXPECT_THAT(
      model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn + "f (a) => (b) { c = Neg(a) }"),
      HasSubstr("node 'y' (f): the function 'f' does not compute its output 'b'"));
  EXPECT_THAT(model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn +
                            "f (a) => (b) { c = Neg(a) c = Exp(a) b = Relu(c) }"),
              HasSubstr("the function 'f' defines 'c' twice"));
  EXPECT_THAT(
      model_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = own.f(x) }" + kOwn + "f (a) => (a) { a = Neg(a) }"),
      HasSubstr("twice"));
}

std::string numbered(const char* name, int number) {
  std::ostringstream text;
  text << name << number;
  return text.str();
}

/// Functions f0 … fN, each of which calls the one before so many times, and the body of the first.
std::string tower(int height, int calls, const std::string& first) {
  std::ostringstream text;
  text << "g (float[1, 1] x) => (float[1, 1] y) { y = own.f" << height << "(x) }" << kOwn << first;
  for (int level = 1; level <= height; ++level) {
    text << kOwn << "f" << level << " (c0) => (b) { ";
    for (int call = 0; call < calls; ++call) text << "c" << call + 1 << " = own.f" << level - 1 << "(c" << call << ") ";
    text << "b = Identity(c" << calls << ") }";
  }
  return text.str();
}

TEST(InlineFunctions, ASmallFileDoesNotExpandToAHugeNetwork) {
  EXPECT_THAT(model_refusal(tower(12, 8, "f0 (a) => (b) { b = Neg(a) }")),
              HasSubstr("its functions expand to more than 131072"));
  // Nor does one whose functions hold no nodes at all run forever.
  ::onnx::ModelProto model = model_of("g (float[1, 1] x) => (float[1, 1] y) { y = Neg(x) }");
  for (int level = 0; level <= 24; ++level) {
    ::onnx::FunctionProto* function = model.add_functions();
    function->set_domain("own");
    function->set_name(numbered("f", level));
    for (int call = 0; level > 0 && call < 8; ++call) {
      ::onnx::NodeProto* node = function->add_node();
      node->set_domain("own");
      node->set_op_type(numbered("f", level - 1));
    }
  }
  ::onnx::NodeProto* call = model.mutable_graph()->add_node();
  call->set_domain("own");
  call->set_op_type("f24");
  EXPECT_THAT(model_refusal(model), HasSubstr("its functions expand to more than 131072"));
  // The deepest tower.
  EXPECT_THAT(model_refusal(tower(70, 1, "f0 (a) => (b) { b = Neg(a) }")),
              HasSubstr("call each other more than 64 deep"));
  EXPECT_THAT(answer(tower(50, 1, "f0 (a) => (b) { b = Neg(a) }"), {3}), ElementsAre(-3));
}

TEST(InlineFunctions, NorToHugeConstants) {
  // 2^17 copies of a constant of a mebibyte.
  ::onnx::ModelProto model = model_of(tower(5, 10, "f0 (a) => (b) { b = Neg(a) }"));
  ::onnx::NodeProto* constant = model.mutable_functions(0)->mutable_node()->Add();
  constant->set_op_type("Constant");
  constant->add_output("k");
  ::onnx::AttributeProto* value = constant->add_attribute();
  value->set_name("value");
  value->set_type(::onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(::onnx::TensorProto::FLOAT);
  value->mutable_t()->add_dims(1 << 18);
  value->mutable_t()->set_raw_data(std::string(std::size_t{1} << 20, '\0'));
  EXPECT_THAT(model_refusal(model), HasSubstr("its functions expand to more than"));
}

TEST(InlineFunctions, ManyCallsAmongManyNamesTakeNoTime) {
  // Names are looked up, not compared one by one.
  ::onnx::ModelProto model =
      model_of("g (float[1, 1] x) => (float[1, 1] y) { y = own.f(x) }" + kOwn + "f (a) => (b) { b = Neg(a) }");
  constexpr int kCalls = 40000;
  auto* nodes = model.mutable_graph()->mutable_node();
  for (int i = 0; i < kCalls; ++i) {
    ::onnx::NodeProto* node = nodes->Add();
    node->set_domain("own");
    node->set_op_type("f");
    node->add_input(i == 0 ? std::string("y") : numbered("z", i - 1));
    node->add_output(numbered("z", i));
  }
  EXPECT_EQ(inline_functions(model, {17, 0}).size(), kCalls + 1U);
}

/// A model that calls "many" so often, whose body is `of_many` calls of "one", and then "one" itself.
::onnx::ModelProto model_of_calls(int of_model, int of_many, int further) {
  ::onnx::ModelProto model = model_of("g (float[1, 1] x) => (float[1, 1] y) { y = Neg(x) }");
  model.mutable_graph()->clear_node();
  const auto function = [&](const char* name) {
    ::onnx::FunctionProto* made = model.add_functions();
    made->set_domain("own");
    made->set_name(name);
    return made;
  };
  const auto call = [](::onnx::NodeProto* node, const char* name) {
    node->set_domain("own");
    node->set_op_type(name);
  };
  function("one");
  ::onnx::FunctionProto* many = function("many");
  for (int i = 0; i < of_many; ++i) call(many->add_node(), "one");
  for (int i = 0; i < of_model; ++i) call(model.mutable_graph()->add_node(), "many");
  for (int i = 0; i < further; ++i) call(model.mutable_graph()->add_node(), "one");
  return model;
}

/// What is said of a model while its functions are expanded.
std::string expansion_refusal(const ::onnx::ModelProto& model) {
  return base::refusal([&] { inline_functions(model, {17, 0}); });
}

TEST(InlineFunctions, AsManyCallsAsTheBoundAreExpanded) {
  // 512 calls of 255 more.
  EXPECT_EQ(expansion_refusal(model_of_calls(512, 255, 0)), base::kNotRefused);
  EXPECT_EQ(expansion_refusal(model_of_calls(512, 255, 1)), "its functions expand to more than 131072 calls");
}

TEST(InlineFunctions, AsManyNodesAsTheBoundAreExpanded) {
  const auto of_nodes = [](int further) {
    ::onnx::ModelProto model = model_of_calls(64, 0, 0);
    ::onnx::FunctionProto* many = model.mutable_functions(1);
    for (int i = 0; i < 2048; ++i) many->add_node()->set_op_type("Neg");
    for (int i = 0; i < further; ++i) model.mutable_graph()->add_node()->set_op_type("Neg");
    return model;
  };
  EXPECT_EQ(inline_functions(of_nodes(0), {17, 0}).size(), 131072u);
  EXPECT_EQ(expansion_refusal(of_nodes(1)), "its functions expand to more than 131072 nodes");
}

TEST(InlineFunctions, CallsMayBeSixtyFourDeep) {
  const std::string first = "f0 (a) => (b) { b = Neg(a) }";
  EXPECT_EQ(expansion_refusal(model_of(tower(63, 1, first))), base::kNotRefused);
  EXPECT_THAT(expansion_refusal(model_of(tower(64, 1, first))),
              HasSubstr("(f0): functions call each other more than 64 deep"));
}

TEST(InlineFunctions, TheBytesOfAnExpansionGrowWithTheFile) {
  const auto of_calls = [](int calls) {
    ::onnx::ModelProto model = model_of_calls(calls, 0, 0);
    ::onnx::NodeProto* constant = model.mutable_functions(1)->add_node();
    constant->set_op_type("Constant");
    constant->add_attribute()->mutable_t()->set_raw_data(std::string(std::size_t{1} << 20, '\0'));
    return model;
  };
  EXPECT_EQ(expansion_refusal(of_calls(67)), base::kNotRefused);
  const ::onnx::ModelProto model = of_calls(69);
  EXPECT_EQ(expansion_refusal(model),
            fmt::format("its functions expand to more than {} bytes", (1 << 26) + 4 * model.ByteSizeLong()));
}

}  // namespace
}  // namespace tacit::graph::onnx
