#include "session/output_files.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

// A key file that is also the file for the server would give the secret away.
TEST(OutputFiles, OneFileUnderTwoSpellingsIsFoundBeforeItExists) {
  const base::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::filesystem::create_symlink("new", "link");
  const std::string absolute = (folder.path() / "new").string();
  for (const std::string& other : {std::string("./new"), absolute, std::string("link"), std::string("././link")}) {
    EXPECT_THROW(check_output_files({"new", other}, {}), base::InputError) << other;
    EXPECT_THROW(check_output_files({other}, {"new"}), base::InputError) << other;
  }
  EXPECT_NO_THROW(check_output_files({"new", "other"}, {"third"}));
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace tacit::session
