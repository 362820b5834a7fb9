#include "app/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_value.h"
#include "session/owner/score_report.h"

namespace tacit::app {
namespace {

using Json = nlohmann::ordered_json;
using session::AnswerKind;
using session::IntervalSource;
using session::RangeExcess;
using session::Scoreboard;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using V = std::vector<double>;

/// Two inputs of which one agrees, and one without an answer.
Scoreboard scores() {
  Scoreboard scores(session::Question{0, AnswerKind::argmax, {}});
  scores.add(V{0.75, 0.25}, V{1, 0}, 0);
  scores.add(V{0.75, 0.25}, V{0.5, 0.625}, 1);
  scores.miss(7);
  return scores;
}

RangeExcess excess() {
  return {.node = "relu",
          .op = "Relu",
          .source = IntervalSource::calibration,
          .lowest = -2,
          .highest = 2.5,
          .worst = 99,
          .input = 7,
          .inputs = 1};
}

RunReport report() {
  RunReport report;
  report.plan = Json::parse(R"({
    "model": "small", "scheme": "ckks", "security_bits": 128, "parameters": {"name": "N13"},
    "log_n": 13, "log_qp": 202.5, "max_log_qp": 218, "levels": 3, "bootstraps": 0, "rotations": 12,
    "rotation_keys": 5, "ciphertexts": 1, "output_ciphertexts": 2,
    "estimate": {"seconds": 0.25, "key_seconds": 1.5, "machine": "a lab", "key_bytes": 2097152, "weight_bytes": 512,
                 "ciphertext_bytes": 1536},
    "approximations": [], "client_steps": [], "sharing": [], "notes": [], "warnings": [],
    "instructions": [{"operation": "linear", "seconds": 0.5}, {"operation": "add", "seconds": 0.002},
                     {"operation": "linear", "seconds": 0.25}]})");
  report.threads = 4;
  report.seconds = {.compile = 0.5, .keygen = 2, .encode = 0.25, .encrypt = 0.002, .evaluate = 0.4, .decrypt = 0.001};
  report.evaluate_worst = 0.6;
  report.instruction_seconds = {0.25, 0.003, 0.125};
  report.key_bytes = 2048;
  report.peak_memory_bytes = 3145728;
  report.batch = 2;
  return report;
}

TEST(RunReport, TellsScores) {
  EXPECT_EQ(scores_text(scores(), {}, false),
            "Encrypted answers that agree with plaintext: 1 of 3\n"
            "Inputs without an answer: 1\n"
            "Accuracy: encrypted 0.5000, plaintext 1.0000\n"
            "Largest difference of an output: 0.375\n");
  Scoreboard numbers(session::Question{0, AnswerKind::regression, {}});
  numbers.add(V{100}, V{100}, 110);
  numbers.add(V{204}, V{200}, 190);
  EXPECT_EQ(scores_text(numbers, {}, true),
            "Simulated answers that agree with plaintext: 1 of 2\n"
            "R2: simulated 0.9075, plaintext 0.9375\n"
            "Largest difference of an output: 4\n");
  Scoreboard plain(session::Question{0, AnswerKind::regression, {}});
  plain.add(V{1}, V{1}, std::nullopt);
  EXPECT_EQ(scores_text(plain, {}, false),
            "Encrypted answers that agree with plaintext: 1 of 1\nLargest difference of an output: 0\n");
}

TEST(RunReport, TellsWhatLeftItsIntervalAndKeepsValuesToItself) {
  EXPECT_THAT(scores_text(scores(), {excess()}, false),
              testing::StartsWith("Values outside what the network was compiled for\n"
                                  "  layer  operator   interval         from  worst value  of input  inputs\n"
                                  "  relu       Relu  [-2, 2.5]  calibration  (--verbose)         7       1\n"));
  Json json;
  add_scores(json, scores(), {excess()});
  EXPECT_EQ(json.at("range_excess"), Json::array({{{"node", "relu"},
                                                   {"op", "Relu"},
                                                   {"interval", {-2.0, 2.5}},
                                                   {"interval_from", "calibration"},
                                                   {"input", 7},
                                                   {"inputs", 1}}}));
}

TEST(RunReport, ScoresAreJsonForPrograms) {
  Json json;
  add_scores(json, scores(), {excess()});
  EXPECT_EQ(json.at("images"), 3);
  EXPECT_EQ(json.at("misses"), 1);
  EXPECT_EQ(json.at("missed_inputs"), Json::array({7}));
  EXPECT_EQ(json.at("range_excess").size(), 1u);
  EXPECT_EQ(json.at("answer"), "argmax");
  EXPECT_DOUBLE_EQ(json.at("agreement").get<double>(), 1.0 / 3);
  EXPECT_EQ(json.at("accuracy_measure"), "share");
  EXPECT_EQ(json.at("accuracy_encrypted"), 0.5);
  EXPECT_EQ(json.at("accuracy_plain"), 1.0);
  EXPECT_EQ(json.at("max_abs_error"), 0.375);
  add_scores(json, Scoreboard(session::Question{0, AnswerKind::regression, {}}), {});
  EXPECT_EQ(json.at("accuracy_measure"), "r2");
  EXPECT_TRUE(json.at("accuracy_encrypted").is_null());
}

TEST(RunReport, IsStagesAndOperationsForPeople) {
  const std::string text = run_text(report(), scores());
  EXPECT_THAT(text, testing::StartsWith("Plan for small\n"));
  EXPECT_THAT(text, HasSubstr("\n"
                              "  Stage                planned     time\n"
                              "  compile                       0.500 s\n"
                              "  generate keys        1.500 s  2.000 s\n"
                              "  encode weights                0.250 s\n"
                              "  encrypt, per input            2.00 ms\n"
                              "  evaluate, per input  0.250 s  0.400 s\n"
                              "  decrypt, per input            1.00 ms\n"));
  // A run takes two inputs; what takes less than a hundredth of the evaluation is left out.
  EXPECT_THAT(text, HasSubstr("\n"
                              "  Operation, per input  planned  measured\n"
                              "  linear                0.375 s   0.375 s\n"
                              "  threads 4, peak memory 3.0 MiB\n"
                              "\n"
                              "Encrypted answers"));
  RunReport longer = report();
  longer.instruction_seconds[1] = 0.005;
  longer.evaluate_warm = 0.3;
  EXPECT_THAT(run_text(longer, scores()), AllOf(HasSubstr("\n  evaluate, behind the first run           0.300 s\n"),
                                                HasSubstr("\n  add                   1.00 ms   5.00 ms\n")));
}

TEST(RunReport, OfASimulationHasNoKeys) {
  RunReport simulated = report();
  simulated.simulated = true;
  simulated.instruction_seconds.clear();
  const std::string text = run_text(simulated, scores());
  EXPECT_THAT(text, HasSubstr("\n"
                              "  Stage                   time\n"
                              "  compile              0.500 s\n"
                              "  simulate, per input  0.400 s\n"
                              "  threads 4, peak memory 3.0 MiB\n"));
  EXPECT_THAT(text, HasSubstr("Simulated answers"));
  EXPECT_THAT(text, Not(HasSubstr("Operation, per input")));
}

TEST(RunReport, IsJsonForPrograms) {
  const Json json = run_json(report(), scores());
  EXPECT_EQ(json.at("model"), "small");
  EXPECT_FALSE(json.contains("instructions"));
  EXPECT_FALSE(json.contains("neighbouring_boxes"));
  EXPECT_FALSE(json.contains("outputs"));
  EXPECT_EQ(json.at("simulated"), false);
  EXPECT_EQ(json.at("threads"), 4);
  EXPECT_EQ(json.at("batch"), 2);
  EXPECT_EQ(json.at("images"), 3);
  EXPECT_EQ(json.at("seconds"), (Json{{"compile", 0.5},
                                      {"keygen", 2.0},
                                      {"encode", 0.25},
                                      {"encrypt", 0.002},
                                      {"evaluate", 0.4},
                                      {"decrypt", 0.001},
                                      {"evaluate_worst", 0.6}}));
  EXPECT_EQ(json.at("operation_seconds"), (Json{{"add", {{"planned", 0.001}, {"measured", 0.003}}},
                                                {"linear", {{"planned", 0.375}, {"measured", 0.375}}}}));
  EXPECT_EQ(json.at("key_bytes"), 2048);
  EXPECT_EQ(json.at("peak_memory_bytes"), 3145728);

  RunReport more = report();
  more.evaluate_warm = 0.3;
  more.plan["outputs"] = Json::parse(R"([{"name": "y", "expected_error": 0.125}])");
  more.outputs = Json::parse(R"([{"name": "y", "file": "y.npy"}])");
  EXPECT_EQ(run_json(more, scores()).at("seconds").at("evaluate_warm"), 0.3);
  EXPECT_EQ(run_json(more, scores()).at("outputs"),
            Json::parse(R"([{"name": "y", "expected_error": 0.125, "file": "y.npy"}])"));

  const Json page = run_page_json(report(), scores());
  EXPECT_EQ(page.at("instructions").at(0).at("seconds_measured"), 0.25);
  EXPECT_EQ(page.at("instructions").at(2).at("seconds_measured"), 0.125);
  EXPECT_EQ(page.at("instructions").at(2).at("seconds"), 0.25);
}

TEST(RunReport, OfIntegersComparesBoxesBesideTheNearestWithThePlan) {
  RunReport integers = report();
  integers.plan["instructions"] = Json::parse(R"([
    {"operation": "linear", "seconds": 1, "node": "fc", "ciphertexts": 3, "neighbour_rate": null},
    {"operation": "lookup", "seconds": 1, "node": "relu", "ciphertexts": 4, "neighbour_rate": 0.125}])");
  integers.instruction_seconds.clear();
  integers.neighbour_shares = {0, 0.25};
  EXPECT_EQ(run_json(integers, scores()).at("neighbouring_boxes"),
            Json::array({{{"index", 1}, {"node", "relu"}, {"lookups", 4}, {"predicted", 0.125}, {"measured", 0.25}}}));
}

TEST(RunReport, TimesFromATenthOfASecondOnAreInSeconds) {
  RunReport timed = report();
  timed.seconds.encode = 0.1;
  timed.seconds.decrypt = 0.0999;
  EXPECT_THAT(run_text(timed, scores()), AllOf(HasSubstr("\n  encode weights                 0.100 s\n"),
                                               HasSubstr("\n  decrypt, per input            99.90 ms\n")));
}

TEST(RunReport, OperationsFromAHundredthOfTheEvaluationOnAreTold) {
  RunReport timed = report();
  timed.seconds.evaluate = 0.5;
  timed.instruction_seconds[1] = 0.005;
  EXPECT_THAT(run_text(timed, scores()), HasSubstr("\n  add "));
  timed.instruction_seconds[1] = 0.0049;
  EXPECT_THAT(run_text(timed, scores()), Not(HasSubstr("\n  add ")));
}

TEST(RunReport, TellsTheWorstValueToWhoAsksForPrivateOnes) {
  base::show_private_values(true);
  const std::string text = scores_text(scores(), {excess()}, false);
  Json json;
  add_scores(json, scores(), {excess()});
  base::show_private_values(false);
  EXPECT_THAT(text, HasSubstr("  calibration           99         7       1\n"));
  EXPECT_EQ(json.at("range_excess").at(0).at("worst"), 99);
}

}  // namespace
}  // namespace tacit::app
