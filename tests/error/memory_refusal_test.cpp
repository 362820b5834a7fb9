#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"
#include "layout/layout.h"
#include "runtime/compiled_model.h"
#include "session/server_half.h"
#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// Files that ask for more memory than machines have.
class MemoryRefusal : public ::testing::Test {
 protected:
  static runtime::ClientModel modest() {
    runtime::ClientModel model;
    model.name = "greedy";
    model.literal = params::named_literal("N16-d32");
    model.plan = "{}";
    return model;
  }
  std::string saved(runtime::ClientModel model) const {
    runtime::ServerModel other_half;
    other_half.name = model.name;
    other_half.literal = model.literal;
    runtime::bind(other_half, model);
    runtime::save(model, workspace_("client.tacit"));
    return workspace_("client.tacit");
  }
  Workspace workspace_;
};

TEST_F(MemoryRefusal, EveryRotationOfALargeRing) {
  runtime::ClientModel model = modest();
  for (std::int64_t steps = 1; steps < 32768; ++steps) model.keys.rotations[steps] = 32;
  const std::string client = saved(model);
  const auto start = std::chrono::steady_clock::now();
  expect_refusal({"keygen", client, "--secret", workspace_("s"), "--evaluation", workspace_("e")}, kBadInput,
                 {"the keys of model 'greedy' take 820 GiB of a disk at least", "name a file on another disk"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_FALSE(std::filesystem::exists(workspace_("s")));
  EXPECT_FALSE(std::filesystem::exists(workspace_("e")));
}

TEST_F(MemoryRefusal, AnInputOverThousandsOfCiphertexts) {
  runtime::ClientModel model = modest();
  constexpr layout::Index kCiphertexts = 8192, kSlots = 32768;
  const layout::Layout dense({kCiphertexts, kSlots}, {{0, kCiphertexts, 1, "x"}}, {{1, kSlots, 1, ""}}, {});
  model.interface.inputs.push_back({"x0", dense, 32, 0x1p40});
  expect_refusal({"encrypt", saved(model), "--key", workspace_("s"), "--input", workspace_("x.npy"), "-o",
                  workspace_("x.ct"), "--memory", "64GiB"},
                 kBadInput, {"the ciphertexts of one input of model 'greedy' need 266 GiB", "(--memory)"});
  EXPECT_FALSE(std::filesystem::exists(workspace_("x.ct")));
}

// Bounds on what weights take are held to what is left beside keys and ciphertexts, not to the whole budget.
TEST_F(MemoryRefusal, IsNotOfAModelThatASmallerBudgetHolds) {
  const std::string set =
      workspace_.bytes("set.json", R"({"name": "few slots", "log_n": 9, "q_bits": [50,40,40,40,40,40,
      40,40], "p_bits": [50,50,50], "log_scale": 40, "insecure": true})");
  const std::string model =
      workspace_.bytes("m.onnx", model_bytes({.input_shape = {1, 64, 64}, .operators = {"Mul", "Transpose", "Mul"}}));
  const CommandResult compiled =
      run_command({"compile", model, "--input-range", "-1,1", "--parameters", set, "-o", workspace_(".")});
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  const auto holds = [&](std::uint64_t bytes) {
    try {
      session::load_server_half(workspace_("server.tacit"), {.bytes = bytes}, [](const params::ParameterIdentity&) {});
      return true;
    } catch (const base::InputError&) {
      return false;
    }
  };
  std::uint64_t bytes = 1 << 20;
  ASSERT_FALSE(holds(bytes));
  while (!holds(bytes)) bytes += bytes / 32;
  for (const std::uint64_t least = bytes; bytes < 64 * least; bytes += bytes / 32)
    EXPECT_TRUE(holds(bytes)) << bytes << " bytes, and " << least << " are enough";
}

}  // namespace
}  // namespace tacit::test
