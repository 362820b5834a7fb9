#include "graph/onnx/opsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A model of one Relu whose imports are these, in this order.
std::string with_imports(const std::vector<std::pair<std::string, std::int64_t>>& imports) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.clear_opset_import();
  for (const auto& [domain, version] : imports) {
    auto* import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }
  return model.SerializeAsString();
}

TEST(Opsets, ImportsThatAgreeMayBeRepeated) {
  EXPECT_EQ(import_refusal(with_imports({{"", 13}, {"", 13}})), base::kNotRefused);
  EXPECT_EQ(import_refusal(with_imports({{"", 13}, {"ai.onnx", 13}, {"ai.onnx.ml", 3}, {"ai.onnx.ml", 3}})),
            base::kNotRefused);
}

TEST(Opsets, ImportsThatDisagreeAreRefused) {
  EXPECT_THAT(import_refusal(with_imports({{"", 13}, {"", 9}})),
              HasSubstr("imports the operator set 'ai.onnx' twice, in versions 13 and 9; keep one"));
  EXPECT_THAT(import_refusal(with_imports({{"", 13}, {"ai.onnx", 14}})), HasSubstr("twice, in versions 13 and 14"));
  EXPECT_THAT(import_refusal(with_imports({{"", 13}, {"ai.onnx.ml", 2}, {"ai.onnx.ml", 3}})),
              HasSubstr("imports the operator set 'ai.onnx.ml' twice, in versions 2 and 3"));
}

TEST(Opsets, BothNamesOfTheDomainOfOnnxAreOne) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  EXPECT_EQ(import_refusal(model.SerializeAsString()), base::kNotRefused);
  model.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_EQ(import_refusal(model.SerializeAsString()), base::kNotRefused);
}

TEST(Opsets, VersionsThatTheAdaptersDoNotKnowAreRefused) {
  EXPECT_THAT(import_refusal(with_imports({{"", 29}})),
              AllOf(HasSubstr("version 29 of the operator set 'ai.onnx'; versions 1 to 28 are supported"),
                    HasSubstr("export it again for opset 28")));
  EXPECT_THAT(import_refusal(with_imports({{"", 0}})), HasSubstr("version 0 of the operator set 'ai.onnx'"));
  EXPECT_THAT(import_refusal(with_imports({{"", -3}})), HasSubstr("version -3"));
  EXPECT_THAT(import_refusal(with_imports({{"", 17}, {"ai.onnx.ml", 6}})),
              HasSubstr("version 6 of the operator set 'ai.onnx.ml'; versions 1 to 5 are supported"));
  for (int version = 1; version <= 28; ++version)
    EXPECT_EQ(import_refusal(with_imports({{"", version}})), base::kNotRefused) << version;
  for (int version = 1; version <= 5; ++version)
    EXPECT_EQ(import_refusal(with_imports({{"", 17}, {"ai.onnx.ml", version}})), base::kNotRefused) << version;
}

TEST(Opsets, ForeignSetsMayBeImportedAsLongAsNoNodeUsesThem) {
  EXPECT_EQ(import_refusal(with_imports({{"", 17}, {"com.microsoft", 1}, {"com.microsoft", 2}})), base::kNotRefused);
  EXPECT_THAT(import_refusal(with_imports({{"ai.onnx.ml", 3}})),
              HasSubstr("node 'y' (Relu): the model does not state its version of the operator set 'ai.onnx'"));
  EXPECT_THAT(import_refusal(with_imports({})), HasSubstr("it states no operator set"));
}

TEST(Opsets, AFileFormatThatIsTooNewIsRefused) {
  ::onnx::ModelProto model = text_model("g (float[1, 2] x) => (float[1, 2] y) { y = Relu(x) }");
  model.set_ir_version(kNewestFileFormat);
  EXPECT_EQ(import_refusal(model.SerializeAsString()), base::kNotRefused);
  model.set_ir_version(kNewestFileFormat + 1);
  EXPECT_THAT(import_refusal(model.SerializeAsString()),
              HasSubstr("its file format is version 15 and 14 is the newest"));
}

}  // namespace
}  // namespace tacit::graph::onnx
