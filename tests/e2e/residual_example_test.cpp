#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;

// A leveled set carries this network, too: in 16 GiB, and by price more slowly.
TEST(ResidualExample, BootstrapsWhereThatIsCheaperThanLevelsForTheWholeNetwork) {
  const Workspace workspace;
  constexpr std::int64_t kImages = 60, kSide = 28;
  std::vector<double> pixels;  // waves of different lengths
  for (std::int64_t image = 0; image < kImages; ++image)
    for (std::int64_t i = 0; i < kSide * kSide; ++i)
      pixels.push_back(0.6 + 1.4 * std::sin(0.01 * static_cast<double>((image + 3) * (i % kSide + i / kSide))));
  const CommandResult plan =
      run_command({"plan", TACIT_SOURCE_DIR "/examples/residual/model.onnx", "--calibrate",
                   workspace.array("images.npy", {kImages, 1, kSide, kSide}, pixels), "--memory", "20GiB", "--json"});
  ASSERT_EQ(plan.status, 0) << plan.err;
  const json report = json::parse(plan.out);
  EXPECT_GE(report.at("security_bits"), 128);
  EXPECT_GE(report.at("bootstraps"), 4);
  EXPECT_LE(report.at("bootstraps"), 6);  // the first of seven functions needs none
  EXPECT_LT(report.at("estimate").at("memory_bytes"), 6e9);
}

}  // namespace
}  // namespace tacit::test
