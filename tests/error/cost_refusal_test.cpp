#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

class CostRefusal : public ::testing::Test {
 protected:
  void expect(const std::string& costs, const std::vector<std::string>& parts,
              std::vector<std::string> command = {}) const {
    if (command.empty()) command = {"plan", model_};
    command.insert(command.end(), {"--costs", costs});
    expect_refusal(command, kBadInput, parts);
  }
  std::string with(const std::string& ntt, const std::string& more = "") const {
    return workspace_.bytes(
        "costs.json", R"({"machine": "m", "mac_ns": 1, "key_ns": 1, "product_ns": 1, "far_ns": 1, "embed_ns": 1, )"
                      R"("touch_ns": 1, "threads": 1, )"
                      R"("cache_mib": 1, "ntt_ns": )" +
                          ntt + more + "}");
  }
  Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  const std::string input_ = workspace_.array("x.npy", {1, 4}, {1, 2, 3, 4});
};

TEST_F(CostRefusal, EveryCommandThatPricesReadsTheFile) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"plan", model_},
                                                  {"plan", "--tiles", "pairs 10x4"},
                                                  {"compile", model_, "-o", workspace_("compiled")},
                                                  {"run", model_, "--input", input_},
                                                  {"validate", model_, "--input", input_},
                                                  {"bench", "packing"},
                                                  {"bench", "conv"},
                                                  {"bench", "ckks"}})
    expect(workspace_("none.json"), {"none.json", "no file", "tacit bench cost"}, command);
}

TEST_F(CostRefusal, NoTable) {
  expect(workspace_("."), {"no file"});
  expect(workspace_.bytes("text.json", "prices"), {"text.json", "not JSON"});
  expect(workspace_.bytes("large.json", std::string(70000, ' ')), {"large.json", "65536 bytes"});
}

TEST_F(CostRefusal, FieldsByNameAndBound) {
  expect(with("0"), {"costs.json", "'ntt_ns'", "above 0", "1000000"});
  expect(with("-1"), {"'ntt_ns'", "above 0"});
  expect(with("1e7"), {"'ntt_ns'", "at most 1000000"});
  expect(with("\"fast\""), {"'ntt_ns'", "number"});
  expect(with("1e999"), {"costs.json"});
  expect(with("1", ", \"nttns\": 1"), {"unknown field 'nttns'"});
  expect(workspace_.bytes("part.json", R"({"machine": "m", "ntt_ns": 1})"), {"'mac_ns' is missing"});
}

TEST_F(CostRefusal, MeasurementsThatCannotBe) {
  expect_refusal({"bench", "cost", "--sets", "N99"}, kBadInput, {"N99"});
  expect_refusal({"bench", "conv", "--case", "root"}, kBadInput, {"'root'", "stem", "pointwise"});
  expect_refusal({"bench", "cost", "--output", workspace_("none/costs.json")}, kBadInput, {"costs.json"});
}

}  // namespace
}  // namespace tacit::test
