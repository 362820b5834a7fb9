#include "graph/onnx/tensor_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/integers.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
TensorProto raw(int type, const std::vector<T>& values) {
  TensorProto proto;
  proto.set_data_type(type);
  proto.add_dims(static_cast<std::int64_t>(values.size()));
  proto.set_raw_data(values.data(), values.size() * sizeof(T));
  return proto;
}

std::string proto_refusal(const TensorProto& proto) {
  return base::refusal([&] { to_tensor(proto, "w"); });
}

/// Two elements a byte, the first in the low half; the last byte may hold one.
TEST(TensorProto, ReadsIntegersOfFourBits) {
  TensorProto proto;
  proto.set_data_type(22);
  proto.add_dims(3);
  proto.set_raw_data("\x8f\x07", 2);
  EXPECT_THAT(to_tensor(proto, "w").data, ElementsAre(-1, -8, 7));
  proto.set_data_type(21);
  EXPECT_THAT(to_tensor(proto, "w").data, ElementsAre(15, 8, 7));
  proto.set_raw_data("\x8f", 1);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("w has 2 elements but holds data for 1"));
}

TEST(TensorProto, ReadsEveryNumericTypeRaw) {
  EXPECT_THAT(to_tensor(raw<float>(TensorProto::FLOAT, {1.5F, -2.F}), "w").data, ElementsAre(1.5, -2));
  EXPECT_THAT(to_tensor(raw<double>(TensorProto::DOUBLE, {0.1, -1e300}), "w").data, ElementsAre(0.1, -1e300));
  EXPECT_THAT(to_tensor(raw<std::int8_t>(TensorProto::INT8, {-128, 127}), "w").data, ElementsAre(-128, 127));
  EXPECT_THAT(to_tensor(raw<std::uint8_t>(TensorProto::UINT8, {0, 255}), "w").data, ElementsAre(0, 255));
  EXPECT_THAT(to_tensor(raw<std::int16_t>(TensorProto::INT16, {-32768}), "w").data, ElementsAre(-32768));
  EXPECT_THAT(to_tensor(raw<std::uint16_t>(TensorProto::UINT16, {65535}), "w").data, ElementsAre(65535));
  EXPECT_THAT(to_tensor(raw<std::int32_t>(TensorProto::INT32, {-2147483647}), "w").data, ElementsAre(-2147483647.0));
  EXPECT_THAT(to_tensor(raw<std::uint32_t>(TensorProto::UINT32, {4294967295U}), "w").data, ElementsAre(4294967295.0));
  EXPECT_THAT(to_tensor(raw<std::int64_t>(TensorProto::INT64, {-(1LL << 53), 7}), "w").data, ElementsAre(-0x1p53, 7));
  EXPECT_THAT(to_tensor(raw<std::uint64_t>(TensorProto::UINT64, {1ULL << 53}), "w").data, ElementsAre(0x1p53));
  EXPECT_THAT(to_tensor(raw<std::uint8_t>(TensorProto::BOOL, {0, 1, 2}), "w").data, ElementsAre(0, 1, 1));
}

TEST(TensorProto, ReadsHalfPrecisions) {
  // 1, -2, the largest (65504), the smallest normal (2^-14), the smallest (2^-24), minus infinity.
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0xFC00};
  EXPECT_THAT(to_tensor(raw<std::uint16_t>(TensorProto::FLOAT16, halves), "w").data,
              ElementsAre(1, -2, 65504, 0x1p-14, 0x1p-24, -std::numeric_limits<double>::infinity()));
  EXPECT_THAT(to_tensor(raw<std::uint16_t>(TensorProto::BFLOAT16, {0x3F80, 0xC020}), "w").data, ElementsAre(1, -2.5));
  EXPECT_THAT(proto_refusal(raw<std::uint16_t>(TensorProto::FLOAT16, {0x7C01})), HasSubstr("NaN"));
}

TEST(TensorProto, ReadsTypedFields) {
  TensorProto proto;
  proto.set_data_type(TensorProto::INT8);
  proto.add_dims(2);
  proto.add_int32_data(-3);
  proto.add_int32_data(4);
  const Tensor tensor = to_tensor(proto, "w");
  EXPECT_THAT(tensor.data, ElementsAre(-3, 4));
  EXPECT_TRUE(tensor.integral);
  EXPECT_THAT(tensor.shape, ElementsAre(2));
}

TEST(TensorProto, IntegersBeyond2To53AreLost) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(to_tensor(raw<std::int64_t>(TensorProto::INT64, {kMax, -kMax}), "w").data,
              ElementsAre(kLostInteger, -kLostInteger));
  EXPECT_THAT(to_tensor(raw<std::int64_t>(TensorProto::INT64, {1LL << 53, (1LL << 53) + 1}), "w").data,
              ElementsAre(0x1p53, kLostInteger));
}

TEST(TensorProto, RefusesDataThatDoesNotFillTheShape) {
  TensorProto proto = raw<float>(TensorProto::FLOAT, {1, 2, 3});
  proto.set_dims(0, 4);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("has 4 elements but holds data for 3"));
  proto.set_dims(0, -3);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("negative extent"));
  proto.set_dims(0, std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(proto_refusal(proto), HasSubstr("more than"));
  proto.set_dims(0, 3);
  proto.mutable_raw_data()->push_back('x');
  EXPECT_NE(proto_refusal(proto), base::kNotRefused);
  proto.set_data_type(TensorProto::COMPLEX64);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("the element type COMPLEX64"));
  proto.set_data_type(23);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("number 23"));
}

TEST(TensorProto, ReadsEveryTypeFromItsField) {
  const auto of = [](int type, const auto& add) {
    TensorProto proto;
    proto.set_data_type(type);
    proto.add_dims(2);
    add(proto);
    return to_tensor(proto, "w").data;
  };
  const auto ints = [](std::int32_t a, std::int32_t b) {
    return [=](TensorProto& proto) {
      proto.add_int32_data(a);
      proto.add_int32_data(b);
    };
  };
  const auto unsigned_ints = [](std::uint64_t a, std::uint64_t b) {
    return [=](TensorProto& proto) {
      proto.add_uint64_data(a);
      proto.add_uint64_data(b);
    };
  };
  EXPECT_THAT(of(TensorProto::FLOAT,
                 [](TensorProto& proto) {
                   proto.add_float_data(1.5F);
                   proto.add_float_data(-2);
                 }),
              ElementsAre(1.5, -2));
  EXPECT_THAT(of(TensorProto::DOUBLE,
                 [](TensorProto& proto) {
                   proto.add_double_data(0.1);
                   proto.add_double_data(-1e300);
                 }),
              ElementsAre(0.1, -1e300));
  EXPECT_THAT(of(TensorProto::INT64,
                 [](TensorProto& proto) {
                   proto.add_int64_data(-(1LL << 40));
                   proto.add_int64_data(7);
                 }),
              ElementsAre(-0x1p40, 7));
  EXPECT_THAT(of(TensorProto::FLOAT16, ints(0x3C00, 0xC000)), ElementsAre(1, -2));
  EXPECT_THAT(of(TensorProto::BFLOAT16, ints(0x3F80, 0xC020)), ElementsAre(1, -2.5));
  EXPECT_THAT(of(TensorProto::BOOL, ints(0, 1)), ElementsAre(0, 1));
  EXPECT_THAT(of(TensorProto::INT16, ints(-32768, 32767)), ElementsAre(-32768, 32767));
  EXPECT_THAT(of(TensorProto::INT32, ints(-5, 1 << 30)), ElementsAre(-5, 0x1p30));
  EXPECT_THAT(of(TensorProto::UINT8, ints(0, 255)), ElementsAre(0, 255));
  EXPECT_THAT(of(TensorProto::UINT16, ints(0, 65535)), ElementsAre(0, 65535));
  EXPECT_THAT(of(TensorProto::UINT32, unsigned_ints(1, 4294967295U)), ElementsAre(1, 4294967295.0));
  EXPECT_THAT(of(TensorProto::UINT64, unsigned_ints(1, 1ULL << 53)), ElementsAre(1, 0x1p53));
}

TEST(TensorProto, RefusesWhatLiesElsewhereAndTextsThatAreMissing) {
  TensorProto proto = raw<float>(TensorProto::FLOAT, {1, 2});
  proto.mutable_segment();
  EXPECT_THAT(proto_refusal(proto), HasSubstr("w is stored in segments, which is not supported"));
  proto = raw<float>(TensorProto::FLOAT, {1, 2});
  proto.add_external_data();
  EXPECT_THAT(proto_refusal(proto), HasSubstr("w keeps its data in another file"));
  proto.clear_external_data();
  proto.set_data_location(TensorProto::EXTERNAL);
  EXPECT_THAT(proto_refusal(proto), HasSubstr("w keeps its data in another file"));
  TensorProto texts;
  texts.set_data_type(TensorProto::STRING);
  texts.add_dims(2);
  texts.add_string_data("a");
  EXPECT_THAT(proto_refusal(texts), HasSubstr("w has 2 elements but holds data for 1"));
  texts.add_string_data("b");
  EXPECT_EQ(proto_refusal(texts), base::kNotRefused);
}

TEST(TensorProto, TwoElementsOfFourBitsFillAByte) {
  for (const auto& [type, expected] : {std::pair{21, std::vector<double>{15, 8}}, {22, std::vector<double>{-1, -8}}}) {
    TensorProto proto;
    proto.set_data_type(type);
    proto.add_dims(2);
    proto.set_raw_data("\x8f", 1);
    EXPECT_EQ(to_tensor(proto, "w").data, expected) << type;
    proto.set_raw_data("\x8f\x07", 2);
    EXPECT_THAT(proto_refusal(proto), HasSubstr("w has 1 elements but holds data for 2")) << type;
  }
}

TEST(TensorProto, BytesThatAreNoWholeElementsAreRefused) {
  TensorProto proto = raw<float>(TensorProto::FLOAT, {1, 2, 3});
  proto.mutable_raw_data()->push_back('x');
  EXPECT_EQ(proto_refusal(proto), "w has 3 elements but holds data for 3");
  proto.mutable_raw_data()->append("yzw");
  EXPECT_EQ(proto_refusal(proto), "w has 3 elements but holds data for 4");
}

TEST(TensorProto, IsWrittenInTheTypesThatInferenceReads) {
  const Tensor tensor{{1, 2}, {3, -4}, true};
  for (const int type : {TensorProto::FLOAT, TensorProto::DOUBLE, TensorProto::INT32, TensorProto::INT64}) {
    TensorProto proto;
    ASSERT_TRUE(to_proto(tensor, type, proto)) << type;
    const Tensor again = to_tensor(proto, "w");
    EXPECT_THAT(again.data, ElementsAre(3, -4)) << type;
    EXPECT_THAT(again.shape, ElementsAre(1, 2)) << type;
  }
  TensorProto truths;
  ASSERT_TRUE(to_proto({{2}, {1, 0}, true}, TensorProto::BOOL, truths));
  EXPECT_THAT(to_tensor(truths, "w").data, ElementsAre(1, 0));
  for (const int type : {TensorProto::FLOAT16, TensorProto::UINT8, TensorProto::STRING}) {
    TensorProto proto;
    EXPECT_FALSE(to_proto(tensor, type, proto)) << type;
  }
}

}  // namespace
}  // namespace tacit::graph::onnx
