#include "session/owner/disclosure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "session/owner/integers/result_reader.h"
#include "session/owner/slots/result_reader.h"

namespace tacit::session {
namespace {

std::string refused_on_slots(const Disclosure& disclosure) {
  return base::refusal([&] { ResultReader({}, disclosure); });
}
std::string refused_on_integers(const Disclosure& disclosure) {
  return base::refusal([&] { IntegerResultReader({}, disclosure); });
}

TEST(Disclosure, ToTheOwnerIsOfEverything) {
  EXPECT_FALSE(Disclosure{}.labels);
  EXPECT_FALSE(Disclosure{}.sharing);
  EXPECT_EQ(refused_on_slots({}), base::kNotRefused);
  EXPECT_EQ(refused_on_integers({}), base::kNotRefused);
}

TEST(Disclosure, OfNumbersIsForSlotsAndWithinBounds) {
  EXPECT_EQ(refused_on_slots({.sharing = params::Sharing{.bits = 4}}), base::kNotRefused);
  EXPECT_EQ(refused_on_slots({.sharing = params::Sharing{.bits = 1001}}),
            "sharing: the number of bits is 1001, and -1000 to 1000 are accepted");
  EXPECT_THAT(refused_on_integers({.sharing = params::Sharing{.bits = 4}}),
              testing::StartsWith("numbers of results on integers are not flooded"));
}

}  // namespace
}  // namespace tacit::session
