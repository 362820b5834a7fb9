#include "base/machine_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/mebibyte_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::base {
namespace {

/// A machine of 8 GiB of which 6 are free, told by files.
class MachineMemoryTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void SetUp() override {
    write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100000 kB\nMemAvailable:    6291456 kB\n");
  }
  MachineMemory read() const { return machine_memory(folder_.path()); }
  const TemporaryFolder folder_;
};

TEST_F(MachineMemoryTest, IsTheMachinesWithoutAGroup) {
  EXPECT_EQ(read().total, 8192 * kMiB);
  EXPECT_EQ(read().free, 6144 * kMiB);
}

TEST_F(MachineMemoryTest, IsWhatItsGroupAllows) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/memory.max", "2147483648\n");
  write("sys/fs/cgroup/a/memory.current", "1073741824\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 268435456\n");
  EXPECT_EQ(read().total, 2048 * kMiB);
  EXPECT_EQ(read().free, 1280 * kMiB);
  // An inner group may use no more than one around it, and less than it.
  write("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
  write("sys/fs/cgroup/a/b/memory.current", "2147483648\n");
  EXPECT_EQ(read().total, 1024 * kMiB);
  EXPECT_EQ(read().free, 0u);
}

TEST_F(MachineMemoryTest, IsWhatAGroupOfTheFirstVersionAllows) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/outside/of/the/container\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n");
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 52428800\n");
  EXPECT_EQ(read().total, 1024 * kMiB);
  EXPECT_EQ(read().free, 974 * kMiB);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  EXPECT_EQ(read().total, 8192 * kMiB);
}

TEST_F(MachineMemoryTest, IsTheLibrarysWithoutFilesOfTheSystem) {
  const MachineMemory memory = machine_memory(folder_.path() / "nothing");
  EXPECT_GT(memory.total, 16 * kMiB);
  EXPECT_LE(memory.free, memory.total);
}

TEST_F(MachineMemoryTest, SurvivesFilesThatSayNothing) {
  write("proc/meminfo", "MemTotal: many kB\nMemAvailable:\n");
  write("proc/self/cgroup", "nonsense\n0::\n::\n");
  EXPECT_GT(read().total, 16 * kMiB);
}

TEST_F(MachineMemoryTest, IsNotWhatAGroupOfOtherThingsOrALineWithoutAGroupAllows) {
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  for (const char* line : {"5:cpu:/x\n", "5:cpu,cpuacct:/x\n", "5:memory\n", "memory\n"}) {
    write("proc/self/cgroup", line);
    EXPECT_EQ(read().total, 8192 * kMiB) << line;
  }
  write("proc/self/cgroup", "5:cpu,memory:/x\n");
  EXPECT_EQ(read().total, 1024 * kMiB);
}

TEST_F(MachineMemoryTest, IsTheMachinesWhereAGroupMayHaveAllOfIt) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "8589934592\n");
  write("sys/fs/cgroup/memory.current", "8589934592\n");
  EXPECT_EQ(read().free, 6144 * kMiB);
  write("sys/fs/cgroup/memory.max", "8589934591\n");
  EXPECT_EQ(read().free, 0u);
}

TEST_F(MachineMemoryTest, IsZeroBeforeAnythingIsTold) {
  EXPECT_EQ(MachineMemory{}.total, 0u);
  EXPECT_EQ(MachineMemory{}.free, 0u);
}

}  // namespace
}  // namespace tacit::base
