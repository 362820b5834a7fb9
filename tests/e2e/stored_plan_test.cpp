#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>

#include <nlohmann/json.hpp>

#include "base/refusal_for_test.h"
#include "runtime/compiled_model.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using base::refusal;
using nlohmann::ordered_json;

/// The client's half of a small network, whose plan says something else than compile wrote.
class StoredPlan : public ::testing::Test {
 protected:
  void compile(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"compile",
                                       workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul"}})),
                                       "-o",
                                       workspace_("."),
                                       "--input-range",
                                       "-1,1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run_command(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
  }
  /// The plan of a half on slots in which a field has this value.
  Plan with(const char* field, const ordered_json& value) const {
    runtime::ClientModel model = runtime::load_client_model(workspace_("client.tacit"));
    ordered_json plan = ordered_json::parse(model.plan);
    plan[field] = value;
    model.plan = plan.dump();
    runtime::save(model, workspace_("changed"));
    return ClientModel::load(workspace_("changed")).plan();
  }
  const Workspace workspace_;
};

TEST_F(StoredPlan, CountsAreWholeNumbersUpTo2To53) {
  compile({});
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  for (const char* field :
       {"ciphertexts", "output_ciphertexts", "rotations", "rotation_keys", "bootstraps", "levels"}) {
    for (const ordered_json& wrong :
         {ordered_json(-1), ordered_json(1.5), ordered_json("3"), ordered_json(kMost + 1), ordered_json(nullptr)})
      EXPECT_THAT(refusal([&] { with(field, wrong); }),
                  ::testing::HasSubstr(std::string("the plan in the client's half: '") + field +
                                       "' is no count; compile again"))
          << wrong;
    for (const ordered_json& right : {ordered_json(0U), ordered_json(1U), ordered_json(kMost)})
      EXPECT_EQ(refusal([&] { with(field, right); }), base::kNotRefused) << field << " " << right;
  }
  EXPECT_EQ(with("rotations", kMost).rotations, kMost);
  EXPECT_EQ(with("rotation_keys", 7).rotation_keys, 7);
  EXPECT_EQ(with("bootstraps", 5).bootstraps, 5);
  EXPECT_EQ(with("ciphertexts", 3).input_ciphertexts, 3);
  EXPECT_EQ(with("output_ciphertexts", 4).output_ciphertexts, 4);
  EXPECT_EQ(with("warnings", {"one", "two"}).warnings, (std::vector<std::string>{"one", "two"}));
}

// No set has a million levels.
TEST_F(StoredPlan, LevelsAreAMillionAtMost) {
  compile({});
  EXPECT_EQ(with("levels", 3).levels, 3);
  EXPECT_EQ(with("levels", 1 << 20).levels, 1 << 20);
  EXPECT_EQ(with("levels", (1 << 20) + 1).levels, 1 << 20);
  EXPECT_EQ(with("levels", std::int64_t{1} << 40).levels, 1 << 20);
}

TEST_F(StoredPlan, PricesAreThoseOfTheEstimate) {
  compile({});
  const ordered_json estimate{{"seconds", 2.5},    {"threads", 8},         {"machine", "a lab"},
                              {"key_bytes", 1024}, {"weight_bytes", 2048}, {"ciphertext_bytes", 4096}};
  const Plan plan = with("estimate", estimate);
  EXPECT_EQ(plan.seconds, 2.5);
  EXPECT_EQ(plan.threads, 8);
  EXPECT_EQ(plan.machine, "a lab");
  EXPECT_EQ(plan.key_bytes, 1024);
  EXPECT_EQ(plan.weight_bytes, 2048);
  EXPECT_EQ(plan.ciphertext_bytes, 4096);
  ordered_json earlier = estimate;
  earlier.erase("threads");
  EXPECT_EQ(with("estimate", earlier).threads, 1) << "as in files of before";
}

}  // namespace
}  // namespace tacit::test
