#include "session/owner/validation_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacit::session {
namespace {

using check::Cause;
using check::DryValue;
using check::OperatorResult;
using check::Report;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

OperatorResult good() {
  OperatorResult result;
  result.node = result.origin = "conv";
  result.operators = "Conv";
  result.source = "m.onnx";
  result.value = 3;
  result.compared = 16;
  result.tolerance = 1e-4;
  result.worst_error = 0x1p-20;
  result.mean_error = 0x1p-22;
  result.level = 2;
  result.scale = 0x1p40;
  result.range_share = 0.5;
  return result;
}

OperatorResult failed() {
  OperatorResult result = good();
  result.node = result.origin = "fc";
  result.operators = "Gemm";
  result.detail = program::Detail::vector;
  result.compared = 8;
  result.worst_error = 0x1p-10;
  result.mean_error = 0x1p-12;
  result.level = 1;
  result.scale = 0x1p35;
  result.range_share = 0.0005;
  result.failed = true;
  result.failures = 3;
  result.index = 5;
  result.encrypted = 0.5;
  result.message = 0.25;
  result.cause = Cause::noise;
  return result;
}

Report report_of(std::vector<OperatorResult> operators) {
  Report report;
  report.operators = std::move(operators);
  report.inputs = 1;
  report.run_seconds = 2;
  report.validate_seconds = 0.5;
  report.peak_bytes = 2048;
  return report;
}

TEST(ValidationReport, ShowsAllOperatorsAsATable) {
  EXPECT_EQ(validation_text(report_of({good(), failed()})),
            "  operator  detail  worst bits  mean bits  tolerance  level   scale   range used  result\n"
            "  conv          nn        20.0       22.0    1.0e-04      2  2^40.0         50 %      ok\n"
            "  fc        vector        10.0       12.0    1.0e-04      1  2^35.0  below 0.1 %   noise\n"
            "  validate failed at fc[5]: 0.5 != 0.25; 3 of 8 elements; likely cause: noise; Gemm\n"
            "  every failure is noise, as these parameters give it: --epsilon -3.0 allows it, larger scales lower it\n"
            "  encrypted run 1.50 s and validation 0.50 s; decrypted numbers took 2.0 KiB at most\n");
}

TEST(ValidationReport, AdvisesAnEpsilonThatTheWorstNoiseFits) {
  const auto text = [](std::vector<OperatorResult> operators) { return validation_text(report_of(operators)); };
  OperatorResult worse = failed();
  worse.worst_error = 0.0021;
  EXPECT_THAT(text({worse, failed()}), HasSubstr("--epsilon -2.6 allows it"));
  EXPECT_THAT(text({failed(), worse}), HasSubstr("--epsilon -2.6 allows it"));
  EXPECT_THAT(text({good()}), Not(HasSubstr("--epsilon")));
  OperatorResult broken = failed();
  broken.cause = Cause::bug;
  EXPECT_THAT(text({failed(), broken}), Not(HasSubstr("--epsilon")));
}

TEST(ValidationReport, NamesTheNodeThatAnErrorWasCarriedOnFrom) {
  OperatorResult carried = failed();
  carried.cause = Cause::bug;
  carried.origin = "conv";
  carried.block = 1;
  carried.blocks = 4;
  EXPECT_THAT(
      validation_text(report_of({carried})),
      HasSubstr("  validate failed at fc[5] in block 1 of 4: 0.5 != 0.25; 3 of 8 elements; likely cause: bug of "
                "conv; Gemm\n"));
}

TEST(ValidationReport, SharesOfTheRangeAreToldFromATenthOfAPercentOn) {
  const auto row_of = [](double share) {
    OperatorResult result = good();
    result.range_share = share;
    const std::string text = validation_text(report_of({result}));
    const std::size_t begin = text.find("2^40.0") + 6, end = text.find("ok\n");
    const std::string cell = text.substr(begin, end - begin);
    const std::size_t first = cell.find_first_not_of(' ');
    return cell.substr(first, cell.find_last_not_of(' ') - first + 1);
  };
  EXPECT_EQ(row_of(0), "0 %");
  EXPECT_EQ(row_of(0.0009), "below 0.1 %");
  EXPECT_EQ(row_of(0.001), "0.1 %");
  EXPECT_EQ(row_of(0.625), "62.5 %");
  EXPECT_EQ(row_of(1.25), "125 %");
}

TEST(ValidationReport, IsJsonForPrograms) {
  const nlohmann::ordered_json described = validation_json(report_of({good(), failed()}));
  EXPECT_EQ(described.at("scheme"), "ckks");
  EXPECT_EQ(described.at("inputs"), 1);
  EXPECT_EQ(described.at("validated"), 2);
  EXPECT_EQ(described.at("failed"), true);
  EXPECT_EQ(described.at("first_failure"), "validate failed at fc[5]: 0.5 != 0.25");
  EXPECT_EQ(described.at("seconds"), (nlohmann::ordered_json{{"run", 2.0}, {"validate", 0.5}}));
  EXPECT_EQ(described.at("peak_buffer_bytes"), 2048);
  EXPECT_EQ(described.at("operators").at(0), (nlohmann::ordered_json{{"node", "conv"},
                                                                     {"detail", "nn"},
                                                                     {"operators", "Conv"},
                                                                     {"source", "m.onnx"},
                                                                     {"value", 3},
                                                                     {"compared", 16},
                                                                     {"tolerance", 1e-4},
                                                                     {"worst_error", 0x1p-20},
                                                                     {"worst_bits", 20.0},
                                                                     {"mean_error", 0x1p-22},
                                                                     {"mean_bits", 22.0},
                                                                     {"level", 2},
                                                                     {"log_scale", 40.0},
                                                                     {"range_share", 0.5},
                                                                     {"failed", false},
                                                                     {"failures", 0},
                                                                     {"index", nullptr},
                                                                     {"cause", "none"}}));
  const nlohmann::ordered_json& second = described.at("operators").at(1);
  EXPECT_EQ(second.at("failed"), true);
  EXPECT_EQ(second.at("failures"), 3);
  EXPECT_EQ(second.at("index"), 5);
  EXPECT_EQ(second.at("encrypted"), 0.5);
  EXPECT_EQ(second.at("message"), 0.25);
  EXPECT_EQ(second.at("cause"), "noise");
  EXPECT_EQ(second.at("origin"), "fc");
  EXPECT_EQ(second.at("out_of_range"), "");

  const nlohmann::ordered_json passed = validation_json(report_of({good()}));
  EXPECT_EQ(passed.at("failed"), false);
  EXPECT_TRUE(passed.at("first_failure").is_null());
}

TEST(ValidationReport, ThePageStatesTheRequest) {
  const nlohmann::ordered_json page = validation_page("net", "conv,fc", true, {{"validated", 2}});
  EXPECT_EQ(page.at("title"), "net, validated");
  EXPECT_EQ(page.at("subtitle"), "tacit validate --validate conv,fc --end-to-end");
  EXPECT_EQ(page.at("validation").at("validated"), 2);
  EXPECT_EQ(page.at("validation").at("end_to_end"), true);
  const nlohmann::ordered_json alone = validation_page("net", "all", false, {{"validated", 2}});
  EXPECT_EQ(alone.at("subtitle"), "tacit validate --validate all");
  EXPECT_EQ(alone.at("validation").at("end_to_end"), false);
}

std::vector<DryValue> dry_values() {
  DryValue input, layer;
  input.node = "x";
  input.instruction = "input";
  input.source = "m.onnx";
  input.level = 3;
  input.scale = 0x1p40;
  input.ciphertexts = 2;
  layer = input;
  layer.node = "fc";
  layer.instruction = "linear";
  layer.level = 2;
  layer.ciphertexts = 1;
  layer.bound = 2.5;
  layer.range_share = 0.625;
  return {input, layer};
}

TEST(DryRun, ShowsLevelsScalesAndBounds) {
  std::vector<DryValue> values = dry_values();
  EXPECT_EQ(dry_run_text(values),
            "  value  instruction  level   scale  ciphertexts    bound  range used  result\n"
            "  x            input      3  2^40.0            2  unknown         0 %      ok\n"
            "  fc          linear      2  2^40.0            1      2.5      62.5 %      ok\n");
  nlohmann::ordered_json described = dry_run_json(values);
  EXPECT_EQ(described.at("dry"), true);
  EXPECT_EQ(described.at("failed"), false);
  EXPECT_EQ(described.at("values").at(1), (nlohmann::ordered_json{{"node", "fc"},
                                                                  {"instruction", "linear"},
                                                                  {"source", "m.onnx"},
                                                                  {"level", 2},
                                                                  {"log_scale", 40.0},
                                                                  {"ciphertexts", 1},
                                                                  {"bound", 2.5},
                                                                  {"range_share", 0.625}}));
  values[1].problem = "a scale of 2^40 is not 2^39";
  EXPECT_THAT(dry_run_text(values), HasSubstr("      2.5      62.5 %   wrong\n"));
  EXPECT_THAT(dry_run_text(values), EndsWith("\n  fc (linear): a scale of 2^40 is not 2^39\n"));
  described = dry_run_json(values);
  EXPECT_EQ(described.at("failed"), true);
  EXPECT_EQ(described.at("values").at(1).at("problem"), "a scale of 2^40 is not 2^39");
  EXPECT_FALSE(described.at("values").at(0).contains("problem"));
}

TEST(DryRun, ABoundBelowOneIsOne) {
  std::vector<DryValue> values = dry_values();
  values[1].bound = 0.5;
  EXPECT_THAT(dry_run_text(values), HasSubstr("      0.5      62.5 %      ok\n"));
}

}  // namespace
}  // namespace tacit::session
