#include "runtime/shared_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

/// What the system says of the memory of this process at an address; nothing where none is.
std::string mapping_at(const std::byte* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::uintptr_t begin = std::stoull(line, nullptr, 16);
    const std::uintptr_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (begin <= address && address < end) return line;
  }
  return {};
}

/// How many objects of shared memory this process has open.
int open_objects() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;  // the folder's own number is gone again
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (target.starts_with("/dev/shm/tacit-")) ++count;
  }
  return count;
}

TEST(SharedMemory, HasNoNameAndNoOpenFileOnceAllRanksHaveIt) {
  ThreadRanks::run(2, [](Communicator& self) {
    const SharedMemory memory = share_memory(self, 5000);
    self.barrier();  // rank 0 takes the name away
    EXPECT_THAT(mapping_at(memory.bytes.data()), AllOf(HasSubstr("/dev/shm/tacit-"), EndsWith(" (deleted)")));
    EXPECT_EQ(mapping_at(memory.bytes.data() + 4999), mapping_at(memory.bytes.data()));
    EXPECT_EQ(open_objects(), 0);
    self.barrier();
  });
}

TEST(SharedMemory, GoesWithItsOwner) {
  OneRank alone;
  SharedMemory memory = share_memory(alone, 5000);
  const std::byte* const at = memory.bytes.data();
  const std::string before = mapping_at(at);
  EXPECT_FALSE(before.empty());
  std::shared_ptr<const void> another = memory.owner;
  memory = {};
  EXPECT_EQ(mapping_at(at), before) << "one of its owners is left";
  another.reset();
  EXPECT_NE(mapping_at(at), before);
}

TEST(SharedMemory, LeavesNothingOpenWhereThereIsNoRoom) {
  OneRank alone;
  EXPECT_TRUE(share_memory(alone, std::size_t{1} << 63).bytes.empty());
  EXPECT_EQ(open_objects(), 0);
}

}  // namespace
}  // namespace tacit::runtime
