#include "runtime/slots/decryption_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"

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

}  // namespace
}  // namespace tacit::runtime
