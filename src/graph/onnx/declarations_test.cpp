#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/declaration.h"
#include "graph/onnx/opsets.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;
using testing::HasSubstr;

/// The library's schema of an operator's form; null for operators that came later, and for Tacit's own.
const OpSchema* schema_of(const Operator& op) {
  const std::size_t dot = op.name.rfind('.');
  const std::string domain(dot == std::string_view::npos ? "" : op.name.substr(0, dot));
  const std::string name(dot == std::string_view::npos ? op.name : op.name.substr(dot + 1));
  return OpSchemaRegistry::Schema(name, domain.empty() ? kFormOpset : kFormMachineLearningOpset, domain);
}

/// The library has the single precision of a default.
bool same_default(const AttributeDeclaration& declared, const ::onnx::AttributeProto& fallback) {
  switch (declared.type) {
    case AttributeType::integer: return std::get<std::int64_t>(declared.fallback) == fallback.i();
    case AttributeType::real: return static_cast<float>(std::get<double>(declared.fallback)) == fallback.f();
    case AttributeType::text: return std::get<std::string_view>(declared.fallback) == fallback.s();
    case AttributeType::integers: {
      const auto list = std::get<std::span<const std::int64_t>>(declared.fallback);
      return std::equal(list.begin(), list.end(), fallback.ints().begin(), fallback.ints().end());
    }
    default: return false;
  }
}

int type_of(AttributeType type) {
  using ::onnx::AttributeProto;
  constexpr int kTypes[] = {AttributeProto::INT,   AttributeProto::FLOAT,  AttributeProto::STRING,
                            AttributeProto::INTS,  AttributeProto::FLOATS, AttributeProto::STRINGS,
                            AttributeProto::TENSOR};
  return kTypes[static_cast<std::size_t>(type)];
}

TEST(Declarations, AreTheSchemasOfTheLibrary) {
  std::size_t compared = 0;
  for (const Operator* op : all_operators()) {
    const OpSchema* schema = schema_of(*op);
    if (schema == nullptr) continue;
    SCOPED_TRACE(op->name);
    ++compared;
    ASSERT_EQ(op->inputs.size(), schema->inputs().size());
    for (std::size_t i = 0; i < op->inputs.size(); ++i) {
      EXPECT_EQ(op->inputs[i].optional, schema->inputs()[i].GetOption() == OpSchema::Optional) << i;
      EXPECT_EQ(op->inputs[i].repeated, schema->inputs()[i].GetOption() == OpSchema::Variadic) << i;
    }
    EXPECT_EQ(op->outputs.size(), schema->outputs().size());
    for (const auto& [name, attribute] : schema->attributes()) {
      const AttributeDeclaration* declared = op->attribute(name);
      // Trees in double precision, which are refused: a declaration would say that they are read.
      if (name.ends_with("_as_tensor")) {
        EXPECT_EQ(declared, nullptr) << name;
        continue;
      }
      ASSERT_NE(declared, nullptr) << name;
      EXPECT_EQ(type_of(declared->type), static_cast<int>(attribute.type)) << name;
      EXPECT_EQ(declared->required, attribute.required) << name;
      if (attribute.default_value.has_name()) {
        EXPECT_TRUE(same_default(*declared, attribute.default_value)) << name;
      }
    }
  }
  EXPECT_EQ(compared, 144U);
}

TEST(Declarations, AddTheAttributesOfLaterVersions) {
  std::set<std::string> newer;
  for (const Operator* op : all_operators())
    if (const OpSchema* schema = schema_of(*op))
      for (const AttributeDeclaration& declared : op->attributes)
        if (!schema->attributes().contains(std::string(declared.name)) && !declared.name.starts_with("tacit."))
          newer.insert(std::string(op->name) + " " + std::string(declared.name));
  EXPECT_THAT(newer,
              testing::ElementsAre("AveragePool dilations", "LpPool ceil_mode", "LpPool dilations",
                                   "ReduceL1 noop_with_empty_axes", "ReduceL2 noop_with_empty_axes",
                                   "ReduceLogSum noop_with_empty_axes", "ReduceLogSumExp noop_with_empty_axes",
                                   "ReduceMax noop_with_empty_axes", "ReduceMean noop_with_empty_axes",
                                   "ReduceMin noop_with_empty_axes", "ReduceProd noop_with_empty_axes",
                                   "ReduceSumSquare noop_with_empty_axes", "Resize antialias", "Resize axes",
                                   "Resize keep_aspect_ratio_policy", "SpaceToDepth mode",
                                   "ai.onnx.ml.LabelEncoder classes_strings", "ai.onnx.ml.LabelEncoder default_tensor",
                                   "ai.onnx.ml.LabelEncoder keys_tensor", "ai.onnx.ml.LabelEncoder values_tensor"));
}

/// Every version of an operator set since the one that is said has the operator, and none before.
TEST(Declarations, BeginWithTheFirstVersionOfTheLibrary) {
  std::map<std::string_view, int> newer, own;
  for (const Operator* op : all_operators()) {
    const OpSchema* schema = schema_of(*op);
    if (schema == nullptr) {
      (op->name.starts_with("tacit.") ? own : newer)[op->name] = op->since;
      continue;
    }
    const auto known_at = [&](int version) {
      return OpSchemaRegistry::Schema(schema->Name(), version, schema->domain()) != nullptr;
    };
    EXPECT_TRUE(known_at(op->since)) << op->name;
    EXPECT_FALSE(known_at(op->since - 1)) << op->name;
  }
  // The library ends at version 17; these are of the changelog of ONNX.
  EXPECT_THAT(newer,
              testing::UnorderedElementsAre(testing::Pair("GroupNormalization", 18), testing::Pair("Mish", 18),
                                            testing::Pair("Gelu", 20), testing::Pair("RMSNormalization", 23),
                                            testing::Pair("Swish", 24), testing::Pair("ai.onnx.ml.TreeEnsemble", 5)));
  EXPECT_FALSE(own.empty());
  for (const auto& [name, since] : own) EXPECT_EQ(since, 0) << name;
}

TEST(Declarations, SayNothingOfRowsWhereTheClassSaysIt) {
  for (const Operator* op : all_operators()) {
    Operator plain = *op;
    plain.traits = 0;
    EXPECT_FALSE(plain.keeps_rows_apart() && op->has(kRowWise)) << op->name;
  }
}

TEST(Declarations, TraitsAreBitsOfTheirOwn) {
  constexpr Traits kAll[] = {kRowWise, kAlongAxis, kFromAxis, kKeepsOrder, kLayer, kByChannel, kByRunning, kLookup};
  for (const Traits one : kAll)
    for (const Traits other : kAll) EXPECT_EQ((one & other) != 0, one == other) << int{one} << " " << int{other};
}

TEST(Declarations, LayersHoldWeights) {
  std::vector<std::string> layers;
  for (const Operator* op : all_operators())
    if (op->has(kLayer)) layers.emplace_back(op->name);
  EXPECT_THAT(layers, testing::UnorderedElementsAre("Conv", "ConvTranspose", "Einsum", "Gemm", "MatMul"));
}

TEST(Declarations, SayWhatANodeLacks) {
  const auto refusal = [](const Node& node) { return base::refusal([&] { check_declared(node); }); };
  EXPECT_EQ(refusal({"Conv", "c", {0, 1}, {2}, {{"strides", std::vector<std::int64_t>{2, 2}}}}), base::kNotRefused);
  EXPECT_EQ(refusal({"Conv", "c", {0}, {2}, {}}),
            "node 'c' (Conv): its input 1 ('w') is missing; it takes x, w, optionally bias");
  EXPECT_EQ(refusal({"Conv", "c", {0, 1, 2, 3}, {4}, {}}),
            "node 'c' (Conv): it has 4 inputs; it takes x, w, optionally bias");
  EXPECT_EQ(refusal({"Sum", "s", {}, {0}, {}}), "node 's' (Sum): its input 0 ('x') is missing; it takes x ...");
  EXPECT_EQ(refusal({"Sum", "s", {0, 1, kNoTensor}, {2}, {}}),
            "node 's' (Sum): its input 2 ('x') is missing; it takes x ...");
  EXPECT_EQ(refusal({"Relu", "r", {0}, {1, 2}, {}}), "node 'r' (Relu): it has 2 outputs; it makes y");
  EXPECT_EQ(refusal({"Elu", "e", {0}, {1}, {{"beta", 1.0}}}),
            "node 'e' (Elu): attribute 'beta' is not known for this operator; its attributes: alpha");
  EXPECT_EQ(refusal({"Elu", "e", {0}, {1}, {{"alpha", std::int64_t{1}}}}),
            "node 'e' (Elu): attribute 'alpha' has the wrong type: it takes a number");
  EXPECT_EQ(refusal({"DepthToSpace", "d", {0}, {1}, {}}), "node 'd' (DepthToSpace): attribute 'blocksize' is missing");
  EXPECT_EQ(refusal({"DepthToSpace", "d", {0}, {1}, {{"blocksize", std::int64_t{0}}}}),
            "node 'd' (DepthToSpace): attribute 'blocksize' holds 0, outside [1, 32768]");
  EXPECT_THAT(refusal({"Gelu", "g", {0}, {1}, {{"approximate", std::string("erf")}}}),
              HasSubstr("attribute 'approximate': 'erf' is none of none, tanh"));
}

TEST(Declarations, ClassAndTraitsTellWhatTreatsRowsAlone) {
  const auto apart = [](const char* op) { return find_operator(op)->keeps_rows_apart(); };
  for (const char* op : {"Relu", "Sin", "Add", "Where", "Cast", "Conv", "Softmax", "ai.onnx.ml.Scaler"})
    EXPECT_TRUE(apart(op)) << op;
  for (const char* op : {"MatMul", "Transpose", "CumSum", "Einsum", "Shape"}) EXPECT_FALSE(apart(op)) << op;
}

TEST(Declarations, LongTextsAreShownInPart) {
  const std::string longest(64, 'a');
  for (const std::string& text : {longest, longest + "b"})
    EXPECT_THAT(
        [&] {
          check_declared({"Gelu", "g", {0}, {1}, {{"approximate", text}}});
        },
        testing::ThrowsMessage<base::InputError>(HasSubstr("'" + longest + "' is none of none, tanh")));
}

}  // namespace
}  // namespace tacit::graph::onnx
