#include "session/owner/client_steps.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

TEST(ClientSteps, NameOperatorsAndWhatTheClientLearns) {
  graph::ClientParts parts;
  parts.nodes = {{"flat", "Flatten", true, 0},
                 {"scale", "ai.onnx.ml.Scaler", true, 1},
                 {"flat2", "Flatten", true, 0},
                 {"soft", "Softmax", false, 0},
                 {"map", "ai.onnx.ml.ZipMap", false, 0}};
  const nlohmann::ordered_json steps = client_steps(parts);
  EXPECT_EQ(steps.at(1),
            nlohmann::ordered_json::parse(
                R"({"node": "scale", "op": "ai.onnx.ml.Scaler", "when": "before", "learned_numbers": 1})"));
  EXPECT_EQ(steps.at(3), nlohmann::ordered_json::parse(
                             R"({"node": "soft", "op": "Softmax", "when": "after", "learned_numbers": 0})"));
  EXPECT_EQ(client_text(steps, "before"), "Flatten, Scaler, Flatten; the client thereby learns 1 numbers of the model");
  EXPECT_EQ(client_text(steps, "after"), "Softmax, ZipMap");
  parts.nodes = {{"a", "Mul", true, 3}, {"b", "Mul", true, 4}};
  EXPECT_EQ(client_text(client_steps(parts), "before"), "Mul; the client thereby learns 7 numbers of the model");
  EXPECT_EQ(client_text(client_steps(parts), "after"), "");
  EXPECT_EQ(client_text(client_steps({}), "before"), "");
}

}  // namespace
}  // namespace tacit::session
