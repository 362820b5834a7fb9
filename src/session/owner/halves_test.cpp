#include "session/owner/halves.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "program/slots/key_manifest.h"
#include "program/slots/serialize.h"
#include "session/owner/integers/plan.h"
#include "session/owner/slots/plan.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

/// Both have the name and the parameters, and one id.
template <class HalvesOfScheme>
void expect_one_model(const HalvesOfScheme& halves, const std::string& name) {
  EXPECT_EQ(halves.server.name, name);
  EXPECT_EQ(halves.client.name, name);
  EXPECT_TRUE(halves.server.id == halves.client.id);
  EXPECT_TRUE(halves.server.literal == halves.client.literal);
}

TEST(HalvesOnSlots, TheClientsHasThePlanWithoutItsInstructions) {
  const Compilation compilation = small_perceptron();
  const Halves halves = halves_of(compilation);
  expect_one_model(halves, "small");
  nlohmann::ordered_json plan = plan_json(compilation);
  ASSERT_TRUE(plan.contains("instructions"));
  plan.erase("instructions");
  for (const char* of_samples : {"outputs", "expected_errors"}) plan.erase(of_samples);
  EXPECT_EQ(halves.client.plan, plan.dump());
  EXPECT_EQ(slots::to_bytes(halves.server.program), slots::to_bytes(compilation.model.program));
  EXPECT_TRUE(halves.client.keys.rotations == slots::key_manifest(compilation.model.program).rotations);
  EXPECT_EQ(program::to_bytes(halves.client.interface), program::to_bytes(compilation.model.client));
}

/// Its plan is the same on every machine, and says nothing of weights.
TEST(HalvesOnIntegers, TheClientsPlanIsThatOfOneThreadWithoutDrawingAndWarnings) {
  graph::passes::Sketch s;
  const graph::TensorId x = s.input({1, 2});
  const graph::TensorId sum = s.node("MatMul", {x, s.constant({2, 2}, {1, -0.3, 0.2, 0.7})}, {1, 2});
  s.output(s.node("MatMul", {s.node("Tanh", {sum}, {1, 2}), s.constant({2, 1}, {1, -0.7})}, {1, 1}));
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.input_range = {-1, 1};
  const IntegerCompilation compilation =
      compile_graph_on_integers("tables α", s.graph, options, {}, base::Progress::silent());
  ASSERT_FALSE(compilation.warnings.empty());
  const IntegerHalves halves = halves_of(compilation);
  expect_one_model(halves, "tables α");
  EXPECT_NE(halves.client.plan.find("tables α"), std::string::npos) << "names stay in UTF-8";
  const nlohmann::ordered_json plan = nlohmann::ordered_json::parse(halves.client.plan);
  EXPECT_FALSE(plan.contains("instructions"));
  EXPECT_FALSE(plan.contains("drawing"));
  EXPECT_EQ(plan.at("warnings"), nlohmann::ordered_json::array());
  EXPECT_EQ(plan.at("estimate").at("threads"), 1);
  EXPECT_EQ(plan.at("estimate"), integer_plan_json(compilation, 1).at("estimate"));
}

}  // namespace
}  // namespace tacit::session
