#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "runtime/communicator.h"
#include "runtime/crew.h"
#include "runtime/shared_memory.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::byte> letters(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

TEST(Ranks, BytesOfAnySizeGoToAndFromRank0) {
  ThreadRanks::run(3, [](Communicator& self) {
    std::vector<std::vector<std::byte>> to;
    if (self.rank() == 0) to = {letters("zero"), {}, letters("two")};
    const std::vector<std::byte> own = scatter(self, to);
    EXPECT_EQ(own.size(), std::vector<std::size_t>({4, 0, 3})[static_cast<std::size_t>(self.rank())]);
    const auto all = gather(self, own);
    if (self.rank() == 0)
      EXPECT_EQ(all, (std::vector<std::vector<std::byte>>{letters("zero"), {}, letters("two")}));
    else
      EXPECT_TRUE(all.empty());
  });
}

TEST(Ranks, OfTheVersionsAndArgumentsThatDifferTheFirstIsNamed) {
  ThreadRanks::run(3, [](Communicator& self) {
    EXPECT_NO_THROW(require_alike(self, "1.0", "evaluate a"));
    const auto other_version = [&] { require_alike(self, self.rank() == 2 ? "1.1" : "1.0", "evaluate a"); };
    const auto other_arguments = [&] { require_alike(self, "1.0", self.rank() == 1 ? "evaluate b" : "evaluate a"); };
    if (self.rank() == 0) {
      EXPECT_THAT(other_version, ThrowsMessage<base::KeyMismatch>(HasSubstr("rank 2 runs tacit 1.1 and rank 0 1.0")));
      EXPECT_THAT(other_arguments, ThrowsMessage<base::KeyMismatch>(HasSubstr("rank 1 was started with other")));
    } else {
      other_version();
      other_arguments();
    }
  });
}

TEST(Ranks, OfOneMachineSeeTheSameMemory) {
  ThreadRanks::run(3, [](Communicator& self) {
    const std::unique_ptr<Communicator> machine = self.on_this_machine();
    const SharedMemory memory = share_memory(*machine, 10000);
    ASSERT_EQ(memory.bytes.size(), 10000U);
    if (machine->rank() == 1) memory.bytes[9999] = std::byte{7};
    machine->barrier();
    EXPECT_EQ(memory.bytes[9999], std::byte{7});
    EXPECT_EQ(memory.bytes[0], std::byte{0});
  });
}

}  // namespace
}  // namespace tacit::runtime
