#include "graph/onnx/external_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/refusal_for_test.h"
#include "graph/onnx/import.h"
#include "graph/onnx/tensor_proto.h"
#include "graph/onnx/text_model.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder with a model and a file of three numbers beside it.
class ExternalData : public ::testing::Test {
 protected:
  using Entries = std::map<std::string, std::string>;

  ExternalData() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "sub");
    const float numbers[] = {7, 8, 9};
    std::ofstream(folder_ / "weights.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    std::filesystem::create_symlink("weights.bin", folder_ / "link.bin");
  }
  ~ExternalData() override { std::filesystem::remove_all(folder_); }

  /// A model whose two weights lie where the entries say.
  Graph imported(const Entries& entries, int type = TensorProto::FLOAT, std::int64_t count = 2) const {
    ::onnx::ModelProto model =
        text_model("g (float[1, 2] x) => (float[1, 2] y) <float[2] w = {1, 2}> { y = Mul(x, w) }");
    TensorProto& weights = *model.mutable_graph()->mutable_initializer(0);
    weights.clear_float_data();
    weights.set_data_location(TensorProto::EXTERNAL);
    weights.set_data_type(type);
    weights.set_dims(0, count);
    for (const auto& [key, value] : entries) {
      auto* entry = weights.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    const std::filesystem::path path = folder_ / "model.onnx";
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    return import_model(path);
  }
  std::string refusal(const Entries& entries, int type = TensorProto::FLOAT, std::int64_t count = 2) const {
    return base::refusal([&] { imported(entries, type, count); });
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("tacit_external_data_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ExternalData, AreReadFromTheirPlaceInTheFile) {
  const auto weights = [&](const Entries& entries) { return imported(entries).constants.at(0).data; };
  EXPECT_THAT(weights({{"location", "weights.bin"}}), ElementsAre(7, 8));
  EXPECT_THAT(weights({{"location", "weights.bin"}, {"offset", "0"}, {"length", "8"}}), ElementsAre(7, 8));
  EXPECT_THAT(weights({{"location", "weights.bin"}, {"offset", "4"}}), ElementsAre(8, 9));
}

TEST_F(ExternalData, AreRefusedWhereTheFileDoesNotHoldThem) {
  const auto from = [&](const std::string& offset) {
    return refusal({{"location", "weights.bin"}, {"offset", offset}});
  };
  EXPECT_THAT(from("5"), HasSubstr("the weight tensor 'w' keeps its data in another file: 'weights.bin' does not hold "
                                   "the 8 bytes of its shape [2] from byte 5 on"));
  for (const char* offset : {"12", "13", "18446744073709551615"})
    EXPECT_THAT(from(offset), HasSubstr(std::string("from byte ") + offset + " on")) << "of 12 bytes";
  for (const char* length : {"4", "7", "9", "12"})
    EXPECT_THAT(refusal({{"location", "weights.bin"}, {"length", length}}), HasSubstr("does not hold the 8 bytes"))
        << length;
  EXPECT_THAT(from("four"), HasSubstr("its offset 'four' is no number"));
  EXPECT_THAT(from("-4"), HasSubstr("its offset '-4' is no number"));
  EXPECT_THAT(refusal({{"location", "weights.bin"}, {"length", "all"}}), HasSubstr("its length 'all' is no number"));
  // Types whose elements are no whole bytes, and tensors of none.
  EXPECT_THAT(refusal({{"location", "weights.bin"}}, 22), HasSubstr("does not hold the 0 bytes"));
  EXPECT_THAT(refusal({{"location", "weights.bin"}}, TensorProto::FLOAT, 0), HasSubstr("does not hold the 0 bytes"));
}

TEST_F(ExternalData, LieInAFileBesideTheModel) {
  for (const char* name : {"", ".", "..", "../weights.bin", "sub/weights.bin", "/etc/passwd"})
    EXPECT_THAT(refusal({{"location", name}}),
                HasSubstr(std::string("'") + name + "' is not the name of a file beside the model"))
        << name;
  EXPECT_THAT(refusal({}), HasSubstr("'' is not the name of a file beside the model"));
  for (const char* name : {"none.bin", "sub", "link.bin"})
    EXPECT_THAT(refusal({{"location", name}}),
                HasSubstr(std::string("there is no file '") + name + "' beside the model"))
        << name;
}

TEST(BytesOfElement, AreThoseOfWholeBytes) {
  using Type = TensorProto;
  for (const int type : {Type::BOOL, Type::INT8, Type::UINT8}) EXPECT_EQ(bytes_of_element(type), 1u) << type;
  for (const int type : {Type::INT16, Type::UINT16, Type::FLOAT16, Type::BFLOAT16})
    EXPECT_EQ(bytes_of_element(type), 2u) << type;
  for (const int type : {Type::INT32, Type::UINT32, Type::FLOAT}) EXPECT_EQ(bytes_of_element(type), 4u) << type;
  for (const int type : {Type::INT64, Type::UINT64, Type::DOUBLE}) EXPECT_EQ(bytes_of_element(type), 8u) << type;
  for (const int type : {21, 22, 0, 99, int{Type::STRING}, int{Type::COMPLEX64}})
    EXPECT_EQ(bytes_of_element(type), 0u) << type;
}

}  // namespace
}  // namespace tacit::graph::onnx
