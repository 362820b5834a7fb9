#include "graph/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

TEST(Serialize, ClientPartsWithNamesOfAnyLengthSurviveTheRoundTrip) {
  passes::Sketch s;
  const TensorId x = s.input({1}, "");
  s.output(s.node("Neg", {x}, {1}));
  for (Node& node : s.graph.nodes) node.name.clear();
  for (TensorInfo& tensor : s.graph.tensors) tensor.name.clear();
  for (const char* const name : {"", "n", "a longer name of a node"})
    for (const bool before : {true, false}) {
      const ClientParts parts{before ? s.graph : Graph{}, before ? Graph{} : s.graph, {{name, "Neg", before, 3}}};
      const std::vector<std::uint8_t> bytes = to_bytes(parts);
      const ClientParts read = client_parts_from_bytes(bytes);
      EXPECT_EQ(to_bytes(read), bytes) << name;
      ASSERT_EQ(read.nodes.size(), 1u);
      EXPECT_EQ(read.nodes[0].name, name);
      EXPECT_EQ(read.nodes[0].learned, 3);
    }
}

TEST(Serialize, ClientPartsThatAnnounceMoreThanFollowsAreRefused) {
  const std::vector<std::uint8_t> bytes = to_bytes(ClientParts{{}, {}, {{"", "", true, 3}}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(client_parts_from_bytes(std::span(bytes).first(size)), base::InputError) << size;
}

}  // namespace
}  // namespace tacit::graph
