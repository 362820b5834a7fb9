#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <thread>

#include "base/aligned.h"
#include "base/file_descriptor.h"
#include "base/machine_memory.h"
#include "base/mebibyte_for_test.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/private_file.h"
#include "base/process_memory.h"
#include "base/random.h"
#include "base/refusal_for_test.h"
#include "base/staged_progress.h"
#include "base/temporary_folder_for_test.h"
#include "base/wipe.h"

namespace tacit::base {
namespace {

TEST(RandomStreams, AreAesInCounterMode) {
  // From `openssl enc -aes-256-ctr` of zeros, under the key 07 00 ... 00 and the nonce of the stream's number.
  const Seed seed{7};
  struct Case {
    std::uint64_t stream, first[6];
  };
  for (const Case& each : {Case{0,
                                {0x702699d911981f2c, 0x8a49131eeca105d1, 0x2845d91a5ddff4f8, 0xbfb8ca5f8da3639d,
                                 0x81226f7509e89604, 0x61d77d9ff6289e1a}},
                           Case{1,
                                {0xeb48a3f9f31cb531, 0x10a5fe9f6ba9f1c1, 0x2c184f599f0ba268, 0x0f1af9f063b5ce86,
                                 0x1825150a7bb45580, 0xe3551bd5d110d06e}},
                           Case{0x0102030405060708,
                                {0x2d5a596ebce8be08, 0x1f19c595b74e9cfd, 0x3c1c142b2f474547, 0x463d459e06f9e9aa,
                                 0xd938eec69eef5486, 0x474acaf1b565df2c}}}) {
    Csprng random(seed, each.stream);
    for (const std::uint64_t word : each.first) EXPECT_EQ(random.next(), word) << each.stream;
  }
  EXPECT_EQ(Csprng(seed).next(), 0x702699d911981f2cu);
  std::vector<std::uint64_t> words(1024);
  Csprng(seed, 1).fill(words);
  EXPECT_EQ(words[511], 0x9cdcdeacb7cdc6c9u);
  EXPECT_EQ(words[512], 0x20acba3292bfee81u);
  EXPECT_EQ(words[1023], 0x07d09c1812877431u);
}

TEST(RandomStreams, AreTheSameInPiecesOfAnyLength) {
  const Seed seed{9};
  std::vector<std::uint64_t> whole(300000);  // more than a mebibyte at once, twice
  Csprng(seed, 2).fill(whole);
  Csprng pieces(seed, 2);
  std::size_t at = 0;
  for (const std::size_t length : {0, 1, 511, 512, 513, 100, 1024, 5, 1500, 131072, 140000}) {
    std::vector<std::uint64_t> piece(length);
    pieces.fill(piece);
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<std::ptrdiff_t>(at))) << length;
    at += length;
    ASSERT_EQ(pieces.next(), whole[at++]) << "behind " << length;
  }
}

TEST(RandomStreams, RejectWordsThatReachABound) {
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4},
                                    std::uint64_t{5}, std::uint64_t{8}, std::uint64_t{9}, std::uint64_t{1} << 32,
                                    std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    Csprng random(Seed{3}, bound), words(Seed{3}, bound);
    const auto bits = std::bit_width(bound - 1);
    for (int i = 0; i < 200; ++i) {
      std::uint64_t expected = 0;
      do {
        expected = words.next();
        if (bits < 64) expected %= std::uint64_t{1} << bits;
      } while (expected >= bound);
      ASSERT_EQ(random.below(bound), expected) << bound;
    }
  }
}

TEST(Wiping, ZeroesNumbersAndListsOfThem) {
  std::vector<std::uint64_t> numbers(5, ~std::uint64_t{0});
  std::vector<std::vector<int>> lists{{1, 2}, {}, {3}};
  {
    const WipedAtExit at_exit(numbers);
    EXPECT_EQ(numbers[4], ~std::uint64_t{0});
  }
  EXPECT_EQ(numbers, std::vector<std::uint64_t>(5, 0));
  wipe(lists);
  EXPECT_EQ(lists, (std::vector<std::vector<int>>{{0, 0}, {}, {0}}));
}

TEST(Threads, AreAsManyAsAllowedAndAllWhereNoneAreNamed) {
  const int all = thread_limit();
  EXPECT_GE(all, 1);
  for (const int threads : {1, 2, 3}) {
    set_thread_limit(threads);
    EXPECT_EQ(thread_limit(), threads);
    for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 0}, {5, 5}, {3, 4}, {3, 5}, {0, 1000}}) {
      std::vector<std::atomic<int>> calls(1002);
      parallel_for(begin, end, [&](std::size_t i) { ++calls[i]; });
      for (std::size_t i = 0; i < calls.size(); ++i)
        ASSERT_EQ(calls[i], i >= begin && i < end ? 1 : 0) << i << " of " << begin << " to " << end;
    }
  }
  set_thread_limit(1);
  std::vector<std::size_t> order;
  const std::thread::id here = std::this_thread::get_id();
  bool elsewhere = false;
  parallel_for(2, 7, [&](std::size_t i) {
    order.push_back(i);
    elsewhere = elsewhere || std::this_thread::get_id() != here;
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{2, 3, 4, 5, 6}));
  EXPECT_FALSE(elsewhere);
  set_thread_limit(0);
  EXPECT_EQ(thread_limit(), all);
  set_thread_limit(-1);
  EXPECT_EQ(thread_limit(), all);
}

/// Whether two of so many iterations are at work at once. Each waits for another one, but not for ever.
bool two_meet(std::size_t iterations) {
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false, given_up = false;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  parallel_for(0, iterations, [&](std::size_t) {
    if (++inside > 1) met = true;
    while (!met && !given_up) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > latest) given_up = true;
    }
    --inside;
  });
  return met;
}

TEST(Threads, TwoOfThemTakeTwoIterationsAtOnce) {
  if (thread_limit() < 2) GTEST_SKIP() << "one processor";
  set_thread_limit(2);
  for (const std::size_t iterations : {2, 3, 10}) EXPECT_TRUE(two_meet(iterations)) << iterations;
  set_thread_limit(1);
  std::vector<std::size_t> one;
  parallel_for(4, 5, [&](std::size_t i) { one.push_back(i); });
  EXPECT_EQ(one, std::vector<std::size_t>{4});
  set_thread_limit(0);
}

TEST(AlignedMemory, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(allocate_aligned(static_cast<std::size_t>(-1)), std::bad_alloc);
  EXPECT_THROW(allocate_aligned(std::size_t{1} << 62), std::bad_alloc);
  AlignedAllocator<std::uint64_t> words;
  EXPECT_THROW(static_cast<void>(words.allocate((std::size_t{1} << 61) + 1)), std::bad_array_new_length);
  AlignedVector<std::uint64_t> some(3, 7);
  some.resize(1);
  EXPECT_EQ(some[0], 7u);
  AlignedVector<std::vector<int>> lists(2);
  EXPECT_TRUE(lists[1].empty());
}

TEST(AlignedMemory, SaysWhetherAnyWasGivenUp) {
  release_kept_memory();
  EXPECT_FALSE(give_up_kept_memory());
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  deallocate_aligned(allocate_aligned(kBytes), kBytes);
  EXPECT_TRUE(give_up_kept_memory());
  EXPECT_FALSE(give_up_kept_memory());
}

TEST(Stages, HaveNoStepsOfThemselves) {
  EXPECT_EQ(StagedProgress::Stage{}.total, 0u);
  EXPECT_EQ(StagedProgress::Stage{}.done, 0u);
}

TEST(Stages, NestAndCountTheirSteps) {
  StagedProgress progress;
  using Stages = std::vector<StagedProgress::Stage>;
  EXPECT_EQ(progress.stages(), Stages{});
  progress.advance(3);  // of no stage
  progress.begin("outer", 10);
  progress.advance(4);
  progress.begin("inner", 0);
  progress.advance();
  progress.advance(2);
  EXPECT_EQ(progress.stages(), (Stages{{"outer", 10, 4}, {"inner", 0, 3}}));
  progress.end();
  progress.advance(5);
  EXPECT_EQ(progress.stages(), (Stages{{"outer", 10, 9}}));
  progress.end();
  progress.end();
  EXPECT_EQ(progress.stages(), Stages{});
  EXPECT_FALSE(progress.cancelled());
  progress.cancel();
  EXPECT_TRUE(progress.cancelled());
  EXPECT_THROW(progress.advance(), Cancelled);
  EXPECT_THROW(progress.begin("more", 1), Cancelled);
}

TEST(FilesThatAreMade, AreTheirOwnersAlone) {
  const TemporaryFolder folder;
  const mode_t before = umask(0);
  const auto mode_of = [&](const char* name) {
    struct stat state {};
    EXPECT_EQ(stat((folder.path() / name).c_str(), &state), 0);
    return state.st_mode & 07777;
  };
  { const FileDescriptor file(folder.path() / "plain", O_RDWR | O_CREAT); }
  { const FileDescriptor file(folder.path() / "shared", O_RDWR | O_CREAT, 0644); }
  EXPECT_EQ(mode_of("plain"), 0600u);
  EXPECT_EQ(mode_of("shared"), 0644u);
  umask(before);
  const std::filesystem::path shared = folder.path() / "shared", plain = folder.path() / "plain";
  EXPECT_EQ(refusal([&] { require_private(plain, "secret key"); }), kNotRefused);
  EXPECT_EQ(refusal([&] { require_private(folder.path() / "absent", "secret key"); }), kNotRefused);
  EXPECT_EQ(
      refusal([&] { require_private(shared, "secret key"); }),
      fmt::format("{0}: others may read or change this secret key (mode 0644), so that it may be known or another "
                  "one; if you trust it still, run: chmod 600 {0}",
                  shared.string()));
  for (const mode_t mode : {0610, 0620, 0640, 0601, 0602, 0604}) {
    chmod(plain.c_str(), mode);
    EXPECT_NE(refusal([&] { require_private(plain, "key"); }), kNotRefused) << mode;
  }
  EXPECT_FALSE(FileDescriptor(folder.path() / "absent", O_RDONLY).is_open());
  EXPECT_TRUE(FileDescriptor().close());
}

TEST(FilesThatAreMade, AreNotThoseOfOtherUsers) {
  // To a user who is not root, /etc/passwd is root's and readable by all.
  const TemporaryFolder folder;
  if (geteuid() != 0) {
    EXPECT_NE(refusal([] { require_private("/etc/passwd", "key"); }).find("run as root: chmod 640"), std::string::npos);
    EXPECT_NE(refusal([] { make_private_folder("/etc", "state folder"); }).find("another user"), std::string::npos);
    return;
  }
  const std::filesystem::path others = folder.path() / "given";
  const FileDescriptor file(others, O_RDWR | O_CREAT);
  if (chown(others.c_str(), 1, 1) != 0) GTEST_SKIP() << "there are no other users";
  const std::string told = fmt::format(
      "{0}: this key belongs to another user (number 1), who may read and change it; use a copy of your own, or run: "
      "chown 0 {0}",
      others.string());
  EXPECT_EQ(refusal([&] { require_private(others, "key"); }), told);
  EXPECT_EQ(refusal([&] { require_private(file.number(), others, "key"); }), told);
  std::filesystem::create_directory(folder.path() / "theirs");
  ASSERT_EQ(chown((folder.path() / "theirs").c_str(), 1, 1), 0);
  EXPECT_NE(refusal([&] { make_private_folder(folder.path() / "theirs", "state folder"); }).find("another user"),
            std::string::npos);
}

TEST(FoldersThatAreMade, AreWrittenByTheirOwnerAlone) {
  const TemporaryFolder folder;
  const std::filesystem::path made = folder.path() / "a" / "state";
  const mode_t before = umask(0);
  make_private_folder(made, "state folder");
  umask(before);
  EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all);
  for (const mode_t mode : {0700, 0750, 0755}) {
    chmod(made.c_str(), mode);
    EXPECT_EQ(refusal([&] { make_private_folder(made, "state folder"); }), kNotRefused) << mode;
  }
  for (const mode_t mode : {0720, 0702, 0777, 01777}) {
    chmod(made.c_str(), mode);
    EXPECT_EQ(refusal([&] { make_private_folder(made, "state folder"); }),
              fmt::format("{0}: others may write to this state folder (mode {1:04o}) and replace what it holds; if you "
                          "trust it still, run: chmod go-w {0}",
                          made.string(), mode));
  }
  { const FileDescriptor file(folder.path() / "file", O_RDWR | O_CREAT); }
  EXPECT_NE(refusal([&] { make_private_folder(folder.path() / "file", "state folder"); }).find("is no folder"),
            std::string::npos);
}

TEST(ResidentMemory, IsWholePages) {
  EXPECT_GT(resident_bytes(), std::uint64_t{1} << 20);
  EXPECT_EQ(resident_bytes() % 4096, 0u);
  EXPECT_EQ(peak_resident_bytes() % 4096, 0u);
  EXPECT_GE(peak_resident_bytes() + (std::uint64_t{1} << 20), resident_bytes());
}

TEST(GroupsOfMemory, HoldNothingWhereMoreCouldBeDroppedThanIsUsed) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  };
  write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n");
  write("proc/self/cgroup", "0::/g\n");
  write("sys/fs/cgroup/g/memory.max", "1024000\n");
  EXPECT_EQ(machine_memory(folder.path()).total, 1024000u);  // no less than the machine: not looked at
  EXPECT_EQ(machine_memory(folder.path()).free, 921600u);
  write("sys/fs/cgroup/g/memory.max", "700000\n");  // nothing is said of what it uses
  EXPECT_EQ(machine_memory(folder.path()).total, 700000u);
  EXPECT_EQ(machine_memory(folder.path()).free, 700000u);
  write("sys/fs/cgroup/g/memory.current", "600\n");  // nor of what could be dropped
  EXPECT_EQ(machine_memory(folder.path()).free, 699400u);
  write("sys/fs/cgroup/g/memory.max", "1023999\n");
  write("sys/fs/cgroup/g/memory.current", "500\n");
  write("sys/fs/cgroup/g/memory.stat", "inactive_file 501\n");
  EXPECT_EQ(machine_memory(folder.path()).total, 1023999u);
  EXPECT_EQ(machine_memory(folder.path()).free, 921600u);
  write("sys/fs/cgroup/g/memory.max", "700000\n");
  write("sys/fs/cgroup/g/memory.current", "600\n");
  write("sys/fs/cgroup/g/memory.stat", "active_file 9\ninactive_file 501\n");
  EXPECT_EQ(machine_memory(folder.path()).free, 699901u);
  write("proc/self/cgroup", "1:cpu:/g\n");  // no group of memory
  EXPECT_EQ(machine_memory(folder.path()).total, 1024000u);
  EXPECT_EQ(keyed_number(folder.path() / "proc/meminfo", "MemAvailable:"), 900u);
  EXPECT_EQ(keyed_number(folder.path() / "proc/meminfo", "Swap:"), std::nullopt);
}

TEST(BudgetsOfMemory, KeepASixteenthOr32MebibytesForTables) {
  const MemoryBudget machine = MemoryBudget::of_machine();
  EXPECT_EQ(machine.reserved, std::max(32 * kMiB, machine.bytes / 16));
  EXPECT_EQ(machine.source, MemoryBudget::Source::machine);
  EXPECT_EQ(MemoryBudget{}.source, MemoryBudget::Source::asked);
  EXPECT_FALSE(MemoryBudget{}.limited());
  EXPECT_TRUE((MemoryBudget{1, 0}.limited()));
  // What this process holds itself changes little between the calls.
  const auto reserved = [](std::uint64_t bytes) { return static_cast<double>(MemoryBudget::of(bytes).reserved); };
  EXPECT_NEAR(reserved(1 << 30) - reserved(1 << 20), 32.0 * kMiB, 0.8 * kMiB);
  EXPECT_NEAR(reserved(std::uint64_t{1} << 40) - reserved(1 << 20), 65504.0 * kMiB, 0.8 * kMiB);
}

TEST(BudgetsOfMemory, AreStatedInOneSentence) {
  constexpr double kGiB = 1 << 30;
  EXPECT_EQ((MemoryBudget{512 * kMiB, 100 * kMiB}.shortfall("the keys of 'm' need", 1900.0 * kMiB)),
            "the keys of 'm' need 1.9 GiB, the program itself 100 MiB, and the memory budget is 512 MiB; allow 2.1 GiB "
            "(--memory), or use fewer --threads or a shallower network");
  EXPECT_EQ((MemoryBudget{512 * kMiB, 0, MemoryBudget::Source::machine}.shortfall("it needs", kGiB)),
            "it needs 1.0 GiB, and this machine has 512 MiB; if another one will compute, allow what it has, 1.1 GiB "
            "(--memory), or use fewer --threads or a shallower network");
  EXPECT_EQ((MemoryBudget{512 * kMiB, 0, MemoryBudget::Source::free}.shortfall("it needs", kGiB)),
            "it needs 1.0 GiB, and 512 MiB are free on this machine, the program's own included; free some, or allow "
            "1.1 GiB in spite of it (--memory), or use fewer --threads or a shallower network");
  // Advice is a sixteenth more than is needed, and half of its last digit.
  const auto advice = [](double whole) {
    const std::string sentence = MemoryBudget{1, 0}.shortfall("it needs", whole * 15 / 16);
    const std::size_t at = sentence.find("allow ") + 6;
    return sentence.substr(at, sentence.find(" (--memory)") - at);
  };
  EXPECT_EQ(advice(2.001 * kGiB), "2.1 GiB");
  EXPECT_EQ(advice(1.999 * kGiB), "2.0 GiB");
  EXPECT_EQ(advice(160.1 * kGiB), "161 GiB");
  EXPECT_EQ(advice(100.05 * kGiB), "101 GiB");
  EXPECT_EQ(advice(99.82 * kGiB), "99.9 GiB");
  EXPECT_EQ(base::refusal([] {
              (MemoryBudget{100, 30}.require("it needs", 70));
            }).substr(0, 46),
            "it needs 70 B, the program itself 30 B, and th");
}

}  // namespace
}  // namespace tacit::base
