#include "bench/slots/convolution_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/sharding/published_rotations.h"

namespace tacit::bench {
namespace {

using layout::Index;
using layout::Shape;
using testing::HasSubstr;

nlohmann::ordered_json result_of(const ConvolutionCase& convolution, const ConvolutionBenchOptions& options) {
  return run_convolution(convolution, options, [](const std::string&) {});
}

// An image whose channels each exceed a ciphertext, at secure parameters: six ciphertexts of every second row.
TEST(ConvolutionBench, AStemLargerThanACiphertextIsRightUnderEncryption) {
  const ConvolutionCase small{"small", {3, 72, 72}, {4, 3, 7, 7}, 2, 3};
  EXPECT_EQ(small.out(), (Shape{4, 36, 36}));
  const nlohmann::ordered_json result = result_of(small, {.log_n = 13, .depth = 1, .repeats = 1});
  const nlohmann::ordered_json& term = result.at("plan").at("terms").at(0);
  EXPECT_EQ(term.at("input_ciphertexts"), 6);
  EXPECT_EQ(term.at("output_ciphertexts"), 2);
  EXPECT_THAT(term.at("in").get<std::string>(), HasSubstr("across(d1:3/1 d2:2/1)"));
  EXPECT_EQ(term.at("products"), 2 * 3 * 7 * 8);
  EXPECT_GT(result.at("largest_result").get<double>(), 0.5);
  EXPECT_LT(result.at("largest_error").get<double>(), 1e-4);
  EXPECT_GT(result.at("peak_bytes").get<double>(), 1e6);
  const std::string text = convolution_bench_text({{"results", {result}}});
  EXPECT_THAT(text, HasSubstr("6 -> 2"));
  EXPECT_THAT(text, HasSubstr("[3,72,72] weight [4,3,7,7] stride 2 padding 3"));
}

TEST(ConvolutionBench, PlansRotateLessThanPublishedMethods) {
  // [2048,7,7] -> [512,7,7] by 1 x 1 at N = 2^16, and ResNet-18's last stage. Each other case takes a second.
  int planned = 0;
  for (const ConvolutionCase& c : convolution_cases()) {
    if (c.name != "pointwise" && c.name != "stage4") continue;
    ++planned;
    const nlohmann::ordered_json plan = result_of(c, {.plan_only = true}).at("plan");
    EXPECT_LT(4 * plan.at("rotations").get<Index>(), c.published_rotations) << c.name;
    EXPECT_LT(plan.at("terms").at(0).at("density").get<double>(), 0.02) << c.name;
  }
  EXPECT_EQ(planned, 2);
}

}  // namespace
}  // namespace tacit::bench
