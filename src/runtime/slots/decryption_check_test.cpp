#include "runtime/slots/decryption_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "params/noise.h"

namespace tacit::runtime {
namespace {

using Slots = std::vector<std::complex<double>>;

/// Six elements and two zeroes, again and again.
class DecryptionCheck : public ::testing::Test {
 protected:
  DecryptionCheck() : slots_(parameters_.slots()) {
    output_.layout = layout::Layout::row_major({6}, static_cast<layout::Index>(parameters_.slots()));
    output_.name = std::string("the answer");
    output_.level = 1;
    output_.scale = parameters_.scale();
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i] = {i % 8 < 6 ? 0.5 * static_cast<double>(i % 8) : 0, 1e-4};
  }
  double check() const { return check_decryption(output_, parameters_, {&slots_, 1}); }
  void refuses(const char* reason) const {
    EXPECT_THAT([&] { check(); }, ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr(reason)));
  }

  const params::CkksParameters parameters_ = params::CkksParameters::check(params::named_literal("N13-d4"));
  program::ClientOutput output_;
  Slots slots_;
};

TEST_F(DecryptionCheck, AcceptsSmallNoiseAndSaysHowLargeItIs) { EXPECT_NEAR(check(), 1e-4, 1e-12); }

TEST_F(DecryptionCheck, RefusesSlotsThatAreNoFiniteNumbers) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::complex<double> bad : {std::complex<double>(nan, 0), {0, nan}, {infinity, 0}, {0, -infinity}}) {
    slots_[2] = bad;
    refuses("output 'the answer': a decrypted slot is not a finite number");
  }
}

TEST_F(DecryptionCheck, RefusesWhatExceedsTheTolerance) {
  constexpr double kTolerance = 2.5 / 64;
  slots_[3].imag(-kTolerance - 1e-12);
  refuses("an imaginary part");
  slots_[3].imag(kTolerance - 1e-12);
  check();
  slots_[103] = 0.04;
  refuses("a slot that holds no element");
  slots_[103] = 0.039;
  check();
  slots_[104] = 0.079;  // of element 0, twice the tolerance apart at most
  refuses("two copies of an element");
  slots_[104] = 0.078;
  check();
}

TEST_F(DecryptionCheck, RefusesWhatMayHaveOverflowed) {
  const double most = largest_value(parameters_, 1, output_.scale);
  slots_.assign(slots_.size(), 1.01 * most);
  output_.layout =
      layout::Layout::row_major({static_cast<layout::Index>(slots_.size())}, static_cast<layout::Index>(slots_.size()));
  refuses("may have overflowed the ciphertext modulus");
  output_.lowest = -2 * most;
  output_.highest = 2 * most;
  check();
}

// A 64th of the largest value, of 1 where the bounds allow it; 1024 fresh noises; 16 modelled ones.
TEST_F(DecryptionCheck, TheToleranceIsTheLargestOfItsThreeParts) {
  const auto expect_tolerance = [&](double lowest, double highest, double noise, double expected) {
    output_.lowest = lowest;
    output_.highest = highest;
    output_.noise = noise;
    slots_[3].imag(expected * (1 + 1e-9));
    refuses("an imaginary part");
    slots_[3].imag(expected * (1 - 1e-9));
    EXPECT_NO_THROW(check()) << expected;
  };
  expect_tolerance(0, 0, 0, 2.5 / 64);
  expect_tolerance(-4, 3, 0, 2.5 / 64);
  expect_tolerance(-1, 2, 0, 2.0 / 64);
  expect_tolerance(-2.25, 1, 0, 2.25 / 64);
  expect_tolerance(-4, 3, 0.5, 8);
  slots_.assign(slots_.size(), 0);
  EXPECT_EQ(check(), 0);
  expect_tolerance(0, 0, 0, 1024 * params::symmetric_encryption_noise(parameters_, output_.scale));
  expect_tolerance(-4, 3, 0, 1.0 / 64);
  expect_tolerance(-0.25, 0.5, 0, 0.5 / 64);
}

TEST_F(DecryptionCheck, ValuesAreHeldToTheBoundsWithEightDeviationsToSpare) {
  output_.lowest = -1;
  output_.highest = 2;
  EXPECT_NO_THROW(check_bounds(output_, std::vector<double>{-1.8, 2.8}, 0.1));
  const auto refuses = [&](const std::vector<double>& values, const char* reason) {
    EXPECT_THAT([&] { check_bounds(output_, values, 0.1); },
                ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr(reason)));
  };
  refuses({0, -1.81}, "element 1 decrypts to a private value (--verbose shows it), outside [-1, 2]");
  refuses({2.81, 0}, "element 0 decrypts to");
  refuses({0, 0, std::numeric_limits<double>::quiet_NaN()}, "element 2 decrypts to");
  output_.lowest = output_.highest;  // any value
  EXPECT_NO_THROW(check_bounds(output_, std::vector<double>{-100, 100}, 0.1));
}

TEST_F(DecryptionCheck, TheLargestValueIsAQuarterOfTheModulus) {
  const double modulus = static_cast<double>(parameters_.q()[0]) * static_cast<double>(parameters_.q()[1]);
  EXPECT_NEAR(largest_value(parameters_, 1, 0x1p30) / (modulus / 4 / 0x1p30), 1, 1e-9);
  EXPECT_NEAR(largest_value(parameters_, 0, 0x1p30) / (static_cast<double>(parameters_.q()[0]) / 4 / 0x1p30), 1, 1e-9);
  EXPECT_THAT([&] { check_decryption(output_, parameters_, {}); },
              ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr("no ciphertext came back")));
}

// Sixteen times a modelled noise of a half.
TEST_F(DecryptionCheck, WhatIsAsLargeAsTheToleranceIsAccepted) {
  output_.noise = 0.5;
  slots_[3].imag(-8);
  EXPECT_NO_THROW(check());
  slots_[7] = 8;  // holds no element
  EXPECT_NO_THROW(check());
  slots_[8] = 16;  // of element 0, whose first copy is 0
  EXPECT_NO_THROW(check());
  slots_[8] = 16.0000001;
  refuses("the difference of two copies of an element");
  slots_[8] = -16;
  slots_[7] = -8.0000001;
  refuses("a slot that holds no element");
}

// Of one slot in 4096 the root mean square is a 64th.
TEST_F(DecryptionCheck, ValuesThatJustFitTheModulusAreAccepted) {
  const auto slots = static_cast<layout::Index>(slots_.size());
  ASSERT_EQ(slots, 4096);
  output_.layout = layout::Layout::row_major({slots}, slots);
  slots_.assign(slots_.size(), 0);
  const double most = largest_value(parameters_, 1, output_.scale);
  slots_[5] = -64 * most;
  EXPECT_NO_THROW(check());
  slots_[5] = 64 * most * (1 + 1e-12);
  refuses("may have overflowed the ciphertext modulus");
}

// Of a scale at which the modulus holds a 256th at the most.
TEST_F(DecryptionCheck, ZerosAreNoOverflow) {
  output_.scale *= largest_value(parameters_, 1, output_.scale) * 256;
  ASSERT_NEAR(largest_value(parameters_, 1, output_.scale), 1.0 / 256, 1e-12);
  slots_.assign(slots_.size(), 0);
  EXPECT_EQ(check(), 0);
}

TEST_F(DecryptionCheck, ValuesAtTheEndsOfTheBoundsAreAccepted) {
  output_.lowest = -1;
  output_.highest = 2;
  EXPECT_NO_THROW(check_bounds(output_, std::vector<double>{-2, 3}, 0.125));  // eight deviations are exactly 1
  EXPECT_NO_THROW(check_bounds(output_, std::vector<double>{-1, 2}, 0));
}

}  // namespace
}  // namespace tacit::runtime
