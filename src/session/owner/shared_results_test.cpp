#include "session/owner/shared_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;

class SharedResults : public testing::Test {
 protected:
  std::string share(std::size_t results, double promised, const runtime::KeySetId& of_key = {1}) const {
    return base::refusal([&] { count_shared_results(key_, of_key, results, {.decryptions = promised}); });
  }
  base::TemporaryFolder folder_;
  std::filesystem::path key_ = folder_.path() / "my.secret";
};

TEST_F(SharedResults, NoMoreAreSharedThanPromised) {
  EXPECT_THAT(share(24, 2), HasSubstr("sharing 24 results is refused: 0 were shared under this key, and at most 2"));
  EXPECT_EQ(share(2, 2), base::kNotRefused) << "what is refused is not counted";
  EXPECT_THAT(share(1, 2), HasSubstr("2 were shared under this key"));
}

TEST_F(SharedResults, TheLeastPromiseHoldsForAllCalls) {
  EXPECT_EQ(share(3, 1000), base::kNotRefused);
  EXPECT_EQ(share(3, 8), base::kNotRefused);
  EXPECT_THAT(share(3, 1000), HasSubstr("6 were shared under this key, and at most 8"));
  EXPECT_EQ(share(2, 1000), base::kNotRefused);
}

TEST_F(SharedResults, AnotherKeyOfThisNameStartsAnew) {
  EXPECT_EQ(share(2, 2), base::kNotRefused);
  EXPECT_EQ(share(2, 2, {2}), base::kNotRefused);
}

TEST_F(SharedResults, TheFileIsForTheOwnerAlone) {
  EXPECT_EQ(share(1, 2), base::kNotRefused);
  EXPECT_EQ(std::filesystem::status(shared_results_beside(key_)).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(SharedResults, ADamagedFileShowsNothing) {
  std::ofstream(shared_results_beside(key_)) << "0";
  EXPECT_THAT(share(1, 1000), HasSubstr("is no count of shared results, or is damaged; nothing is shown"));
  std::filesystem::remove(shared_results_beside(key_));
  std::filesystem::create_directory(shared_results_beside(key_));
  EXPECT_THAT(share(1, 1000), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace tacit::session
