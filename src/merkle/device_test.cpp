#include "merkle/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"

namespace tacit::merkle {
namespace {

constexpr TreeScheme kStrictA{.variant = Variant::a, .mode = Mode::strict}, kStrictC{.mode = Mode::strict};
const Digest kPoison{{0xdead, 0xdead, 0xdead, 0xdead}};

std::vector<Digest> build(Device& device, const TreeScheme& scheme, const std::vector<Digest>& leaves,
                          Approach approach, std::uint64_t group, RunRecord* record = nullptr) {
  const TreeShape shape(leaves.size());
  std::vector<Digest> nodes(shape.slots(), kPoison);
  device.run(scheme, shape, leaves, nodes, plan_dispatches(shape, approach, group), record);
  return nodes;
}

std::uint64_t nodes_of(const TreeShape& shape) {
  std::uint64_t count = 0;
  for (unsigned height = 1; height <= shape.depth(); ++height) count += shape.nodes_at(height);
  return count;
}

/// One suite for every device present. An OpenCL or SYCL device that is not there cannot be tested:
/// `Devices.ArePresent` says which are, and why others are left out.
class Devices : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { found_ = new FoundDevices(all_devices()); }
  static void TearDownTestSuite() {
    delete found_;
    found_ = nullptr;
  }
  static FoundDevices* found_;
};
FoundDevices* Devices::found_ = nullptr;

TEST_F(Devices, ArePresent) {
  for (const auto& device : found_->devices)
    std::printf("  device: %s (%s)\n", device->kind().c_str(), device->name().c_str());
  for (const std::string& why : found_->left_out) std::printf("  %s\n", why.c_str());
  ASSERT_EQ(found_->devices.front()->kind(), "cpu");
  if (found_->devices.size() == 1)
    GTEST_SKIP() << "NO DEVICE BESIDES THE PROCESSOR: the OpenCL and SYCL builders were not tested on this machine";
}

TEST_F(Devices, GiveTheRootsOfThePublishedTrees) {
  // The roots of eight counting leaves, and of more where the data file is present.
  for (const auto& device : found_->devices) {
    const auto leaves = known::counting_leaves(8);
    EXPECT_EQ(build(*device, kStrictA, leaves, Approach::level_by_level, 4)[1].words[0], 1809693385655718465u);
    EXPECT_EQ(build(*device, kStrictC, leaves, Approach::work_groups, 4)[1].words[0], 5236779022760127411u);
  }
  const auto answers = known::answers();
  if (!answers) GTEST_SKIP() << "TACIT_DATA is not set: the roots of other trees were not compared";
  for (const auto& device : found_->devices) {
    for (const auto& entry : answers->at("executed")) {
      if (entry.at("op") != "merkle_root") continue;
      const auto leaves = known::counting_leaves(entry.at("leaves"));
      const TreeScheme scheme = entry.at("variant") == "A" ? kStrictA : kStrictC;
      for (const Approach approach : {Approach::level_by_level, Approach::work_groups})
        EXPECT_EQ(build(*device, scheme, leaves, approach, 32)[1], known::digest(entry.at("out")));
    }
    const auto leaves = known::counting_leaves(8);
    for (const TreeScheme& scheme : {kStrictA, kStrictC}) {
      const auto& nodes = answers->at("derived_here").at("nodes").at(scheme == kStrictA ? "A" : "C");
      const auto ours = build(*device, scheme, leaves, Approach::work_groups, 2);
      EXPECT_EQ(ours[0], kPoison);
      for (std::size_t slot = 1; slot < 8; ++slot) EXPECT_EQ(ours[slot], known::digest(nodes.at(std::to_string(slot))));
    }
  }
}

TEST_F(Devices, AgreeWithTheDefinitionForEveryNumberOfLeavesTo300) {
  const auto leaves = known::random_leaves(300, 1);
  for (const auto& device : found_->devices)
    for (std::size_t n = 2; n <= leaves.size(); ++n) {
      const std::vector<Digest> some(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n));
      const Digest expected = known::recursive_top({}, some.data(), n);
      ASSERT_EQ(build(*device, {}, some, Approach::level_by_level, 32)[1], expected) << device->name() << " " << n;
      constexpr std::uint64_t kGroups[] = {1, 4, 32};
      for (std::size_t g = 0; g < 3; ++g) {
        if (device->kind() != "cpu" && g != n % 3) continue;  // emulated devices are slow: one group size a tree
        ASSERT_EQ(build(*device, {}, some, Approach::work_groups, kGroups[g])[1], expected)
            << device->name() << " " << n << " " << kGroups[g];
      }
    }
}

TEST_F(Devices, AgreeWithTheDefinitionForPowersOfTwoTo65536) {
  const auto leaves = known::random_leaves(1 << 16, 2);
  for (std::size_t n = 2; n <= leaves.size(); n *= 2) {
    const std::vector<Digest> some(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n));
    for (const TreeScheme& scheme : {TreeScheme{}, kStrictA}) {
      if (scheme == kStrictA && n > 4096) continue;
      const auto expected = build(*found_->devices.front(), scheme, some, Approach::level_by_level, 1);
      ASSERT_EQ(expected[1], known::recursive_top(scheme, some.data(), n));
      for (const auto& device : found_->devices)
        for (const std::uint64_t group : {32, 64, 128, 256, 512}) {
          const bool slow = device->kind() != "cpu";  // an emulation: fewer sizes, all approaches
          if (n > (slow ? 512 : 4096) && group != 64) continue;
          if (slow && scheme == kStrictA && n > 512) continue;
          for (const Approach approach : {Approach::level_by_level, Approach::work_groups}) {
            if (slow && approach == Approach::level_by_level && (group != 64 || (n > 4096 && n < leaves.size())))
              continue;
            const auto nodes = build(*device, scheme, some, approach, std::min(group, device->largest_group()));
            ASSERT_TRUE(nodes == expected) << device->name() << ", leaves " << n << ", group " << group;
          }
        }
    }
  }
}

TEST_F(Devices, WriteEveryNodeOnceAndNoOtherSlot) {
  for (const auto& device : found_->devices)
    for (const std::size_t n : {2, 3, 7, 33, 64, 100, 1000, 1024, 5000}) {
      const auto leaves = known::random_leaves(n, n);
      const TreeShape shape(n);
      for (const Approach approach : {Approach::level_by_level, Approach::work_groups})
        for (const std::uint64_t group : {1, 2, 32, 256}) {
          std::vector<std::uint32_t> writes(shape.slots());
          RunRecord record{{}, &writes};
          const auto nodes = build(*device, {}, leaves, approach, group, &record);
          ASSERT_EQ(record.seconds.size(), plan_dispatches(shape, approach, group).size());
          std::uint64_t written = 0;
          for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
            ASSERT_LE(writes[slot], 1u) << device->name() << " " << n << " " << group << " slot " << slot;
            ASSERT_EQ(writes[slot] == 0, nodes[slot] == kPoison) << slot;
            written += writes[slot];
          }
          ASSERT_EQ(written, nodes_of(shape)) << device->name() << " " << n << " " << group;
          ASSERT_EQ(writes[0], 0u);
        }
    }
}

TEST_F(Devices, WriteInEachRoundJustTheLevelsOfThatRound) {
  const std::size_t n = 777;
  const auto leaves = known::random_leaves(n, 7);
  const TreeShape shape(n);
  for (const auto& device : found_->devices) {
    const auto plan = plan_dispatches(shape, Approach::work_groups, 4);
    for (std::size_t rounds = 0; rounds <= plan.size(); ++rounds) {
      std::vector<Digest> nodes(shape.slots(), kPoison);
      device->run({}, shape, leaves, nodes, std::span(plan).first(rounds));
      const unsigned done = rounds == 0 ? 0 : plan[rounds - 1].height + plan[rounds - 1].levels - 1;
      for (unsigned height = 1; height <= shape.depth(); ++height)
        for (std::uint64_t i = 0; i < shape.nodes_at(height); ++i)
          ASSERT_EQ(nodes[shape.first_slot(height) + i] != kPoison, height <= done) << device->name();
    }
  }
}

}  // namespace
}  // namespace tacit::merkle
