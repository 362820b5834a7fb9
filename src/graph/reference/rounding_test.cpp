#include "graph/reference/rounding.h"

#include <cmath>
#include <limits>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

struct Rounded {
  double value, result;
};

TEST(Rounding, FormatsHaveTheirDigitsAndTheirRange) {
  struct Case {
    FloatFormat format;
    int digits, least, most;
  };
  for (const Case& one : {Case{FloatFormat::float32, 24, -126, 127}, Case{FloatFormat::float16, 11, -14, 15},
                          Case{FloatFormat::bfloat16, 8, -126, 127}}) {
    const double place = std::ldexp(1.0, 1 - one.digits);  // of numbers from 1 to 2
    const double smallest = std::ldexp(place, one.least), largest = std::ldexp(2 - place, one.most);
    const double half_way = std::ldexp(2 - place / 2, one.most);
    for (const Rounded& expected :
         {Rounded{1 + place, 1 + place}, Rounded{1 + place / 2, 1}, Rounded{1 + 1.5 * place, 1 + 2 * place},
          Rounded{1 + 0.75 * place, 1 + place}, Rounded{2 + place, 2}, Rounded{smallest, smallest},
          Rounded{smallest / 2, 0}, Rounded{smallest * 0.75, smallest}, Rounded{smallest * 2.5, smallest * 2},
          Rounded{largest, largest}, Rounded{half_way, HUGE_VAL}, Rounded{std::nextafter(half_way, 0), largest},
          Rounded{HUGE_VAL, HUGE_VAL}}) {
      EXPECT_EQ(round_to(one.format, expected.value), expected.result) << one.digits << " digits, " << expected.value;
      EXPECT_EQ(round_to(one.format, -expected.value), -expected.result) << one.digits << " digits, minus";
    }
    EXPECT_TRUE(std::isnan(round_to(one.format, NAN)));
    EXPECT_EQ(round_to(FloatFormat::float64, 1 + place / 2), 1 + place / 2);
  }
}

TEST(Rounding, TensorsOfRealsOnly) {
  Tensor x = reals({2}, {2049, -0.1});
  round_to(FloatFormat::float64, x);
  EXPECT_THAT(x.data, testing::ElementsAre(2049, -0.1));
  round_to(FloatFormat::float16, x);
  EXPECT_THAT(x.data, testing::ElementsAre(2048, -0.0999755859375));
  Tensor whole = integers({2049});
  round_to(FloatFormat::float16, whole);
  EXPECT_THAT(whole.data, testing::ElementsAre(2049));
  Tensor words{{1}, {2049}, false, {"a"}};
  round_to(FloatFormat::float16, words);
  EXPECT_THAT(words.data, testing::ElementsAre(2049));
}

TEST(Rounding, NumbersOfTheFormats) {
  for (std::int64_t number = -1; number < 24; ++number) {
    const std::optional<FloatFormat> type = real_type(number);
    EXPECT_EQ(type.has_value(), number == 1 || number == 10 || number == 11 || number == 16) << number;
  }
  EXPECT_EQ(real_type(1), FloatFormat::float32);
  EXPECT_EQ(real_type(10), FloatFormat::float16);
  EXPECT_EQ(real_type(11), FloatFormat::float64);
  EXPECT_EQ(real_type(16), FloatFormat::bfloat16);
}

}  // namespace
}  // namespace tacit::graph::reference
