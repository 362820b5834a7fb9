#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::base {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(FileDescriptor, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  ASSERT_TRUE(file.is_open() && file.is_regular());
  EXPECT_TRUE(file.write(0, bytes_of("abcdef")));
  EXPECT_EQ(file.size(), 6u);
  std::array<std::byte, 4> read{};
  file.read_all("name", 1, read);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(read.data()), 4), "bcde");
  EXPECT_EQ(file.read(4, read), 2u);
  EXPECT_EQ(errno, 0);
}

TEST(FileDescriptor, AppendsToAFileThatIsOpenedForIt) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT | O_APPEND);
  EXPECT_TRUE(file.write(0, bytes_of("abc")) && file.write(0, bytes_of("def")));
  std::array<std::byte, 6> read{};
  file.read_all("name", 0, read);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(read.data()), 6), "abcdef");
}

TEST(FileDescriptor, SaysWhyItCannotRead) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_WRONLY | O_CREAT);
  std::array<std::byte, 4> read{};
  EXPECT_THROW(file.read_all("name", 0, read), InputError);
  EXPECT_EQ(errno, EBADF);
}

TEST(FileDescriptor, IsNotOpenForWhatIsNotThere) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "absent", O_RDONLY);
  EXPECT_FALSE(file.is_open() || file.is_regular());
  EXPECT_EQ(file.size(), 0u);
}

TEST(FileDescriptor, IsHeldByOneOwner) {
  const TemporaryFolder folder;
  FileDescriptor first(folder.path() / "file", O_RDWR | O_CREAT), second;
  second = std::move(first);
  EXPECT_TRUE(second.is_open());
  const FileDescriptor other(folder.path() / "file", O_RDWR);
  EXPECT_TRUE(second.lock(LOCK_EX));
  EXPECT_FALSE(other.lock(LOCK_EX | LOCK_NB));
  EXPECT_TRUE(second.close());
  EXPECT_TRUE(other.lock(LOCK_EX | LOCK_NB));
}

TEST(FileDescriptor, TellsAFileThatEndsEarlyFromOneThatCannotBeRead) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  ASSERT_TRUE(file.write(0, bytes_of("abc")));
  std::array<std::byte, 4> read{};
  file.read_all("name", 1, std::span(read).first(2));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(read.data()), 2), "bc");
  expect_refusal<InputError>([&] { file.read_all("name", 1, std::span(read).first(3)); },
                             "name: the file ended while it was read; did something truncate it?");
  const FileDescriptor unreadable(folder.path() / "file", O_WRONLY);
  expect_refusal<InputError>([&] { unreadable.read_all("name", 0, read); }, "name: cannot read: Bad file descriptor");
}

TEST(FileDescriptor, SaysThatItCouldNotWrite) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDONLY | O_CREAT);
  EXPECT_FALSE(file.write(0, bytes_of("abc")));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_TRUE(file.write(0, {})) << "nothing is always written";
}

}  // namespace
}  // namespace tacit::base
