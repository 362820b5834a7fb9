#include <cmath>
#include <string>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor cast_to(std::int64_t to, const Tensor& x) { return only("Cast", {x}, {{"to", to}}); }
std::string refused_to(std::int64_t to, const Tensor& x) { return refusal("Cast", {x}, {{"to", to}}); }

TEST(Cast, RealsReachTheEndsOfWhatProcessorsConvertTo) {
  EXPECT_THAT(cast_to(3, reals({2}, {-0x1p31, 0x1p31 - 1})).data, ElementsAre(0, -1)) << "int8 by way of int32";
  EXPECT_THAT(refused_to(3, reals({1}, {-0x1p31 - 1})), HasSubstr("-2147483649 has no exact value of type int8 here"));
  EXPECT_THAT(cast_to(12, reals({1}, {0x1p32 + 1})).data, ElementsAre(1)) << "uint32 by way of int64";
  EXPECT_THAT(cast_to(7, reals({2}, {0x1p53, -0x1p53})).data, ElementsAre(0x1p53, -0x1p53));
  EXPECT_THAT(refused_to(7, reals({1}, {0x1p53 + 2})), HasSubstr("integers are exact up to 2^53"));
}

TEST(Cast, LostIntegersStayInTheirTypeOnly) {
  EXPECT_THAT(cast_to(7, integers({0x1p62, -0x1p62})).data, ElementsAre(0x1p62, -0x1p62));
  EXPECT_THAT(refused_to(6, integers({0x1p62})), HasSubstr("has no exact value of type int32 here"));
  EXPECT_THAT(refused_to(7, reals({1}, {0x1p62})), HasSubstr("has no exact value of type int64 here"));
}

TEST(Cast, RefusesOtherTypesAndTextsByName) {
  const Tensor x = reals({1}, {1});
  EXPECT_THAT(refused_to(255, x), HasSubstr("a cast to element type 255 is not supported; float, double, float16"));
  EXPECT_THAT(refused_to(256, x), HasSubstr("outside [0, 255]"));
  EXPECT_THAT(refused_to(-1, x), HasSubstr("outside [0, 255]"));
  EXPECT_THAT(refused_to(1, texts({std::string(65, 'x')})),
              HasSubstr(std::string("'").append(64, 'x').append("' is no number")));
  EXPECT_THAT(read(cast_to(8, reals({1}, {HUGE_VAL}))), ElementsAre("INF"));
}

}  // namespace
}  // namespace tacit::graph::reference
