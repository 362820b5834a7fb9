#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

TEST(TileRefusal, PlanNamesWhatIsWrong) {
  const auto refused = [](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    std::vector<std::string> arguments{"plan"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(arguments, kBadInput, parts);
  };
  const std::string pairs = "pairs 100x32";
  refused({}, {"network", "--tiles"});
  refused({"--tiles", "sort 4x5"}, {"sort 4x5", "chain 4,5,6,7,8"});
  refused({"--tiles", pairs, "--requirement", "depth x"}, {"depth", "number"});
  refused({"--tiles", pairs, "--requirement", "slots 4096, depth 30"}, {"128-bit security", "less depth"});
  refused({"--tiles", pairs, "--latency", "soon"}, {"soon", "0.2s"});
  refused({"--tiles", pairs, "--objective", "beauty"}, {"--objective"});
  refused({"--tiles", "chain 4,5,6,7,8", "--requirement", "depth 2"}, {"depth of 4"});
  refused({"--tiles", "chain 4,5,6", "--items", "7"}, {"one result"});
  refused({"--tiles", pairs, "--report", "/no such folder/r.html"}, {"/no such folder/r.html"});
  Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  refused({model, "--tiles", pairs}, {"either"});
  refused({model, "--latency", "0.2s"}, {"--tiles"});
}

TEST(TileRefusal, BenchNamesWhatIsTooSmall) {
  expect_refusal({"bench", "packing", "--requirement", "slots 1024, depth 1"}, kBadInput, {"2048 slots", "depth of 4"});
  expect_refusal({"bench", "packing", "--latency", "-1s"}, kBadInput, {"-1s"});
}

}  // namespace
}  // namespace tacit::test
