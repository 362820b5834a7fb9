#include "app/service/durable_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

class DurableFile : public testing::Test {
 protected:
  std::string content(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path path(const char* name) const { return folder_.path() / name; }
  const base::TemporaryFolder folder_;
};

TEST_F(DurableFile, ReplacesWhatWasThereAndIsForItsOwner) {
  for (const char* text : {"first, and longer", "second", ""}) {
    write_durably(path("state"), text);
    EXPECT_EQ(content("state"), text);
    EXPECT_FALSE(std::filesystem::exists(path("state.new")));
  }
  EXPECT_EQ(std::filesystem::status(path("state")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(DurableFile, ArrivesInPiecesOrNotAtAll) {
  write_durably(path("state"), "old");
  std::string whole;
  DurableWriter writer(path("state"));
  for (int i = 0; i < 10000; ++i) {
    const std::string piece = std::to_string(i) + "\n";
    whole += piece;
    writer.add(piece);
  }
  EXPECT_EQ(content("state"), "old");
  writer.finish();
  EXPECT_EQ(content("state"), whole);
  DurableWriter(path("state")).add("left");
  EXPECT_EQ(content("state"), whole);
}

TEST_F(DurableFile, SaysWhichFileCannotBeWritten) {
  EXPECT_EQ(base::refusal([&] { write_durably(path("no/state"), "x"); }),
            path("no/state.new").string() + ": cannot write: No such file or directory");
  std::filesystem::create_directories(path("taken/by a folder"));
  EXPECT_EQ(base::refusal([&] { write_durably(path("taken"), "x"); }),
            path("taken").string() + ": cannot write: Is a directory");
}

// Of a folder and of a device, too, of which a system may keep nothing.
TEST_F(DurableFile, IsAnythingThatCanBeOpened) {
  write_durably(path("state"), "x");
  for (const std::filesystem::path& there : {path("state"), folder_.path(), std::filesystem::path("/dev/null")})
    EXPECT_EQ(base::refusal([&] { make_durable(there); }), base::kNotRefused) << there;
  EXPECT_EQ(base::refusal([&] { make_durable(path("none")); }),
            path("none").string() + ": cannot write: No such file or directory");
}

TEST_F(DurableFile, IsLockedByOneAtATime) {
  EXPECT_FALSE(FileLock().held());
  {
    const FileLock one = FileLock::lock(path("claim"));
    EXPECT_TRUE(one.held());
    EXPECT_FALSE(FileLock::try_lock(path("claim")).held());
    EXPECT_TRUE(FileLock::try_lock(path("another")).held());
  }
  EXPECT_TRUE(FileLock::try_lock(path("claim")).held()) << "it has gone";
  EXPECT_NE(base::refusal([&] { FileLock::try_lock(path("no/claim")); }), base::kNotRefused);
}

}  // namespace
}  // namespace tacit::app::service
