#include <gtest/gtest.h>

#include <cmath>

#include "graph/slots/check_sharing.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "program/slots/levels.h"
#include "session/owner/slots/plan.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

/// Two values that are refreshed, and sent back, one of them twice.
Compilation two_bootstraps() {
  Compilation compilation;
  compilation.name = std::string("refreshed");
  graph::CompiledModel& model = compilation.model;
  model.parameters = params::named_literal("S8");
  const params::CkksParameters parameters = params::CkksParameters::check(model.parameters);
  const auto slots = static_cast<layout::Index>(parameters.slots());
  const params::BootstrapSchedule schedule =
      params::plan_bootstrap(model.parameters, {.form = params::BootstrapForm::linear, .output_level = 5});
  model.program.name = std::string("refreshed");
  model.program.slots = slots;
  const auto add = [&](slots::Operation operation, const char* node) {
    model.program.instructions.push_back(
        {std::move(operation), layout::Layout::row_major({4}, slots), node, "", 1, -1, 0});
  };
  add(slots::Input{"x"}, "x");
  add(slots::Input{"y"}, "y");
  add(slots::Bootstrap{{0}, schedule}, "first");
  add(slots::Bootstrap{{1}, schedule}, "second");
  add(slots::Output{2, "u"}, "u");
  add(slots::Output{3, "v"}, "v");
  add(slots::Output{3, "w"}, "w");
  slots::assign_levels(model.program, parameters);
  return compilation;
}

TEST(PlanJson, TotalsAreThoseOfProgramAndKeys) {
  Compilation compilation = two_bootstraps();
  compilation.model.client.batch = 4;
  const graph::CompiledModel& model = compilation.model;
  const nlohmann::ordered_json plan = plan_json(compilation), &estimate = plan.at("estimate");
  EXPECT_EQ(plan.at("model"), "refreshed");
  EXPECT_EQ(plan.at("scheme"), "ckks");
  EXPECT_EQ(plan.at("security_bits"), 128);
  EXPECT_EQ(plan.at("log_n"), 16);
  EXPECT_EQ(plan.at("max_log_qp"), params::max_log_qp(16, 128));
  EXPECT_LE(plan.at("log_qp"), plan.at("max_log_qp"));
  EXPECT_EQ(plan.at("batch"), 4);
  EXPECT_EQ(plan.at("ciphertexts"), 2);
  EXPECT_EQ(plan.at("output_ciphertexts"), 3);
  EXPECT_EQ(plan.at("bootstraps"), 2);
  const params::KeyManifest keys = slots::key_manifest(model.program);
  ASSERT_GT(keys.rotations.size(), 0u);
  ASSERT_GT(keys.raised_rotations.size(), 0u);
  EXPECT_EQ(plan.at("rotation_keys"), keys.rotations.size() + keys.raised_rotations.size());
  const slots::ProgramCost cost = slots::price(model.program, model.parameters, compilation.costs);
  ASSERT_GT(cost.memory.transforms, 0);
  EXPECT_EQ(estimate.at("weight_bytes"), cost.memory.weights + cost.memory.transforms);
  EXPECT_EQ(estimate.at("key_bytes"), cost.memory.keys);
  EXPECT_EQ(estimate.at("run_seconds"), cost.seconds);
  EXPECT_DOUBLE_EQ(estimate.at("seconds").get<double>(), cost.seconds / 4) << "of an input";
  EXPECT_EQ(planned_seconds(compilation), estimate.at("seconds").get<double>());
  EXPECT_EQ(estimate.at("encode_anew_seconds"), 0);
  ASSERT_EQ(plan.at("instructions").size(), model.program.instructions.size());
  for (std::size_t i = 0; i < model.program.instructions.size(); ++i) {
    const nlohmann::ordered_json& instruction = plan.at("instructions").at(i);
    EXPECT_EQ(instruction.at("index"), i);
    EXPECT_EQ(instruction.at("ciphertexts"), 1);
    EXPECT_EQ(instruction.at("bound"), 1);
    EXPECT_EQ(instruction.at("degree"), 0);
    EXPECT_EQ(instruction.at("level"), model.program.instructions[i].level);
    EXPECT_DOUBLE_EQ(instruction.at("log_scale").get<double>(), std::log2(model.program.instructions[i].scale));
  }
}

TEST(PlanJson, PolynomialsAloneHaveADegree) {
  const Compilation compilation = small_perceptron();
  int polynomials = 0;
  const nlohmann::ordered_json plan = plan_json(compilation);
  for (const nlohmann::ordered_json& instruction : plan.at("instructions")) {
    const bool polynomial = instruction.at("operation") == "polynomial";
    polynomials += polynomial ? 1 : 0;
    EXPECT_EQ(instruction.at("degree").get<int>() > 0, polynomial) << instruction;
  }
  EXPECT_EQ(polynomials, 1);
}

/// Noise of an output in the units of the model; nothing is said where it is not known.
TEST(PlanJson, OutputsCanBeSharedAsFarAsTheirNoiseIsKnown) {
  Compilation compilation = small_perceptron();
  program::ClientOutput known = compilation.model.client.outputs.at(0), unknown = known;
  known.name = std::string("known");
  known.unit = -0.5;
  known.noise = 0x1p-29;
  unknown.name = std::string("unknown");
  unknown.noise = 0;
  compilation.model.client.outputs = {unknown, known};
  const nlohmann::ordered_json sharing = plan_json(compilation).at("sharing");
  ASSERT_EQ(sharing.size(), 1u);
  EXPECT_EQ(sharing.at(0).at("output"), "known");
  EXPECT_EQ(sharing.at(0).at("log_noise"), -30);
  EXPECT_EQ(sharing.at(0).at("bits"), graph::passes::most_bits_to_share(0x1p-30, params::Sharing{}));
  EXPECT_EQ(sharing.at(0).at("statistical_bits"), 30);
  EXPECT_EQ(sharing.at(0).at("decryptions"), 1024);
  EXPECT_EQ(sharing.at(0).at("labels"), true);
  graph::Graph& after = compilation.model.parts.after;
  after.tensors.emplace_back();
  after.tensors[0].name = "y";
  after.tensors[0].shape = {1, 1};
  after.inputs = after.outputs = {0};
  EXPECT_EQ(plan_json(compilation).at("sharing").at(0).at("labels"), false) << "one number";
}

}  // namespace
}  // namespace tacit::session
