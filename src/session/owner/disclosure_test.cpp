#include "session/owner/disclosure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/refusal_for_test.h"
#include "session/owner/integers/result_reader.h"
#include "session/owner/integers/sharing.h"
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

TEST(Disclosure, OfNumbersIsWithinBounds) {
  for (const auto& refused : {refused_on_slots, refused_on_integers}) {
    EXPECT_EQ(refused({.sharing = params::Sharing{.bits = 4}}), base::kNotRefused);
    EXPECT_EQ(refused({.sharing = params::Sharing{.bits = 1001}}),
              "sharing: the number of bits is 1001, and -1000 to 1000 are accepted");
  }
}

std::string refused_by_plan(const nlohmann::ordered_json& shared_numbers, const params::Sharing& promise,
                            bool has_labels = false) {
  return base::refusal([&] { require_shared(shared_numbers, promise, has_labels); });
}

TEST(Disclosure, OfNumbersOnIntegersNeedsResultsThatNoiseRarelyChanges) {
  const nlohmann::ordered_json rare{{"log2_failure_of_run", -40.0}, {"refused", nullptr}};
  EXPECT_EQ(refused_by_plan(rare, {}), base::kNotRefused) << "1024 results with 30 bits";
  EXPECT_EQ(refused_by_plan({{"log2_failure_of_run", nullptr}, {"refused", nullptr}}, {.statistical_bits = 80}),
            base::kNotRefused);
  EXPECT_EQ(refused_by_plan(rare, {.decryptions = 2048}),
            "noise changes a result with probability 2^-40.0, and 2048 shared results with 30 statistical bits allow "
            "2^-41.0: compile for rarer failures (--failure), or promise fewer results (--share-decryptions)");
  EXPECT_THAT(refused_by_plan(rare, {.statistical_bits = 31}, true),
              testing::EndsWith("(--share-decryptions), or show others labels alone (decrypt --labels)"));
  EXPECT_EQ(refused_by_plan(rare, {.statistical_bits = 19}),
            base::refusal([] { params::check({.statistical_bits = 19}); }));
  EXPECT_EQ(refused_by_plan({{"log2_failure_of_run", -128.0}, {"refused", "node 'r': why"}}, {}, true),
            "numbers of results cannot be shared: node 'r': why, or show others labels alone (decrypt --labels)");
}

}  // namespace
}  // namespace tacit::session
