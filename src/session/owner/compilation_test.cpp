#include "session/owner/compilation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/byte_size.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/passes/deep_network_for_test.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/npy.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A network of four inputs, and six samples in a file: 0 to 3, 4 to 7, and so on.
class CompilationTest : public testing::Test {
 protected:
  CompilationTest() {
    std::vector<double> numbers(24);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (const auto& path : {samples_, others_}) write_npy(path, {6, 4}, std::span<const double>(numbers));
    request_.model = std::filesystem::path("net.onnx");
    request_.graph = graph::passes::deep_perceptron(1, 4);
    request_.rows.files = {samples_};
  }
  /// The first numbers of the rows that calibrate, or why there are none.
  std::vector<double> rows() const {
    std::vector<double> first;
    for (const auto& sample : read_calibration(request_)) first.push_back(sample.at(0).data.at(0));
    return first;
  }
  std::string refusal() const {
    return base::refusal([&] { read_calibration(request_); });
  }

  const base::TemporaryFolder folder_;
  const std::filesystem::path samples_ = folder_.path() / "samples.npy", others_ = folder_.path() / "others.npy";
  CompileRequest request_;
};

/// A sorted file calibrates by all of it.
TEST_F(CompilationTest, CalibratesEvenlyOnALargeFile) {
  const std::int64_t most = kMostSamples;
  std::vector<double> numbers(static_cast<std::size_t>(3 * most * 4));
  std::iota(numbers.begin(), numbers.end(), 0);
  write_npy(samples_, {3 * most, 4}, std::span<const double>(numbers));
  const std::vector<double> taken = rows();
  ASSERT_EQ(taken.size(), static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], 12.0 * static_cast<double>(i)) << i;
  request_.private_rows = PrivateRows{{samples_}, 2 * most, 3 * most};
  EXPECT_EQ(rows().back(), 4.0 * static_cast<double>(most - 1)) << "not one that is private";
  request_.private_rows.reset();
  request_.rows.count = most;
  EXPECT_EQ(rows().back(), 4.0 * static_cast<double>(most - 1)) << "the first ones, where their number was asked for";
}

TEST_F(CompilationTest, CalibratesOnTheRowsThatAreNamed) {
  EXPECT_EQ(rows(), (std::vector<double>{0, 4, 8, 12, 16, 20}));
  request_.rows.first = 2;
  request_.rows.count = 3;
  EXPECT_EQ(rows(), (std::vector<double>{8, 12, 16}));
  request_.rows.first = 5;
  EXPECT_EQ(rows(), (std::vector<double>{20})) << "as many as there are";
  request_.rows.count = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(rows(), (std::vector<double>{20}));
  request_.rows.first = 0;
  request_.rows.count = 1;
  EXPECT_EQ(rows(), (std::vector<double>{0}));
  for (const std::int64_t outside : {-1, 6}) {
    request_.rows.first = outside;
    EXPECT_EQ(refusal(), "--calibrate-first " + std::to_string(outside) + " lies outside " + samples_.string() +
                             ", which holds 6 samples");
  }
  request_.rows.first = 0;
  request_.rows.count = 0;
  EXPECT_EQ(refusal(), "--calibrate-count 0 must be at least 1");
  request_.keep_calibration = true;  // tacit calibrate names them by shorter options
  EXPECT_EQ(refusal(), "--count 0 must be at least 1");
  request_.rows.files.clear();
  EXPECT_TRUE(rows().empty());
}

TEST_F(CompilationTest, PrivateRowsNeverCalibrate) {
  request_.private_rows = PrivateRows{{samples_}, 2, 4};
  const auto calibrating_on = [&](std::int64_t first, std::int64_t count) {
    request_.rows.first = first;
    request_.rows.count = count;
    return refusal();
  };
  EXPECT_EQ(calibrating_on(0, 2), base::kNotRefused);
  EXPECT_EQ(calibrating_on(4, 2), base::kNotRefused);
  EXPECT_THAT(calibrating_on(0, 3), HasSubstr("rows 0 to 2 of " + samples_.string() + " and inputs 2 to 3 overlap"));
  EXPECT_THAT(calibrating_on(3, 2), HasSubstr("rows 3 to 4 of"));
  EXPECT_THAT(calibrating_on(2, 1), HasSubstr("overlap"));
  request_.private_rows->files = {others_};
  EXPECT_EQ(calibrating_on(0, 6), base::kNotRefused) << "of another file";
  request_.private_rows->files.push_back(folder_.path() / "." / "samples.npy");
  EXPECT_THAT(calibrating_on(0, 6), HasSubstr("overlap")) << "the same under another name";
}

TEST_F(CompilationTest, TheRangeOfInputsIsWhatIsGivenOrKnownOrThatOfBytes) {
  EXPECT_FALSE(public_input_range(request_));
  write_npy(samples_, {6, 4}, std::span<const std::uint8_t>(std::vector<std::uint8_t>(24, 7)));
  EXPECT_EQ(public_input_range(request_), std::pair(0.0, 255.0));
  request_.public_range = std::pair(0.0, 1.0);
  EXPECT_EQ(public_input_range(request_), std::pair(0.0, 1.0));
  request_.options.input_range = std::pair(-2.0, 3.0);
  EXPECT_EQ(public_input_range(request_), std::pair(-2.0, 3.0));
  const auto checked = [](double lowest, double highest) {
    return base::refusal([&] { require_range(std::pair(lowest, highest)); });
  };
  EXPECT_EQ(base::refusal([] { require_range(std::nullopt); }), base::kNotRefused);
  EXPECT_EQ(checked(-1, 1), base::kNotRefused);
  for (const auto& [lowest, highest] :
       {std::pair(1.0, 1.0), {2.0, 1.0}, {0.0, HUGE_VAL}, {-HUGE_VAL, 0.0}, {std::nan(""), 1.0}, {0.0, std::nan("")}})
    EXPECT_THAT(checked(lowest, highest), HasSubstr("must go from a smaller to a larger finite number"));
}

TEST_F(CompilationTest, ParametersAreANameOrAFileOfOneMebibyte) {
  const std::filesystem::path file = folder_.path() / "set.json";
  EXPECT_EQ(parameters_text("N14", {"N13", "N14"}), std::nullopt);
  EXPECT_EQ(base::refusal([&] {
              parameters_text("N15", {"N13", "N14"});
            }),
            "--parameters N15 is neither a file nor one of N13, N14");
  base::write_file(file, std::string("{}"));
  EXPECT_EQ(parameters_text(file.string(), {"N13"}), "{}");
  base::write_file(file, std::string(1 << 20, ' '));
  EXPECT_EQ(parameters_text(file.string(), {"N13"}).value().size(), std::size_t{1} << 20);
  base::write_file(file, std::string((1 << 20) + 1, ' '));
  EXPECT_THAT(base::refusal([&] { parameters_text(file.string(), {"N13"}); }),
              HasSubstr("1048577 bytes are more than the 1048576 bytes"));
}

TEST_F(CompilationTest, ChoicesOfTheOtherSchemeAreRefused) {
  const auto refused = [&](Scheme scheme, const std::function<void(CompileOptions&)>& change) {
    CompileRequest request = request_;
    request.options.scheme = scheme;
    request.rows.files.clear();
    change(request.options);
    return base::refusal([&] {
      if (scheme == Scheme::tfhe)
        compile_integers(request, base::Progress::silent());
      else
        compile_network(request, base::Progress::silent());
    });
  };
  const std::vector<std::pair<const char*, std::function<void(CompileOptions&)>>> of_slots{
      {"--max-degree", [](CompileOptions& c) { c.max_degree = 3; }},
      {"--max-polynomial-error", [](CompileOptions& c) { c.max_polynomial_error = 0.2; }},
      {"--precision", [](CompileOptions& c) { c.precision = 20; }},
      {"--costs", [](CompileOptions& c) { c.costs = "costs.json"; }},
      {"--shard", [](CompileOptions& c) { c.shard = {"x=x:2"}; }},
      {"--batch", [](CompileOptions& c) { c.batch = 2; }},
      {"--batch", [](CompileOptions& c) { c.batch = kCheapestBatch; }}};
  for (const auto& [option, change] : of_slots)
    EXPECT_EQ(refused(Scheme::tfhe, change),
              std::string(option) + " belongs to --scheme ckks, not to integers (--scheme tfhe)");
  const std::vector<std::pair<const char*, std::function<void(CompileOptions&)>>> of_integers{
      {"--bits", [](CompileOptions& c) { c.bits = 4; }},
      {"--failure", [](CompileOptions& c) { c.log2_failure = -64; }},
      {"--rounding", [](CompileOptions& c) { c.exact_rounding = true; }}};
  for (const auto& [option, change] : of_integers)
    EXPECT_EQ(refused(Scheme::ckks, change),
              std::string(option) + " belongs to networks on integers: give --scheme tfhe as well");
}

TEST_F(CompilationTest, TheCompilerIsToldWhatWasChosen) {
  CompileOptions asked;
  const graph::CompileOptions standard = options_of_slots(asked, {}), fresh;
  EXPECT_EQ(standard.max_degree, fresh.max_degree);
  EXPECT_EQ(standard.max_value_degree, fresh.max_value_degree);
  EXPECT_EQ(standard.max_error, fresh.max_error);
  EXPECT_EQ(standard.batch, 1);
  EXPECT_TRUE(standard.client_before);
  EXPECT_FALSE(standard.parameters);
  EXPECT_FALSE(standard.sharing);
  EXPECT_FALSE(standard.precision);
  EXPECT_FALSE(standard.keep_calibration);
  asked.max_degree = 7;
  asked.max_polynomial_error = 0.25;
  asked.parameters = "N14-d7";
  asked.batch = kCheapestBatch;
  asked.client_before = false;
  asked.keep_private = {"a", "b", "a"};
  asked.share = tacit::Disclosure{.bits = 2};
  asked.precision = 12;
  const graph::CompileOptions options = options_of_slots(asked, {.bytes = 1000});
  EXPECT_EQ(options.max_degree, 7);
  EXPECT_EQ(options.max_value_degree, 7);
  EXPECT_EQ(options.max_error, 0.25);
  ASSERT_TRUE(options.parameters);
  EXPECT_EQ(options.parameters->name, "N14-d7");
  EXPECT_FALSE(options.batch);
  EXPECT_FALSE(options.client_before);
  EXPECT_THAT(options.keep_private, testing::ElementsAre("a", "b"));
  ASSERT_TRUE(options.sharing);
  EXPECT_EQ(options.sharing->bits, 2);
  EXPECT_EQ(options.precision, 12);
  EXPECT_EQ(options.memory.bytes, 1000u);
  for (const double wrong : {-0.001, 1.001, std::nan("")}) {
    graph::CompileOptions with_error = fresh;
    with_error.max_error = wrong;
    EXPECT_THAT(
        base::refusal([&] { compile_graph("net", request_.graph, with_error, base::Progress::silent()); }),
        AllOf(HasSubstr("the largest error of a polynomial (--max-polynomial-error) is"), HasSubstr("outside 0 to 1")));
  }
}

TEST_F(CompilationTest, ParametersCostsAndRangesMayBeContent) {
  CompileOptions asked;
  asked.parameters = params::to_json(params::named_literal("N14-d7"));
  params::CostTable prices;
  prices.machine = "another";
  asked.costs = params::to_json(prices);
  const graph::CompileOptions options = options_of_slots(asked, {});
  EXPECT_EQ(options.parameters->name, "N14-d7");
  EXPECT_EQ(options.costs.machine, "another");
  asked.costs.clear();
  asked.parameters = "{}";
  EXPECT_THAT(base::refusal([&] { options_of_slots(asked, {}); }), HasSubstr("the JSON in the options"));
  request_.options.ranges = " {}";
  request_.rows.files.clear();
  EXPECT_THAT(base::refusal([&] { options_on_slots(request_); }), HasSubstr("the ranges in the options"));
}

TEST_F(CompilationTest, WarnsOfPolynomialsThatAreFarOff) {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.max_degree = options.max_value_degree = 7;
  const Compilation rough = compile_graph("net", request_.graph, options, base::Progress::silent());
  ASSERT_EQ(rough.model.approximations.size(), 1u);
  const graph::Approximation& tanh = rough.model.approximations[0];
  ASSERT_GT(tanh.share, 0.02) << "of degree 7";
  EXPECT_THAT(rough.warnings,
              testing::Contains(
                  fmt::format("the polynomial of degree {} for Tanh '{}' is off by up to {:.1f} % of the function's "
                              "largest value",
                              tanh.degree, tanh.node, 100 * tanh.share)));
}

TEST_F(CompilationTest, OneRowIsNoOverlapWithItsNeighbours) {
  request_.private_rows = PrivateRows{{samples_}, 3, 4};
  const auto calibrating_on = [&](std::int64_t first, std::int64_t count) {
    request_.rows.first = first;
    request_.rows.count = count;
    return refusal();
  };
  EXPECT_EQ(calibrating_on(2, 1), base::kNotRefused);
  EXPECT_EQ(calibrating_on(4, 1), base::kNotRefused);
  EXPECT_EQ(calibrating_on(3, 1),
            fmt::format("calibration would use private inputs: rows 3 to 3 of {} and inputs 3 to 3 overlap; choose "
                        "others with --calibrate-first",
                        samples_.string()));
}

TEST_F(CompilationTest, RangesAndErrorsStateTheirNumbers) {
  EXPECT_EQ(base::refusal([] { require_range(std::pair(2.5, -1.0)); }),
            "the input range (--input-range) 2.5,-1 must go from a smaller to a larger finite number");
  for (const double wrong : {-0.5, 1.5}) {
    graph::CompileOptions options;
    options.max_error = wrong;
    EXPECT_EQ(base::refusal([&] { compile_graph("net", request_.graph, options, base::Progress::silent()); }),
              fmt::format("the largest error of a polynomial (--max-polynomial-error) is {}, outside 0 to 1", wrong));
  }
}

TEST_F(CompilationTest, ACompilationSaysWhatItKnewOfItsInputs) {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.max_error = 1;
  const Compilation calibrated = compile_graph("a\nb", request_.graph, options, base::Progress::silent());
  EXPECT_EQ(calibrated.name, "a b");
  EXPECT_TRUE(calibrated.calibrated);
  EXPECT_FALSE(calibrated.input_bounded);
  EXPECT_GT(calibrated.seconds, 0);
  options.input_range = std::pair(-8.0, 8.0);
  EXPECT_TRUE(compile_graph("net", request_.graph, options, base::Progress::silent()).input_bounded);
}

TEST_F(CompilationTest, PolynomialsThatMayNotBeOffAreNoMistakeOfTheOption) {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.max_error = 0;
  EXPECT_THAT(base::refusal([&] { compile_graph("net", request_.graph, options, base::Progress::silent()); }),
              testing::Not(HasSubstr("outside 0 to 1")));
}

/// A share of answers that ranges of an earlier compilation hold.
TEST_F(CompilationTest, WarnsOfManyAnswersThatPolynomialsChange) {
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.max_error = 1;
  options.keep_calibration = true;
  const graph::Calibration measured =
      compile_graph("net", request_.graph, options, base::Progress::silent()).model.calibration.value();
  options.keep_calibration = false;
  options.calibration.clear();
  const auto warnings_for = [&](double share) {
    graph::Calibration changed = measured;
    changed.answers_changed = share;
    options.measured = std::make_shared<const graph::Calibration>(std::move(changed));
    return compile_graph("net", request_.graph, options, base::Progress::silent()).warnings;
  };
  const auto of_answers = testing::Contains(HasSubstr("of the answers"));
  EXPECT_THAT(warnings_for(0), testing::Not(of_answers));
  EXPECT_THAT(warnings_for(graph::kManyChanged), testing::Not(of_answers));
  EXPECT_THAT(warnings_for(0.55),
              testing::Contains("errors of polynomials are expected to change 55 % of the answers, judged by the "
                                "calibration samples; higher degrees (--max-degree) change fewer"));
}

/// Budgets between what takes all weights and what takes those of one layer.
TEST_F(CompilationTest, WarnsOfWeightsThatABudgetDoesNotHold) {
  constexpr std::uint64_t kReserved = 1'000'000;
  constexpr int kSteps = 8;
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.parameters = small_insecure_literal();
  const auto of_weights = testing::Contains(HasSubstr("of the encoded weights"));
  const Compilation free = compile_graph("net", request_.graph, options, base::Progress::silent());
  EXPECT_THAT(free.warnings, testing::Not(of_weights));
  const double peak = free.model.memory.peak(), least = free.model.memory.least();
  ASSERT_LT(least, peak);
  int warned = 0;
  for (int step = 1; step < kSteps; ++step) {
    options.memory.reserved = kReserved;
    options.memory.bytes = kReserved + static_cast<std::uint64_t>(peak - (peak - least) * step / kSteps);
    const Compilation held = compile_graph("net", request_.graph, options, base::Progress::silent());
    const double anew = held.model.encoded_anew.bytes;
    if (anew == 0) {
      EXPECT_THAT(held.warnings, testing::Not(of_weights));
      continue;
    }
    ++warned;
    EXPECT_THAT(
        held.warnings,
        testing::Contains(fmt::format(
            "{} of the encoded weights do not fit the memory budget and are encoded anew in every run; {} (--memory) "
            "hold them all",
            base::byte_size_text(anew), base::byte_size_text(1.05 * (held.model.memory.peak() + 1e6)))));
  }
  EXPECT_GT(warned, 0);
}

TEST_F(CompilationTest, AFileIsCompiledByItsSamplesAlone) {
  std::vector<double> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 12 - 1;
  write_npy(samples_, {6, 4}, std::span<const double>(numbers));
  request_.options.max_polynomial_error = 1;
  const Compilation compilation = compile_network(request_, base::Progress::silent());
  EXPECT_EQ(compilation.name, "net.onnx");
  EXPECT_TRUE(compilation.calibrated);
  EXPECT_FALSE(compilation.input_bounded);
  EXPECT_GT(compilation.seconds, 0);
  // Where the scheme is chosen, what is said of integers is for the other one.
  request_.options.scheme = Scheme::automatic;
  request_.options.bits = 4;
  EXPECT_EQ(base::refusal([&] { compile_network(request_, base::Progress::silent()); }), base::kNotRefused);
  const PrivateRows none;
  EXPECT_EQ(none.begin, 0);
  EXPECT_EQ(none.end, 0);
}

}  // namespace
}  // namespace tacit::session
