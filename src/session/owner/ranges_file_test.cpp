#include "session/owner/ranges_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/limits.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/sketch.h"
#include "params/small_ring_for_test.h"
#include "runtime/compiled_model.h"
#include "session/owner/halves.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {
namespace {

using graph::Calibration;
using graph::CompileOptions;
using graph::Graph;
using graph::Tensor;
using graph::TensorId;
using graph::passes::Sketch;
using testing::HasSubstr;

using Samples = std::vector<std::vector<Tensor>>;

std::vector<double> draw(std::size_t count, double deviation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(normal(random));
  return numbers;
}

Samples samples_of(const graph::Shape& shape, std::size_t count) {
  Samples samples;
  const auto elements = static_cast<std::size_t>(graph::element_count(shape));
  for (std::size_t s = 0; s < count; ++s)
    samples.push_back({Tensor{shape, draw(elements, 1, 100 + static_cast<unsigned>(s)), false}});
  return samples;
}

/// Eight features of different sizes, Relu, Sigmoid, and two layers behind them.
Graph perceptron() {
  Sketch s;
  TensorId x = s.input({1, 8});
  x = s.node("MatMul", {x, s.constant({8, 6}, draw(48, 1, 1))}, {1, 6});
  x = s.node("Relu", {x}, {1, 6});
  x = s.node("MatMul", {x, s.constant({6, 5}, draw(30, 1, 2))}, {1, 5});
  x = s.node("Sigmoid", {x}, {1, 5});
  s.output(s.node("MatMul", {x, s.constant({5, 3}, draw(15, 1, 3))}, {1, 3}));
  s.graph.name = "perceptron";
  return s.graph;
}

/// Two feature maps of so many elements that their channels stay together, a Relu on the first, a product, scores.
Graph maps() {
  Sketch s;
  const graph::Shape shape{1, 5, 16, 16};
  const std::map<std::string, graph::Attribute> around{{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  TensorId x = s.input({1, 2, 16, 16});
  x = s.node("Conv", {x, s.constant({5, 2, 3, 3}, draw(90, 0.5, 1)), s.constant({5}, draw(5, 1, 2))}, shape, around);
  x = s.node("Relu", {x}, shape);
  x = s.node("Conv", {x, s.constant({5, 5, 3, 3}, draw(225, 0.3, 3))}, shape, around);
  x = s.node("Mul", {x, x}, shape);
  x = s.node("Flatten", {x}, {1, 1280});
  s.output(s.node("MatMul", {x, s.constant({1280, 3}, draw(3840, 0.01, 4))}, {1, 3}));
  s.graph.name = "maps";
  return s.graph;
}

Compilation compiled(const Graph& graph, const CompileOptions& options) {
  return compile_graph(graph.name, graph, options, base::Progress::silent());
}

/// What a compilation with these options measured, by way of a file.
CompileOptions with_ranges(const Graph& graph, CompileOptions options) {
  options.keep_calibration = true;
  const Calibration measured = compiled(graph, options).model.calibration.value();
  const base::TemporaryFolder folder;
  write_ranges(folder.path() / "ranges.json", measured);
  const Calibration read = read_ranges(folder.path() / "ranges.json");
  EXPECT_EQ(read, measured);
  options.keep_calibration = false;
  options.calibration.clear();
  options.measured = std::make_shared<const Calibration>(read);
  return options;
}

/// Both halves as files, and the plan.
std::vector<std::vector<char>> files_of(const Compilation& compilation) {
  const base::TemporaryFolder folder;
  const Halves halves = halves_of(compilation);
  runtime::save(halves.server, folder.path() / "server");
  runtime::save(halves.client, folder.path() / "client");
  const std::string plan = plan_json(compilation).dump();
  return {
      base::read_file(folder.path() / "server"), base::read_file(folder.path() / "client"), {plan.begin(), plan.end()}};
}

void expect_same_files(const Graph& graph, const CompileOptions& options) {
  EXPECT_EQ(files_of(compiled(graph, with_ranges(graph, options))), files_of(compiled(graph, options)));
}

TEST(RangesFile, APerceptronCompilesToTheSameHalves) {
  CompileOptions options;
  for (const std::size_t samples : {std::size_t{100}, std::size_t{20}}) {  // 20 choose no degrees
    options.calibration = samples_of({1, 8}, samples);
    expect_same_files(perceptron(), options);
  }
  options.calibration = samples_of({1, 8}, 100);
  options.sharing = params::Sharing{.bits = 2};
  expect_same_files(perceptron(), options);
}

// A broken row changes nothing but the warning, which the file keeps.
TEST(RangesFile, RowsThatWereSetAsideAreNamed) {
  CompileOptions options;
  options.calibration = samples_of({1, 8}, 100);
  const std::vector<char> clean = files_of(compiled(perceptron(), options))[0];
  Tensor broken = options.calibration[40][0];
  for (double& x : broken.data) x *= 1e4;
  options.calibration.insert(options.calibration.begin() + 40, {broken});
  options.first_sample = 1000;
  EXPECT_EQ(files_of(compiled(perceptron(), options))[0], clean);
  expect_same_files(perceptron(), options);
  const CompileOptions ranges = with_ranges(perceptron(), options);
  ASSERT_EQ(ranges.measured->far_rows.rows.size(), 1U);
  EXPECT_EQ(ranges.measured->far_rows.rows[0].row, 1040);
  EXPECT_TRUE(ranges.measured->far_rows.rows[0].set_aside);
  EXPECT_EQ(ranges.measured->samples, 100U);
  EXPECT_THAT(compiled(perceptron(), ranges).warnings,
              testing::Contains(HasSubstr("1 calibration row is set aside: row 1040")));
}

TEST(RangesFile, FeatureMapsAreKnownByTheirChannels) {
  CompileOptions options;
  options.calibration = samples_of({1, 2, 16, 16}, 100);
  const CompileOptions ranges = with_ranges(maps(), options);
  std::size_t groups = 0;
  for (const graph::CalibratedValue& value : ranges.measured->values) groups = std::max(groups, value.elements.size());
  EXPECT_EQ(groups, 512U) << "those of the input, whose elements are few; 5 of a map";
  EXPECT_EQ(files_of(compiled(maps(), ranges)), files_of(compiled(maps(), options)));
}

TEST(RangesFile, ADeepNetworkWithBootstrapsCompilesToTheSameHalves) {
  CompileOptions options;
  options.calibration = graph::passes::deep_samples(100, 8, 5);
  options.max_degree = 31;
  options.parameters = params::insecure_on_small_ring("S8", 11);
  expect_same_files(graph::passes::deep_perceptron(12, 8), options);
}

/// Scores of four tokens in two groups, with an offset between the groups, a Softmax and a sum over it.
Graph attention() {
  Sketch s;
  const TensorId x = s.input({1, 8});
  const TensorId queries =
      s.node("Reshape",
             {s.node("MatMul", {x, s.constant({8, 16}, draw(128, 0.5, 1))}, {1, 16}), s.constant({4}, {1, 2, 4, 2})},
             {1, 2, 4, 2});
  const TensorId keys =
      s.node("Reshape",
             {s.node("MatMul", {x, s.constant({8, 16}, draw(128, 0.5, 2))}, {1, 16}), s.constant({4}, {1, 2, 2, 4})},
             {1, 2, 2, 4});
  const TensorId scores = s.node("MatMul", {queries, keys}, {1, 2, 4, 4});
  const TensorId shares = s.node("Softmax", {scores}, {1, 2, 4, 4}, {{"axis", std::int64_t{-1}}});
  const TensorId flat = s.node("Reshape", {shares, s.constant({2}, {1, 32})}, {1, 32});
  s.output(s.node("MatMul", {flat, s.constant({32, 2}, draw(64, 1, 3))}, {1, 2}));
  return s.graph;
}

TEST(RangesFile, FormsOfASoftmaxAreKept) {
  Graph graph = attention();
  for (graph::TensorInfo& info : graph.tensors)
    if (info.constant >= 0 && info.shape.size() == 1) info.integral = true;
  CompileOptions options;
  options.calibration = samples_of({1, 8}, 60);
  const CompileOptions ranges = with_ranges(graph, options);
  ASSERT_EQ(ranges.measured->softmax.size(), 1U);
  EXPECT_EQ(ranges.measured->softmax[0].offsets.size(), 2U);
  EXPECT_EQ(files_of(compiled(graph, ranges)), files_of(compiled(graph, options)));
}

class RangesRefusal : public testing::Test {
 protected:
  static std::string refusal(const Graph& graph, const CompileOptions& options) {
    return base::refusal([&] { compiled(graph, options); });
  }
  static std::string refusal(const std::string& text) {
    return base::refusal([&] { ranges_from_json(text); });
  }
  /// The text with the first `from` replaced.
  std::string with(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
  }
  /// Options of ranges after a change.
  template <class Change>
  CompileOptions changed(const Change& change) const {
    CompileOptions options = options_;
    Calibration calibration = *options_.measured;
    change(calibration);
    options.measured = std::make_shared<const Calibration>(calibration);
    return options;
  }

  static CompileOptions measured() {
    CompileOptions options;
    options.calibration = samples_of({1, 8}, 100);
    return with_ranges(perceptron(), options);
  }
  const CompileOptions options_ = measured();
  const std::string text_ = ranges_to_json(*options_.measured);
};

TEST_F(RangesRefusal, AnotherModel) {
  Graph other = perceptron();
  other.constants[0].data[3] += 1e-9;
  EXPECT_THAT(refusal(other, options_), HasSubstr("measured on another model"));
  EXPECT_EQ(refusal(perceptron(), options_), base::kNotRefused);
}

TEST_F(RangesRefusal, OtherChoicesByName) {
  const auto expect = [&](const auto& change, const std::string& name) {
    CompileOptions options = options_;
    change(options);
    const std::string sentence = refusal(perceptron(), options);
    EXPECT_THAT(sentence, HasSubstr(name));
    EXPECT_THAT(sentence, HasSubstr("tacit calibrate"));
  };
  expect([](CompileOptions& options) { options.max_degree = 27; }, "--max-degree 59, and this compilation has 27");
  expect([](CompileOptions& options) { options.max_value_degree = 59; }, "--max-degree");
  expect([](CompileOptions& options) { options.max_error = 0.2; }, "--max-polynomial-error");
  expect([](CompileOptions& options) { options.client_before = false; }, "--client-before on");
  expect([](CompileOptions& options) { options.keep_private = {"MatMul0"}; }, "--keep-private");
  expect([](CompileOptions& options) { options.sharing = params::Sharing{.bits = 2}; }, "--share");
  expect([](CompileOptions& options) { options.precision = 4; }, "--precision");
  expect([](CompileOptions& options) { options.parameters = params::named_literal("N15-d15"); }, "--parameters");
  CompileOptions both = options_;
  both.calibration = samples_of({1, 8}, 2);
  EXPECT_THAT(refusal(perceptron(), both), HasSubstr("not both"));
}

TEST_F(RangesRefusal, ValuesThatTheNetworkDoesNotHave) {
  const auto expect = [&](const auto& change, const std::string& part) {
    EXPECT_THAT(refusal(perceptron(), changed(change)), HasSubstr(part));
  };
  expect([](Calibration& c) { c.values.pop_back(); }, "values, and the network has");
  expect([](Calibration& c) { c.values[0].node = "elsewhere"; }, "value 0 belongs to node 'x'");
  expect([](Calibration& c) { c.values[0].elements.pop_back(); }, "8 elements or channels, and they hold 7");
  expect([](Calibration& c) { c.values[0].elements.clear(); }, "value 0 belongs to node");
  expect([](Calibration& c) { c.allowed_noise.clear(); }, "how much noise every output may carry");
  expect([](Calibration& c) { c.noise.clear(); }, "how much noise a program has");
  expect(
      [](Calibration& c) {
        for (graph::CalibratedValue& value : c.values)
          if (value.function) value.function->coefficients = {1, 2, 3};
      },
      "the polynomial of degree");
}

TEST_F(RangesRefusal, TextsThatAreNoRanges) {
  EXPECT_EQ(ranges_from_json(text_), *options_.measured);
  EXPECT_THAT(refusal(""), HasSubstr("ranges: not JSON"));
  EXPECT_THAT(refusal(text_.substr(0, text_.size() / 2)), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("an object was expected"));
  EXPECT_THAT(refusal("{}"), HasSubstr("\"format\" is missing"));
  EXPECT_THAT(refusal(std::string(40, '[') + std::string(40, ']')), HasSubstr("nested deeper than 8"));
  EXPECT_THAT(refusal(std::string((std::size_t{64} << 20) + 1, ' ')), HasSubstr("bytes of JSON are more than"));
  EXPECT_THAT(refusal(with("tacit ranges 1", "tacit ranges 2")), HasSubstr("'format'"));
  for (const char* field : {"format",         "model",          "samples",      "choices",      "values",
                            "highest_degree", "allowed_noise",  "noise",        "max_degree",   "max_value_degree",
                            "max_error",      "client_before",  "client_after", "keep_private", "node",
                            "range",          "lowest",         "highest",      "interval",     "first_degree",
                            "coefficients",   "answers_changed"}) {
    const std::string quoted = '"' + std::string(field) + '"';
    EXPECT_THAT(refusal(with(quoted + ":", "\"unknown\":")), HasSubstr(quoted)) << field;
  }
  EXPECT_THAT(refusal(with("{\"format\"", "{\"more\":1,\"format\"")), HasSubstr("not part of the format"));
}

TEST_F(RangesRefusal, NumbersThatCannotBe) {
  EXPECT_THAT(refusal(with("\"range\":[", "\"range\":[null,")), HasSubstr("a number was expected, not null"));
  EXPECT_THAT(refusal(with("\"range\":[", "\"range\":[NaN,")), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(with("\"range\":[", "\"range\":[1e101,")), HasSubstr("beyond 1e+100"));
  EXPECT_THAT(refusal(with("\"range\":[", "\"range\":[0,")), HasSubstr("two numbers were expected, not 3"));
  EXPECT_THAT(refusal(with("\"range\":[", "\"range\":[2,1],\"range\":[")), HasSubstr("there twice"));
  EXPECT_THAT(refusal(with("\"lowest\":[", "\"lowest\":[0,")), HasSubstr("9 lowest and 8 highest"));
  EXPECT_THAT(refusal(with("\"lowest\":[", "\"lowest\":[99,")), HasSubstr("9 lowest"));
  EXPECT_THAT(refusal(with("\"first_degree\":", "\"first_degree\":999")), HasSubstr("outside 0 to 1023"));
  EXPECT_THAT(refusal(with("\"samples\":100", "\"samples\":0")), HasSubstr("'samples' must be at least 1"));
  EXPECT_THAT(refusal(with("\"samples\":100", "\"samples\":-1")), HasSubstr("no whole number"));
  EXPECT_THAT(refusal(with("\"allowed_noise\":[", "\"allowed_noise\":[-1,")), HasSubstr("below 0"));
  EXPECT_THAT(refusal(with("\"answers_changed\":", "\"answers_changed\":7")), HasSubstr("outside 0 to 1"));
  Calibration inverted = *options_.measured;
  inverted.values[0].range = {1, -1};
  EXPECT_THAT(refusal(ranges_to_json(inverted)), HasSubstr("lies above the highest"));
  Calibration infinite = *options_.measured;
  infinite.values[0].range.highest = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_ranges("never written", infinite), base::InputError);
  Calibration unnamed = *options_.measured;
  unnamed.values[0].node = "\xFF";
  EXPECT_THROW(write_ranges("never written", unnamed), base::InputError);
  // Noise that grew beyond all numbers is a fact about a set that was not taken.
  Calibration loud = *options_.measured;
  loud.noise.begin()->second = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(ranges_from_json(ranges_to_json(loud)), loud);
}

TEST_F(RangesRefusal, ListsThatAreTooLongOrHoldWhatIsNoNumber) {
  EXPECT_THAT(refusal(with("\"allowed_noise\":[", "\"allowed_noise\":[null,")),
              HasSubstr("a number was expected, not null"))
      << "only the noise of programs may be infinite";
  Calibration changed = *options_.measured;
  changed.allowed_noise.assign(4097, 1);
  EXPECT_THAT(refusal(ranges_to_json(changed)), HasSubstr("allowed_noise: a list of at most 4096 numbers"));
  changed.allowed_noise.assign(4096, 1);
  EXPECT_EQ(ranges_from_json(ranges_to_json(changed)), changed);
  changed.choices.batch = 0;
  EXPECT_THAT(refusal(ranges_to_json(changed)), HasSubstr("a batch of 0, outside 1 to"));
  changed.choices.batch = 1;
  EXPECT_EQ(ranges_from_json(ranges_to_json(changed)), changed);
  for (const int bits : {-1001, 1001}) {
    changed.choices.sharing = params::Sharing{.bits = bits};
    EXPECT_THAT(refusal(ranges_to_json(changed)), HasSubstr("bits, outside -1000 to 1000"));
  }
}

// The largest numbers and the longest lists that are read, and those beside them.
TEST_F(RangesRefusal, BeginsBehindEachBound) {
  const auto expect = [&](const auto& change, const std::string& part) {
    Calibration calibration = *options_.measured;
    change(calibration);
    if (part.empty()) {
      EXPECT_EQ(ranges_from_json(ranges_to_json(calibration)), calibration);
    } else {
      EXPECT_THAT(refusal(ranges_to_json(calibration)), HasSubstr(part));
    }
  };
  const auto samples = [](std::uint64_t count) { return [count](Calibration& c) { c.samples = count; }; };
  expect(samples(1), "");
  expect(samples(std::uint64_t{1} << 40), "");
  expect(samples((std::uint64_t{1} << 40) + 1), "'samples'");
  const auto highest_degree = [](int degree) { return [degree](Calibration& c) { c.highest_degree = degree; }; };
  expect(highest_degree(0), "");
  expect(highest_degree(1023), "");
  expect(highest_degree(1024), "'highest_degree' is 1024, outside 0 to 1023");
  for (int graph::CalibrationChoices::*choice :
       {&graph::CalibrationChoices::max_degree, &graph::CalibrationChoices::max_value_degree}) {
    const auto degree = [choice](int value) { return [=](Calibration& c) { c.choices.*choice = value; }; };
    expect(degree(0), "is 0, outside 1 to 1023");
    expect(degree(1), "");
    expect(degree(1023), "");
    expect(degree(1024), "is 1024, outside 1 to 1023");
  }
  const auto batch = [](std::int64_t inputs) { return [inputs](Calibration& c) { c.choices.batch = inputs; }; };
  expect(batch(graph::kLargestBatch), "");
  expect(batch(graph::kLargestBatch + 1), "choices: a batch of");
  const auto private_nodes = [](int nodes) {
    return [nodes](Calibration& c) {
      for (int i = 0; i < nodes; ++i) c.choices.keep_private.insert(std::to_string(i));
    };
  };
  expect(private_nodes(4096), "");
  expect(private_nodes(4097), "'keep_private' names too many nodes");
  const auto programs = [](int count) {
    return [count](Calibration& c) {
      c.noise.clear();
      for (int i = 0; i < count; ++i) {
        const std::string digits = std::to_string(i);
        c.noise[std::string(64 - digits.size(), '0') + digits] = {0.5};
      }
    };
  };
  expect(programs(1024), "");
  expect(programs(1025), "noise: of more than 1024 programs");
  const auto coefficients = [](std::size_t count) {
    return [count](Calibration& c) {
      for (graph::CalibratedValue& value : c.values)
        if (value.function) value.function->coefficients.assign(count, 0.5);
    };
  };
  expect(coefficients(0), "0 coefficients, outside 1 to 1024");
  expect(coefficients(1), "");
  expect(coefficients(1024), "");
  expect(coefficients(1025), "1025 coefficients, outside 1 to 1024");
  const auto name = [](std::size_t length) {
    return [length](Calibration& c) { c.values[0].node.assign(length, 'n'); };
  };
  expect(name(graph::kLongestName), "");
  expect(name(graph::kLongestName + 1), "value 0: its name is too long");
  const auto changed_share = [](double share) { return [share](Calibration& c) { c.answers_changed = share; }; };
  expect(changed_share(0), "");
  expect(changed_share(1), "");
  expect(changed_share(1.001), "a share of 1.001, outside 0 to 1");
  const auto range = [](double lowest, double highest) {
    return [=](Calibration& c) { c.values[0].range = {lowest, highest}; };
  };
  expect(range(2, 2), "");
  expect(range(-1e100, 1e100), "");
  expect(range(-1e101, 0), "beyond 1e+100");
  const auto interval = [](double lowest, double highest) {
    return [=](Calibration& c) {
      for (graph::CalibratedValue& value : c.values)
        if (value.function) value.function->interval = {lowest, highest};
    };
  };
  expect(interval(2, 2), "the interval is empty");
  expect(interval(1, 2), "");
}

TEST_F(RangesRefusal, ListsOfRangesHoldOneAtLeast) {
  const std::string list = "\"elements\":{\"lowest\":[";
  const std::size_t begin = text_.find(list);
  ASSERT_NE(begin, text_.npos);
  const std::size_t end = text_.find('}', begin);
  std::string none = text_;
  none.replace(begin, end + 1 - begin, "\"elements\":{\"lowest\":[],\"highest\":[]}");
  EXPECT_THAT(refusal(none), HasSubstr("value 0: 0 lowest and 0 highest numbers"));
}

TEST_F(RangesRefusal, AllThatMayBeThereIsReadBack) {
  Calibration all = *options_.measured;
  all.samples = 7;
  all.input_range = {-1.5, 2.25};
  all.highest_degree = 63;
  all.answers_changed = 0.125;
  all.allowed_noise = {0, 0.5, 1e100};
  all.choices.max_degree = 15;
  all.choices.max_value_degree = 31;
  all.choices.max_error = 0.25;
  all.choices.keep_private = {"one", "two"};
  all.choices.batch = 3;
  all.choices.sharing = params::Sharing{.bits = -4, .statistical_bits = 40.5, .decryptions = 77};
  all.choices.precision = 23;
  all.choices.parameters = params::named_literal("N14-d7");
  for (const bool before : {true, false}) {
    all.choices.client_before = before;
    all.choices.client_after = !before;
    graph::CalibratedValue& value = all.values.at(1);
    value.elements = {{-1, 1}, {2, 3}};
    value.reached = {{-2, 1.5}};
    value.function = graph::CalibratedFunction{{-3, 4}, 5, {0.5, -0.25}};
    EXPECT_EQ(ranges_from_json(ranges_to_json(all)), all);
    value.elements.clear();
    value.reached.clear();
    value.function.reset();
    EXPECT_EQ(ranges_from_json(ranges_to_json(all)), all);
  }
  all.choices.batch.reset();
  all.choices.sharing.reset();
  all.choices.precision.reset();
  all.choices.parameters.reset();
  all.input_range.reset();
  all.noise.clear();
  EXPECT_EQ(ranges_from_json(ranges_to_json(all)), all);
}

TEST_F(RangesRefusal, OfAPrecisionBeginsBehindEachBound) {
  const auto why = [&](int bits) {
    Calibration calibration = *options_.measured;
    calibration.choices.precision = bits;
    return refusal(ranges_to_json(calibration));
  };
  for (const int bits : {1, 40}) EXPECT_EQ(why(bits), base::kNotRefused) << bits;
  EXPECT_EQ(why(0), "choices: a precision of 0 bits, outside 1 to 40");
  EXPECT_EQ(why(41), "choices: a precision of 41 bits, outside 1 to 40");
}

TEST_F(RangesRefusal, OfWhatIsSharedBeginsBehindEachBound) {
  const auto why = [&](const params::Sharing& sharing) {
    Calibration calibration = *options_.measured;
    calibration.choices.sharing = sharing;
    return refusal(ranges_to_json(calibration));
  };
  for (const int bits : {-1000, -1, 0, 1000})
    EXPECT_EQ(why({.bits = bits, .statistical_bits = 30, .decryptions = 1024}), base::kNotRefused) << bits;
  EXPECT_EQ(why({.bits = 1001, .statistical_bits = 30, .decryptions = 1024}),
            "share: 1001 bits, outside -1000 to 1000");
  EXPECT_EQ(why({.bits = -1001, .statistical_bits = 30, .decryptions = 1024}),
            "share: -1001 bits, outside -1000 to 1000");
  EXPECT_EQ(why({.bits = 0, .statistical_bits = 19, .decryptions = 1024}),
            "sharing: the number of statistical bits is 19, and 20 to 80 are accepted");
  EXPECT_EQ(why({.bits = 0, .statistical_bits = 30, .decryptions = 0}),
            "sharing: the number of decryptions is 0, and 1 to 1.09951e+12 are accepted");
}

TEST_F(RangesRefusal, SaysWhatWasExpectedInstead) {
  EXPECT_EQ(refusal(with("\"client_before\":true", "\"client_before\":1")),
            "'client_before' must be true or false, not number");
  EXPECT_EQ(refusal(with("\"client_after\":true", "\"client_after\":null")),
            "'client_after' must be true or false, not null");
  EXPECT_EQ(refusal(with("\"max_error\":", "\"max_error\":\"much\",\"more\":")),
            "max_error: a number was expected, not string");
  EXPECT_EQ(refusal(with("\"keep_private\":[", "\"keep_private\":[1")), "choices: 'keep_private' names no nodes");
  EXPECT_EQ(refusal(with("\"model\":\"", "\"model\":\"0")), "model: a digest of 64 hexadecimal digits was expected");
  EXPECT_EQ(refusal(with("\"noise\":{\"", "\"noise\":{\"0")), "noise: a digest of 64 hexadecimal digits was expected");
  const base::TemporaryFolder folder;
  const std::string none = (folder.path() / "none").string();
  EXPECT_THAT([&] { read_ranges(none); },
              testing::ThrowsMessage<base::InputError>(testing::StrEq(
                  fmt::format("--ranges {0} is no file; 'tacit calibrate MODEL --input SAMPLES.npy -o {0}' measures "
                              "samples and writes it",
                              none))));
}

TEST_F(RangesRefusal, LongNamesOfPrivateNodesAreNone) {
  Calibration calibration = *options_.measured;
  calibration.choices.keep_private = {std::string(graph::kLongestName, 'n')};
  EXPECT_EQ(ranges_from_json(ranges_to_json(calibration)), calibration);
  calibration.choices.keep_private = {std::string(graph::kLongestName + 1, 'n')};
  EXPECT_EQ(refusal(ranges_to_json(calibration)), "choices: 'keep_private' names no nodes");
}

TEST_F(RangesRefusal, NamesAreWrittenAsTheyAreAndListsLieInEachOtherEightTimesAtMost) {
  Calibration calibration = *options_.measured;
  calibration.values.at(0).node = std::string("gr\xC3\xBC\xC3\x9F");
  EXPECT_THAT(ranges_to_json(calibration), HasSubstr("gr\xC3\xBC\xC3\x9F"));
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_THAT(refusal(nested(8)), testing::Not(HasSubstr("nested deeper")));
  EXPECT_THAT(refusal(nested(9)), HasSubstr("nested deeper than 8"));
}

}  // namespace
}  // namespace tacit::session
