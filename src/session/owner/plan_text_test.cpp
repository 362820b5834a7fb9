#include "session/owner/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "session/owner/plan_reading.h"

namespace tacit::session {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

Json slot_plan() {
  return Json::parse(R"({
    "model": "small", "scheme": "ckks", "security_bits": 128, "parameters": {"name": "N13"},
    "log_n": 13, "log_qp": 202.5, "max_log_qp": 218, "levels": 3, "bootstraps": 0, "rotations": 12,
    "rotation_keys": 5, "ciphertexts": 1, "output_ciphertexts": 2,
    "estimate": {"seconds": 0.25, "machine": "a lab", "key_bytes": 2097152, "weight_bytes": 512,
                 "ciphertext_bytes": 1536},
    "approximations": [], "client_steps": [], "sharing": [], "notes": [], "warnings": [],
    "instructions": [
      {"operation": "linear", "node": "fc", "level": 3, "layout": "[4]", "diagonals": 4, "rotations": 2, "degree": 0,
       "seconds": 0.0015},
      {"operation": "polynomial", "node": "relu", "level": 2, "layout": "[4]", "diagonals": 0, "rotations": 0,
       "degree": 7, "seconds": 0.01234}]})");
}

Json integer_plan() {
  return Json::parse(R"({
    "model": "trees", "scheme": "tfhe", "security_bits": 128,
    "parameters": {"name": "T4", "lwe_dimension": 700, "glwe_dimension": 1, "log_polynomial": 11, "log_extension": 2},
    "lookups": 40, "bits": 4, "bootstraps": 40, "rounding_bootstraps": 0, "tables_together": 1, "rounded_lookups": 0,
    "neighbour_rate": 0, "exact": false, "log2_failure": -40, "log2_failure_of_run": -34.72, "ciphertexts": 3,
    "output_ciphertexts": 1,
    "estimate": {"seconds": 1.5, "threads": 8, "machine": "a lab", "key_bytes": 104857600, "weight_bytes": 2048,
                 "ciphertext_bytes": 6144},
    "client_steps": [], "notes": [], "warnings": [],
    "instructions": [
      {"operation": "linear", "node": "fc", "ciphertexts": 3, "bits": 4, "tables": 0, "bootstraps": 0, "norm2": 12.5,
       "neighbour_rate": null, "seconds": 0.0015},
      {"operation": "lookup", "node": "relu", "ciphertexts": 3, "bits": 4, "tables": 1, "bootstraps": 6, "norm2": 1,
       "neighbour_rate": 0.013, "seconds": 0.25}]})");
}

TEST(PlanText, OnSlots) {
  EXPECT_EQ(plan_text(slot_plan()),
            "Plan for small\n"
            "  scheme        CKKS, 128-bit security\n"
            "  parameters    N13: N = 2^13, log QP 202.5 of at most 218\n"
            "  levels        3\n"
            "  rotations     12 an input, with 5 keys\n"
            "  ciphertexts   1 in, 2 out\n"
            "  estimate      0.25 s an input on one core of a lab, 2.0 MiB of keys, 512 B of weights, 1.5 KiB of "
            "ciphertexts\n");
}

TEST(PlanText, InputsHaveASizeUnderEitherKey) {
  Json plan = slot_plan();
  plan["public_key"] = {{"secret_input_bytes", 1024}, {"public_input_bytes", 2048}};
  EXPECT_THAT(plan_text(plan), HasSubstr("\n  encrypted     1.0 KiB an input to send, 2.0 KiB with a public key\n"));
  Json integers = integer_plan();
  integers["public_key"] = {{"secret_input_bytes", 1024}, {"public_input_bytes", 2048}, {"refused", nullptr}};
  EXPECT_THAT(plan_text(integers), HasSubstr("1.0 KiB an input to send, 2.0 KiB with a public key\n"));
  integers["public_key"]["refused"] = "layer 'y': no room";
  EXPECT_THAT(plan_text(integers),
              HasSubstr("1.0 KiB an input to send, and no public key (keygen --public says why)\n"));
}

TEST(PlanText, OfABatchWithBootstrapsAndStagesBeforeARun) {
  Json plan = slot_plan();
  plan["batch"] = 4;
  plan["bootstraps"] = 3;
  plan["estimate"]["threads"] = 8;
  plan["estimate"]["key_seconds"] = 1.5;
  plan["estimate"]["encode_seconds"] = 0.75;
  plan["estimate"]["encode_anew_seconds"] = 0.5;
  plan["estimate"]["memory_bytes"] = 3145728;
  plan["estimate"]["least_memory_bytes"] = 1048576;
  const std::string text = plan_text(plan);
  EXPECT_THAT(text, HasSubstr("  bootstraps    3 a run of 4 inputs\n"
                              "  rotations     12 a run of 4 inputs, with 5 keys\n"));
  EXPECT_THAT(text, HasSubstr("  estimate      0.25 s an input (1 s a run of 4 inputs) on 8 threads of a lab, "));
  EXPECT_THAT(text, HasSubstr("  before a run  1.5 s to make keys, 0.75 s to encode weights, 0.5 s of it anew in every "
                              "run\n"
                              "  memory        3.0 MiB beside the program itself; at least 1.0 MiB, with weights that "
                              "are encoded anew in every run\n"));
  plan["estimate"]["encode_anew_seconds"] = 0;
  EXPECT_THAT(plan_text(plan), HasSubstr("0.75 s to encode weights\n"));
}

TEST(PlanText, SaysWhatIsApproximatedSharedAndRunByTheClient) {
  Json plan = slot_plan();
  plan["approximations"] = Json::parse(R"([{"op": "Relu", "node": "r", "degree": 27, "interval": [-3.5, 4],
                                            "max_error": 0.0312, "reason": "as asked"}])");
  plan["client_steps"] = Json::parse(R"([{"when": "before", "op": "ai.onnx.ml.Scaler", "learned_numbers": 8},
                                         {"when": "before", "op": "Clip", "learned_numbers": 2},
                                         {"when": "after", "op": "Softmax", "learned_numbers": 0},
                                         {"when": "after", "op": "Softmax", "learned_numbers": 0}])");
  plan["sharing"] = Json::parse(R"([{"output": "y", "log_noise": -20.22, "bits": 12},
                                    {"output": "z", "log_noise": -1.5, "bits": 0},
                                    {"output": "w", "log_noise": 3, "bits": -1},
                                    {"output": "v", "log_noise": 3, "bits": -1, "labels": true},
                                    {"output": "u", "log_noise": 3, "bits": -1, "labels": false}])");
  plan["notes"] = Json::array({"one note", "another"});
  plan["warnings"] = Json::array({"take care"});
  const std::string text = plan_text(plan);
  EXPECT_THAT(text, HasSubstr("  approximated  Relu 'r' by degree 27 on [-3.5, 4], error at most 0.031 (as asked)\n"));
  EXPECT_THAT(text, HasSubstr("  client        runs in the clear, before encryption: Scaler, Clip; the client thereby "
                              "learns 10 numbers of the model\n"
                              "  client        runs in the clear, after decryption: Softmax\n"));
  EXPECT_THAT(text, HasSubstr("  sharing       'y' has noise of 2^-20.2: 12 bits behind the binary point can be shared "
                              "(decrypt --share 12)\n"
                              "  sharing       'z' has noise of 2^-1.5: 0 bits behind the binary point can be shared "
                              "(decrypt --share 0)\n"
                              "  sharing       'w' has noise of 2^3.0: too much to share numbers; labels can be "
                              "(decrypt --labels)\n"
                              "  sharing       'v' has noise of 2^3.0: too much to share numbers; labels can be "
                              "(decrypt --labels)\n"
                              "  sharing       'u' has noise of 2^3.0: too much to share numbers; compile with --share "
                              "for parameters that leave room\n"
                              "  note          one note\n"
                              "  note          another\n"
                              "  warning: take care\n"));
}

TEST(PlanText, SaysWhereThereIsNoSecurity) {
  for (Json plan : {slot_plan(), integer_plan()}) {
    plan["security_bits"] = 0;
    EXPECT_THAT(plan_text(plan), HasSubstr("INSECURE parameters, for tests only\n"));
  }
}

TEST(PlanText, OnIntegers) {
  EXPECT_EQ(plan_text(integer_plan()),
            "Plan for trees\n"
            "  scheme        TFHE, 128-bit security\n"
            "  parameters    T4: n = 700, k = 1, N = 2^11, extension 2^2\n"
            "  lookups       40 an input, of 4 bits\n"
            "  failure       2^-40 a lookup at most, 2^-34.7 an input\n"
            "  ciphertexts   3 in, 1 out\n"
            "  estimate      1.5 s an input on 8 threads of a lab, 100 MiB of keys, 2.0 KiB of tables and weights, 6.0 "
            "KiB of ciphertexts\n");
}

TEST(PlanText, CountsWhatRoundsAndWhatIsLookedUpTogether) {
  Json plan = integer_plan();
  plan["tables_together"] = 2;
  plan["bootstraps"] = 25;
  plan["rounding_bootstraps"] = 5;
  plan["rounded_lookups"] = 10;
  plan["neighbour_rate"] = 0.013;
  plan["exact"] = true;
  const std::string text = plan_text(plan);
  EXPECT_THAT(text,
              HasSubstr("  lookups       40 an input, of 4 bits; 20 bootstraps do them, with up to 2 tables each; "
                        "5 bootstraps round their arguments exactly; 10 round their argument to the nearest box, "
                        "or 1.3 % of them to the next\n"
                        "  results       equal those of --simulate, whatever the noise\n"));
  plan["neighbour_rate"] = 1.0;
  EXPECT_THAT(plan_text(plan), HasSubstr("or 100 % of them to the next\n"));
  plan["parameters"]["lwe_dimension"] = 0;
  plan["lookups"] = 0;
  plan["log2_failure_of_run"] = nullptr;
  const std::string none = plan_text(plan);
  EXPECT_THAT(none, HasSubstr("  parameters    T4: k = 1, N = 2^11, without lookups and evaluation keys\n"));
  EXPECT_THAT(none, Not(HasSubstr("  results ")));
  EXPECT_THAT(none, Not(HasSubstr("  failure ")));
}

TEST(PlanText, ShowsInstructionsWithoutWhatTheyDoNotHave) {
  EXPECT_EQ(instructions_text(slot_plan()),
            "  operation   node  level  layout  diagonals  rotations  degree     ms\n"
            "  linear        fc      3     [4]          4          2           1.50\n"
            "  polynomial  relu      2     [4]                             7  12.34\n");
  EXPECT_EQ(instructions_text(integer_plan()),
            "  operation  node  elements  bits  tables  bootstraps  2-norm  next box      ms\n"
            "  linear       fc         3     4                        12.5              1.50\n"
            "  lookup     relu         3     4       1           6       1     1.3 %  250.00\n");
}

TEST(PlanText, RefusesWhatIsNoPlan) {
  const auto read = [](const std::string& text) { reading_plan(text, [](const Json& plan) { plan_text(plan); }); };
  read(slot_plan().dump());
  EXPECT_THAT([&] { read("{"); }, ThrowsMessage<base::InputError>(HasSubstr("the plan in the client's half")));
  Json plan = slot_plan();
  plan.erase("levels");
  EXPECT_THAT([&] { read(plan.dump()); }, ThrowsMessage<base::InputError>(HasSubstr("compile the model again")));
  plan = integer_plan();
  plan["parameters"]["glwe_dimension"] = 0.5;
  EXPECT_THAT([&] { read(plan.dump()); }, ThrowsMessage<base::InputError>(HasSubstr("a whole number below 2^63")));
}

TEST(PlanText, OneOfAKindIsShown) {
  Json slots = slot_plan();
  slots["bootstraps"] = 1;
  slots["security_bits"] = 1;
  EXPECT_THAT(plan_text(slots), HasSubstr("  scheme        CKKS, 1-bit security\n"));
  EXPECT_THAT(plan_text(slots), HasSubstr("  bootstraps    1 an input\n"));
  Json integers = integer_plan();
  integers["parameters"]["lwe_dimension"] = 1;
  integers["lookups"] = 1;
  integers["exact"] = true;
  integers["rounding_bootstraps"] = 1;
  integers["rounded_lookups"] = 1;
  integers["neighbour_rate"] = 0.056;
  const std::string text = plan_text(integers);
  EXPECT_THAT(text, HasSubstr("  parameters    T4: n = 1, k = 1, N = 2^11, extension 2^2\n"));
  EXPECT_THAT(text,
              HasSubstr("  lookups       1 an input, of 4 bits; 1 bootstraps round their arguments exactly; 1 round "
                        "their argument to the nearest box, or 5.6 % of them to the next\n"
                        "  results       equal those of --simulate, whatever the noise\n"));
  integers["instructions"][1]["bootstraps"] = 1;
  integers["instructions"][1]["neighbour_rate"] = 0.056;
  EXPECT_THAT(instructions_text(integers),
              HasSubstr("  lookup     relu         3     4       1           1       1     5.6 %  250.00\n"));
}

}  // namespace
}  // namespace tacit::session
