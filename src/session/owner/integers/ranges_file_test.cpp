#include "session/owner/integers/ranges_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/passes/sketch.h"
#include "runtime/compiled_model.h"
#include "session/owner/compiled_network.h"
#include "session/owner/halves.h"
#include "session/owner/integers/plan.h"
#include "session/owner/measured_ranges.h"
#include "session/owner/ranges_file.h"

namespace tacit::session {
namespace {

using graph::quant::Measurements;
using testing::HasSubstr;

/// Three features, Tanh between two sums.
graph::Graph small_network() {
  graph::passes::Sketch s;
  graph::TensorId x = s.input({1, 3});
  x = s.node("MatMul", {x, s.constant({3, 2}, {1, -0.5, 0.25, 0.5, -0.75, 1})}, {1, 2});
  x = s.node("Tanh", {x}, {1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 2}, {1, 2, -1, 0.5})}, {1, 2}));
  s.graph.name = "small";
  return s.graph;
}

std::vector<std::vector<graph::Tensor>> rows(std::size_t count) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<std::vector<graph::Tensor>> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({graph::Tensor{{1, 3}, {normal(random), normal(random), normal(random)}, false}});
  return samples;
}

CompileRequest request(Scheme scheme) {
  CompileRequest request{.model = "small.onnx", .graph = small_network()};
  request.options.scheme = scheme;
  return request;
}

MeasuredRanges measured(Scheme scheme) {
  CompileRequest with_samples = request(scheme);
  with_samples.calibration = rows(60);
  return measure_ranges(std::move(with_samples), base::Progress::silent());
}

/// Both halves as files, and the plan.
std::vector<std::vector<char>> files_of(const IntegerCompilation& compilation) {
  const base::TemporaryFolder folder;
  const IntegerHalves halves = halves_of(compilation);
  runtime::save(halves.server, folder.path() / "server");
  runtime::save(halves.client, folder.path() / "client");
  return {base::read_file(folder.path() / "server"), base::read_file(folder.path() / "client")};
}

TEST(IntegerRangesFile, CompilesToTheSameHalvesFromAFileAndFromText) {
  const MeasuredRanges found = measured(Scheme::tfhe);
  const auto& ranges = std::get<Measurements>(found.ranges);
  EXPECT_EQ(found.name, "small.onnx");
  EXPECT_EQ(found.samples, 60u);
  EXPECT_EQ(found.values, ranges.values.size());
  EXPECT_EQ(found.functions, 2u) << "a lookup for every element";
  EXPECT_EQ(found.model, base::hexadecimal(ranges.model));
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "ranges.json";
  write_ranges(file, ranges);
  EXPECT_EQ(read_integer_ranges(file), ranges);
  CompileRequest with_samples = request(Scheme::tfhe);
  with_samples.calibration = rows(60);
  const auto expected = files_of(compile_integers(std::move(with_samples), base::Progress::silent()));
  for (const std::string& given : {file.string(), ranges_to_json(ranges)}) {
    CompileRequest by_ranges = request(Scheme::tfhe);
    by_ranges.options.ranges = given;
    EXPECT_EQ(scheme_of_ranges(given), Scheme::tfhe);
    EXPECT_EQ(files_of(compile_integers(std::move(by_ranges), base::Progress::silent())), expected);
  }
}

/// An automatic choice takes the scheme of the file.
TEST(IntegerRangesFile, DecidesOnTheScheme) {
  for (const Scheme scheme : {Scheme::ckks, Scheme::tfhe}) {
    CompileRequest automatic = request(Scheme::automatic);
    automatic.options.ranges =
        std::visit([](const auto& ranges) { return ranges_to_json(ranges); }, measured(scheme).ranges);
    const auto compiled = compile_for_scheme(std::move(automatic), base::Progress::silent());
    EXPECT_EQ(std::holds_alternative<IntegerCompilation>(compiled), scheme == Scheme::tfhe);
    std::visit(
        [&](const CompilationHead& head) {
          EXPECT_THAT(head.graph.notes,
                      testing::Contains(scheme == Scheme::tfhe
                                            ? "--scheme auto took TFHE, for which the ranges were measured"
                                            : "--scheme auto took CKKS, for which the ranges were measured"));
        },
        compiled);
  }
  EXPECT_THAT(base::refusal([] { measured(Scheme::automatic); }), HasSubstr("give --scheme ckks or --scheme tfhe"));
}

class IntegerRangesRefusal : public testing::Test {
 protected:
  static std::string refusal(const std::string& text) {
    return base::refusal([&] { integer_ranges_from_json(text); });
  }
  /// The text with the first `from` replaced.
  std::string with(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
  }
  const Measurements measured_ = std::get<Measurements>(measured(Scheme::tfhe).ranges);
  const std::string text_ = ranges_to_json(measured_);
};

TEST_F(IntegerRangesRefusal, RangesOfTheOtherSchemeSayWhatIsMissing) {
  const std::string slots = ranges_to_json(std::get<graph::Calibration>(measured(Scheme::ckks).ranges));
  EXPECT_THAT(refusal(slots), HasSubstr("measured for --scheme ckks and lack the ranges of all elements"));
  EXPECT_THAT(refusal(slots), HasSubstr("run 'tacit calibrate' with --scheme tfhe"));
  EXPECT_THAT(base::refusal([&] { ranges_from_json(text_); }),
              HasSubstr("measured for --scheme tfhe and hold no interval of a polynomial"));
  CompileRequest both = request(Scheme::tfhe);
  both.options.ranges = text_;
  both.calibration = rows(3);
  EXPECT_THAT(base::refusal([&] { options_on_integers(both); }), HasSubstr("--ranges and --calibrate both say"));
}

TEST_F(IntegerRangesRefusal, TextsThatAreNoRanges) {
  EXPECT_EQ(integer_ranges_from_json(text_), measured_);
  EXPECT_THAT(refusal(text_.substr(0, text_.size() / 2)), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("an object was expected"));
  EXPECT_THAT(refusal("{}"), HasSubstr("\"format\" is missing"));
  EXPECT_THAT(refusal(with("ranges 1", "ranges 2")), HasSubstr("'format' is not \"tacit integer ranges 1\""));
  for (const char* field : {"format", "model", "samples", "choices", "bits", "rounding", "log2_failure",
                            "client_before", "keep_private", "values", "node", "lowest", "highest", "means", "program",
                            "digest", "neighbour_rates", "errors", "answer_moves"}) {
    const std::string quoted = '"' + std::string(field) + '"';
    EXPECT_THAT(refusal(with(quoted + ":", "\"unknown\":")), HasSubstr(quoted)) << field;
  }
  EXPECT_THAT(refusal(with("{\"format\"", "{\"more\":1,\"format\"")), HasSubstr("not part of the format"));
}

TEST_F(IntegerRangesRefusal, NumbersThatCannotBe) {
  EXPECT_THAT(refusal(with("\"bits\":6", "\"bits\":9")), HasSubstr("choices: tables of 9 bits, outside 2 to 8"));
  EXPECT_THAT(refusal(with("\"bits\":6", "\"bits\":1")), HasSubstr("tables of 1 bits, outside 2 to 8"));
  EXPECT_THAT(refusal(with("approximate", "rough")), HasSubstr("'rounding' is neither"));
  EXPECT_THAT(refusal(with("\"lowest\":[", "\"lowest\":[0,")), HasSubstr("value 0: 4 lowest and 3 highest numbers"));
  EXPECT_THAT(refusal(with("\"means\":[", "\"means\":[1e101,")), HasSubstr("beyond 1e+100"));
  EXPECT_THAT(refusal(with("\"neighbour_rates\":[", "\"neighbour_rates\":[1.5,")), HasSubstr("a rate of 1.5"));
  EXPECT_THAT(refusal(with("\"errors\":[", "\"errors\":[-1")), HasSubstr("below 0"));
  EXPECT_THAT(refusal(with("\"samples\":60", "\"samples\":0")), HasSubstr("'samples' must be at least 1"));
  Measurements inverted = measured_;
  inverted.values[0].ranges[0] = {2, 1};
  EXPECT_EQ(integer_ranges_from_json(ranges_to_json(inverted)).values[0].ranges[0], graph::Range{})
      << "an element that every sample misses";
  EXPECT_THAT(refusal(with("\"lowest\":[", "\"lowest\":[null,")), HasSubstr("4 lowest and 3 highest numbers"));
  Measurements infinite = measured_;
  infinite.values[0].means[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_ranges("never written", infinite), base::InputError);
  Measurements unlimited = measured_;
  unlimited.program.answer_moves = {std::numeric_limits<double>::infinity(), 2};
  EXPECT_EQ(integer_ranges_from_json(ranges_to_json(unlimited)), unlimited);
  Measurements grids = measured_;
  grids.grids = {{0, 3, {1, 2, 3}, {0.5, 1.5, 2.5, 4}}};
  EXPECT_EQ(integer_ranges_from_json(ranges_to_json(grids)), grids);
  grids.grids.assign(4097, {0, 3, {}, {}});
  EXPECT_THAT(refusal(ranges_to_json(grids)), HasSubstr("grids: more than 4096"));
}

}  // namespace
}  // namespace tacit::session
