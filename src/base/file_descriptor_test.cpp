#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::base {
namespace {

std::span<const std::byte> text_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(FileDescriptor, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  ASSERT_TRUE(file.is_open() && file.is_regular());
  EXPECT_TRUE(file.write(0, text_bytes("abcdef")));
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
  EXPECT_TRUE(file.write(0, text_bytes("abc")) && file.write(0, text_bytes("def")));
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
  ASSERT_TRUE(file.write(0, text_bytes("abc")));
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
  EXPECT_FALSE(file.write(0, text_bytes("abc")));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_TRUE(file.write(0, {})) << "nothing is always written";
}

TEST(FileDescriptor, TellsFilesFromFoldersAndDevices) {
  const TemporaryFolder folder;
  EXPECT_TRUE(FileDescriptor(folder.path() / "file", O_RDWR | O_CREAT).is_regular());
  EXPECT_FALSE(FileDescriptor(folder.path(), O_RDONLY).is_regular());
  EXPECT_FALSE(FileDescriptor("/dev/null", O_RDONLY).is_regular());
}

TEST(FileDescriptor, ReadsAndWritesSingleBytes) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  EXPECT_TRUE(file.write(0, text_bytes("abcde")));
  EXPECT_TRUE(file.write(5, text_bytes("f")));
  std::array<std::byte, 4> read{};
  EXPECT_EQ(file.read(5, read), 1u);
  EXPECT_EQ(read[0], std::byte{'f'});
}

TEST(FileDescriptor, ReadsOnFromWhereAPieceEnded) {
  // Linux gives a file of this kind in pieces of a page at most.
  const char* const path = "/proc/kallsyms";
  constexpr std::size_t kBytes = 20000, kAround = 8192;
  const FileDescriptor file(path, O_RDONLY);
  std::vector<char> whole(kBytes);
  std::ifstream(path, std::ios::binary).read(whole.data(), kBytes);
  std::vector<char> read(kBytes + 2 * kAround, '#');
  const ssize_t piece = ::pread(file.number(), read.data() + kAround, kBytes, 0);
  if (piece <= 0 || static_cast<std::size_t>(piece) == kBytes) GTEST_SKIP() << "this system has no file in pieces";
  EXPECT_EQ(file.read(0, std::as_writable_bytes(std::span(read).subspan(kAround, kBytes))), kBytes);
  const std::vector<char> untouched(kAround, '#');
  EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), read.begin()));
  EXPECT_TRUE(std::equal(whole.begin(), whole.end(), read.begin() + kAround));
  EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), read.end() - kAround));
}

TEST(FileDescriptor, EndsAReadWhereItsMemoryDoes) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  constexpr std::size_t kPage = 4096;
  EXPECT_TRUE(file.write(0, std::vector<std::byte>(2 * kPage, std::byte{7})));
  // A page before, one to read to, and one that the system may not write to.
  void* const memory = mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span pages(static_cast<std::byte*>(memory), 3 * kPage);
  ASSERT_EQ(mprotect(pages.data() + 2 * kPage, kPage, PROT_NONE), 0);
  EXPECT_EQ(file.read(0, pages.subspan(kPage, 2 * kPage)), kPage);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(pages[kPage - 1], std::byte{0});
  EXPECT_EQ(pages[2 * kPage - 1], std::byte{7});
  munmap(memory, 3 * kPage);
}

TEST(FileDescriptor, AnInterruptionOfSomethingElseIsNotItsOwn) {
  const TemporaryFolder folder;
  const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
  const auto write_and_lock = [&] {
    alarm(20);  // ends what would try again and again
    errno = EINTR;
    const bool written = file.write(0, text_bytes("abc"));
    errno = EINTR;
    const bool locked = file.lock(LOCK_EX);
    std::_Exit(written && locked ? 0 : 1);
  };
  EXPECT_EXIT(write_and_lock(), testing::ExitedWithCode(0), "");
}

TEST(FileDescriptor, MayHaveTheNumberZero) {
  const TemporaryFolder folder;
  const auto open_as_zero = [&] {
    ::close(0);
    FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT);
    std::_Exit(file.number() == 0 && file.is_open() && file.close() && !file.is_open() ? 0 : 1);
  };
  EXPECT_EXIT(open_as_zero(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tacit::base
