#include "session/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/refusal_for_test.h"
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

TEST(OutputFiles, WhereNoFileCanBeIsSaidBeforeAnythingIsComputed) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "y.npy";
  const auto refusal = [](const std::vector<std::filesystem::path>& outputs,
                          const std::vector<std::filesystem::path>& inputs) {
    return base::refusal([&] { check_output_files(outputs, inputs); });
  };
  EXPECT_EQ(refusal({file, ""}, {"", folder.path() / "x.npy"}), base::kNotRefused);
  EXPECT_THAT(refusal({folder.path() / "none" / "y.npy"}, {}), testing::HasSubstr("there is no folder"));
  EXPECT_THAT(refusal({folder.path()}, {}), testing::HasSubstr("is a folder, a device or a pipe"));
  EXPECT_THAT(refusal({file}, {folder.path() / "x.npy", file}), testing::HasSubstr("is read by this command"));
  EXPECT_THAT(refusal({folder.path() / "z.npy", file, file}, {}), testing::HasSubstr("two different outputs"));
}

TEST(OutputFiles, OfPrivateValuesAreTheOwnersAloneAndEmptyAtFirst) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "secret";
  const auto mode = [&] { return std::filesystem::status(file).permissions() & std::filesystem::perms::all; };
  const auto owners = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  create_private_file(file);
  EXPECT_EQ(mode(), owners);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
  std::ofstream(file) << "of before";
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  create_private_file(file);
  EXPECT_EQ(mode(), owners);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
  EXPECT_THROW(create_private_file(folder.path() / "none" / "secret"), base::InputError);
}

TEST(OutputFiles, ThatBelongTogetherVanishUnlessAllAreKept) {
  const base::TemporaryFolder folder;
  const std::filesystem::path one = folder.path() / "one", two = folder.path() / "two";
  for (const bool kept : {true, false}) {
    std::ofstream(one) << "1";
    std::ofstream(two) << "2";
    {
      WrittenFiles written;
      written.add(one);
      written.add(two);
      if (kept) written.keep();
    }
    EXPECT_EQ(std::filesystem::exists(one), kept);
    EXPECT_EQ(std::filesystem::exists(two), kept);
  }
}

TEST(OutputFiles, LinksThatLeadInACircleEnd) {
  const base::TemporaryFolder folder;
  const std::filesystem::path one = folder.path() / "one", two = folder.path() / "two";
  std::filesystem::create_symlink("two", one);
  std::filesystem::create_symlink("one", two);
  EXPECT_EQ(base::refusal([&] { check_output_files({one}, {folder.path() / "input"}); }), base::kNotRefused);
}

TEST(OutputFiles, ThatCannotBeAreNamed) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "y.npy", below = folder.path() / "none" / "y.npy";
  const auto why = [](const std::vector<std::filesystem::path>& outputs,
                      const std::vector<std::filesystem::path>& inputs) {
    return base::refusal([&] { check_output_files(outputs, inputs); });
  };
  EXPECT_EQ(why({file, below}, {}),
            below.string() + " cannot be written: there is no folder " + below.parent_path().string());
  EXPECT_EQ(why({file, folder.path()}, {}),
            folder.path().string() + " is a folder, a device or a pipe; name a file for the output");
  EXPECT_EQ(why({folder.path() / "z", file}, {file}),
            file.string() + " is read by this command and would be overwritten; choose another name for the output");
  EXPECT_EQ(why({file, file}, {}), file.string() + " is named for two different outputs; give each its own file");
  EXPECT_EQ(why({"", ""}, {""}), base::kNotRefused) << "names of nothing are no file";
  EXPECT_EQ(base::refusal([&] { write_file(below, "x"); }), below.string() + " cannot be written");
}

}  // namespace
}  // namespace tacit::session
