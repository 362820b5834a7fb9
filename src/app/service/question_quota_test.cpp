#include "app/service/question_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/service/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

using testing::HasSubstr;

constexpr std::time_t kNoon = 20000 * 86400 + 43200;

TEST(QuestionQuota, CountsByClientStoreAndDay) {
  const base::TemporaryFolder state;
  {
    QuestionQuota quota(state.path(), 10);
    quota.take("anna", "a", 7, kNoon);
    EXPECT_THAT(refusal([&] { quota.take("anna", "a", 4, kNoon); }), HasSubstr("10 questions a day, 7 are used"));
    quota.take("anna", "b", 10, kNoon);
    quota.take("ben", "a", 10, kNoon);
  }
  QuestionQuota again(state.path(), 10);  // after a restart
  again.take("anna", "a", 3, kNoon);
  EXPECT_THAT(refusal([&] { again.take("anna", "a", 1, kNoon + 43199); }), HasSubstr("10 are used"));
  again.take("anna", "a", 10, kNoon + 43200);
  EXPECT_THAT(refusal([&] { again.take("anna", "a", ~0ull, kNoon + 86400); }), HasSubstr("ask fewer"));
}

TEST(QuestionQuota, QuestionsThatAreGivenBackMayBeAskedAgain) {
  const base::TemporaryFolder state;
  QuestionQuota quota(state.path(), 10);
  quota.take("anna", "a", 8, kNoon);
  quota.take("anna", "a", 2, kNoon);
  quota.give_back("anna", "a", 2, kNoon);
  EXPECT_THAT(refusal([&] { quota.take("anna", "a", 3, kNoon); }), HasSubstr("8 are used"));
  quota.take("anna", "a", 2, kNoon);
  quota.give_back("anna", "a", 5, kNoon + 86400);  // of the day before
  EXPECT_THAT(refusal([&] { quota.take("anna", "a", 11, kNoon + 86400); }), HasSubstr("0 are used"));
  quota.give_back("ben", "a", 5, kNoon);
  quota.take("ben", "a", 10, kNoon);
}

TEST(QuestionQuota, WaitsUntilMidnight) {
  const base::TemporaryFolder state;
  QuestionQuota quota(state.path(), 1);
  try {
    quota.take("anna", "a", 2, kNoon);
    FAIL() << "two questions are more than one";
  } catch (const Refusal& refused) {
    EXPECT_EQ(refused.status(), 429);
    EXPECT_EQ(refused.retry_after(), 43200);
  }
}

TEST(QuestionQuota, DamagedCountsBeginAnew) {
  const base::TemporaryFolder state;
  QuestionQuota quota(state.path(), 2);
  quota.take("anna", "a", 2, kNoon);
  std::ofstream(state.path() / "questions" / "anna" / "a.json") << "{\"day\": -1";
  quota.take("anna", "a", 2, kNoon);
}

TEST(QuestionQuota, WithoutALimitNothingIsKept) {
  const base::TemporaryFolder state;
  QuestionQuota quota(state.path(), 0);
  quota.take("anna", "a", 1 << 30, kNoon);
  EXPECT_FALSE(std::filesystem::exists(state.path() / "questions"));
}

}  // namespace
}  // namespace tacit::app::service
