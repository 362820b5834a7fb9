#include "search/store_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace tacit::search {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

StoreShape small_shape() {
  StoreShape shape{
      .version = 3, .metric = Metric::dot, .dimensions = 8, .records = 5000, .step = 0.01, .largest_norm = 2};
  shape.id[0] = 7;
  shape.payload = PayloadShape{.bytes = 16, .per_group = 256, .groups = 20};
  return shape;
}

TEST(StoreShape, GoesThroughJson) {
  const StoreShape shape = small_shape();
  EXPECT_EQ(shape_from_json(to_json(shape)), shape);
  EXPECT_EQ(shape.tiles(), 2U);
  EXPECT_EQ(shape.payload->tiles(), 1U);
}

TEST(StoreShape, RefusesFieldsOutOfRange) {
  const auto refuses = [](const char* field, const nlohmann::json& value, const char* why) {
    nlohmann::json json = to_json(small_shape());
    json[field] = value;
    EXPECT_THAT([&] { shape_from_json(json); }, ThrowsMessage<base::InputError>(HasSubstr(why))) << field;
  };
  refuses("dimensions", 4097U, "\"dimensions\" is 4097, outside 1 to 4096");
  refuses("records", 0U, "\"records\" is 0, outside 1 to 4294967296");
  refuses("version", 0U, "\"version\" is 0, outside 1 to");
  refuses("step", -1.0, "\"step\" is no positive number");
  refuses("step", "1", "\"step\" is no positive number");
  refuses("largest_norm", 4.0, "its largest norm is 4, and int8 numbers reach 3.592");
  refuses("metric", "taxi", "there is no metric 'taxi'; the metrics are cosine, dot, euclid");
  refuses("payload", 3, "\"payload\" is no JSON object");
  refuses("payload", {{"bytes", 1U}, {"per_group", 1U}, {"groups", 20U}}, "has room for fewer records than it states");
  refuses("more", 1, "it has fields that are not part of the format");
  EXPECT_THAT([] { shape_from_json(nlohmann::json::array()); },
              ThrowsMessage<base::InputError>(HasSubstr("no JSON object")));
}

TEST(PayloadShape, FillsOneTileBeforeItNeedsMore) {
  EXPECT_EQ(payload_shape(1000, 32), (PayloadShape{.bytes = 32, .per_group = 125, .groups = 8}));
  EXPECT_EQ(payload_shape(1 << 20, 32), (PayloadShape{.bytes = 32, .per_group = 256, .groups = 4096}));
  EXPECT_EQ(payload_shape(1 << 20, 32).tiles(), 2U);
  EXPECT_EQ(payload_shape(3, 10000), (PayloadShape{.bytes = 10000, .per_group = 1, .groups = 3}));
  EXPECT_EQ(payload_shape(3, 10000).tiles(), 3U);
}

// A quarter of the modulus: the largest integer score is 2^48 for every metric.
TEST(StoreShape, ScaleKeepsScoresInTheModulus) {
  StoreShape shape = small_shape();
  for (const Metric metric : {Metric::cosine, Metric::dot, Metric::euclid}) {
    shape.metric = metric;
    const double norm = shape.largest_integer_norm();
    const double largest = metric == Metric::euclid
                               ? shape.query_scale() * norm * (shape.largest_query_norm() + norm * shape.step / 2)
                               : shape.query_scale() * norm;
    EXPECT_NEAR(largest, 0x1p48, 1e-3 * 0x1p48) << metric_name(metric);
  }
}

}  // namespace
}  // namespace tacit::search
