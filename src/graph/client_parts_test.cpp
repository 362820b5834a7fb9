#include "graph/client_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "graph/passes/sketch.h"
#include "graph/serialize.h"

namespace tacit::graph {
namespace {

using testing::HasSubstr;

/// A client that adds 100 to bytes before encryption and doubles them after decryption.
ClientParts bytes() {
  const auto part = [](const char* op, double operand) {
    passes::Sketch s;
    const auto byte = [&](TensorId id) {
      s.graph.tensors[id].integral = true;
      s.graph.tensors[id].integers = IntegerType::uint8;
      return id;
    };
    const TensorId x = byte(s.input({1, 2})), constant = byte(s.constant({}, {operand}));
    s.graph.constants.back().integral = true;
    s.output(byte(s.node(op, {x, constant}, {1, 2})));
    return s.graph;
  };
  return {part("Add", 100), part("Mul", 2), {}};
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ClientParts, ComputeInTheTypesOfTheModelAlsoWhenReadFromAFile) {
  const ClientParts parts = client_parts_from_bytes(to_bytes(bytes()));
  EXPECT_EQ(run_before(parts, std::vector<Tensor>{{{1, 2}, {200, 5}, true}}).at(0).data,
            (std::vector<double>{44, 105}));
  EXPECT_EQ(run_after(parts, std::vector<std::vector<double>>{{200.01, 4.99}}).at(0).data,
            (std::vector<double>{144, 10}));
}

TEST(ClientParts, RefuseFractionsAndIntegersOutsideTheirType) {
  const ClientParts parts = bytes();
  EXPECT_THAT(refusal([&] {
                run_before(parts, std::vector<Tensor>{{{1, 2}, {1.5, 5}, true}});
              }),
              HasSubstr("takes integers (uint8), and element 0"));
  EXPECT_THAT(refusal([&] {
                run_after(parts, std::vector<std::vector<double>>{{256.1, 0}});
              }),
              HasSubstr("came back outside 0 to 255"));
}

}  // namespace
}  // namespace tacit::graph
