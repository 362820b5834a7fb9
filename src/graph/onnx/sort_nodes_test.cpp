#include "graph/onnx/sort_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tacit::graph::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

VersionedNode reading(const std::string& name, const Names& inputs, const Names& outputs) {
  VersionedNode made{{}, 17};
  made.node.set_name(name);
  for (const std::string& input : inputs) made.node.add_input(input);
  for (const std::string& output : outputs) made.node.add_output(output);
  return made;
}

Names order_of(std::vector<VersionedNode> nodes) {
  Names names;
  const std::vector<VersionedNode> result = sorted(std::move(nodes));
  for (const VersionedNode& one : result) names.push_back(one.node.name());
  return names;
}

TEST(SortNodes, WhatIsReadComesFirstAndElseTheOrderStays) {
  EXPECT_THAT(order_of({reading("a", {"x"}, {"p"}), reading("b", {"x"}, {"q"}), reading("c", {"q", "p"}, {"y"})}),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(order_of({reading("c", {"q", "p"}, {"y"}), reading("b", {"p"}, {"q"}), reading("a", {"x"}, {"p"})}),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(order_of({reading("twice", {"p", "p"}, {"y"}), reading("other", {"x"}, {"z"}), reading("a", {}, {"p"})}),
              ElementsAre("other", "a", "twice"));
  EXPECT_THAT(order_of({}), IsEmpty());
}

TEST(SortNodes, TheSecondOutputIsReadToo) {
  EXPECT_THAT(order_of({reading("b", {"q"}, {"y"}), reading("a", {"x"}, {"p", "q"})}), ElementsAre("a", "b"));
}

TEST(SortNodes, AbsentTensorsTieNothing) {
  EXPECT_THAT(order_of({reading("b", {"x", ""}, {"y"}), reading("a", {"x"}, {"", "p"})}), ElementsAre("b", "a"));
}

// Screening names them then.
TEST(SortNodes, NodesThatWaitForEachOtherComeLast) {
  EXPECT_THAT(order_of({reading("b", {"q"}, {"p"}), reading("c", {"p"}, {"q"}), reading("d", {"q"}, {"y"}),
                        reading("a", {"x"}, {"z"})}),
              ElementsAre("a", "b", "c", "d"));
}

}  // namespace
}  // namespace tacit::graph::onnx
