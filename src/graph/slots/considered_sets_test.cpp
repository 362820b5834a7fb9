#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "graph/slots/cheapest_lowering.h"
#include "layout/operators/movement.h"
#include "layout/operators/window.h"

// The parameter sets that are tried for a network, their order, and the set that is taken.
namespace tacit::graph::passes {
namespace {

using Lines = std::vector<std::string>;

const ProgramNames kPowers{"powers", {"x"}, {"y"}};

/// The squares of numbers, followed by `maps` movements.
Network squares_of(const Shape& shape, int maps = 0, const Range& range = {}) {
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = Range{}});
  };
  const ValueId x = add(Private{});
  ValueId y = add(Product{x, x});
  for (int i = 0; i < maps; ++i) y = add(Affine{{{y, std::make_shared<layout::Identity>(shape)}}});
  network.values[y].range = range;
  network.outputs = {y};
  return network;
}

/// The explained lines of each set, without tries to save memory, and the set that was taken.
struct Tried {
  Lines lines;
  params::CkksLiteral taken;
};

Tried tried(const Network& network, CompileOptions options, const std::optional<NoiseLimits>& limits = {},
            int output_level = 0) {
  std::string text;
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  options.passes.skipped.insert("less-memory");
  Tried result;
  result.taken =
      cheapest_lowering(network, options, kPowers, limits, output_level, base::Progress::silent()).or_refuse().literal;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {      // without the ring, the seconds and the bytes
    if (line.find(" GB: ") == std::string::npos) continue;  // what could not be lowered to
    const std::size_t grid = line.find(')') + 1;
    result.lines.push_back(line.substr(0, line.find(' ')) + line.substr(grid, line.find(':') - grid) +
                           line.substr(line.find(" GB: ") + 3));
  }
  return result;
}

Lines names_of(const Tried& at) {
  Lines names;
  for (const std::string& line : at.lines) names.push_back(line.substr(0, line.find(':')));
  return names;
}

CompileOptions with_samples() {
  CompileOptions options;
  options.calibration = {{{{1, 2}, {1, 2}, false}}, {{{1, 2}, {-1, 0.5}, false}}};
  return options;
}

// A ring of 2^13 has 4,096 slots.
TEST(ConsideredSets, RingsGrowUpToTheFirstWhereEveryTensorTakesOneCiphertext) {
  const auto rings = [](std::int64_t elements) { return names_of(tried(squares_of({1, elements}), {})); };
  EXPECT_EQ(rings(4096), (Lines{"N13-d1"}));
  EXPECT_EQ(rings(4097), (Lines{"N13-d1", "N14-d1"}));
  EXPECT_EQ(rings(16384), (Lines{"N13-d1", "N14-d1", "N15-d1"}));
  EXPECT_EQ(rings(16385), (Lines{"N13-d1", "N14-d1", "N15-d1", "N16-d1"}));
  EXPECT_EQ(rings(32769), (Lines{"N13-d1", "N14-d1", "N15-d1", "N16-d1"})) << "there is no larger one";
}

// 27 levels leave room for one special prime in a ring of 2^15, and make 28 digits. 14 levels have few.
TEST(ConsideredSets, ALargerRingIsTriedWhereDigitsAreMany) {
  const auto rings = [](int maps) { return names_of(tried(squares_of({1, 2}, maps), {})); };
  EXPECT_EQ(literal_for(15, {27, false, 16})->p_bits.size(), 1u);
  EXPECT_EQ(rings(26), (Lines{"N15-d27", "N16-d27"}));
  const auto digits = [](int depth) {
    const params::CkksLiteral literal = literal_for(15, {depth, false, 16}).value();
    return (literal.q_bits.size() + literal.p_bits.size() - 1) / literal.p_bits.size();
  };
  EXPECT_LE(digits(14), 5u);
  EXPECT_EQ(rings(13), Lines{"N15-d14"});
}

TEST(ConsideredSets, RingsBeginWithTheFirstThatHoldsABlock) {
  Network network = squares_of({1, 16384});
  for (Value& value : network.values) value.sharding = layout::ArraySharding::parse("mesh=[x=2] spec={-1, x}");
  EXPECT_EQ(names_of(tried(network, {})), (Lines{"N14-d1", "N15-d1", "N16-d1"})) << "blocks of 8,192";
}

// Both of the cheap sets of a square have scales of 40 bits, and one of them is tried. So it is with the precise ones.
TEST(ConsideredSets, WhereNoneIsQuietEnoughTheFirstOfTheLargestScaleIsTaken) {
  const CompileOptions options = with_samples();
  const NoiseSource noise(options, nullptr);
  const Tried at = tried(squares_of({1, 2}), options, NoiseLimits{&noise, {0}});
  EXPECT_EQ(at.lines, (Lines{"N13-d1: noisier than the answers allow",
                             "N13-d1: noisier than the answers allow, and the most precise so far",
                             "N14-d1: noisier than the answers allow", "N15-d1: noisier than the answers allow",
                             "N16-d1: noisier than the answers allow"}));
  EXPECT_EQ(at.taken, literal_for(13, {1, false, 10}));
}

TEST(ConsideredSets, WhereAllAreQuietEnoughACheapOneIsTriedBeforeThePreciseOne) {
  const CompileOptions options = with_samples();
  const NoiseSource noise(options, nullptr);
  const Tried at = tried(squares_of({1, 2}), options, NoiseLimits{&noise, {INFINITY}});
  EXPECT_EQ(at.lines, (Lines{"N13-d1: the cheapest so far", "N13-d1: dearer"})) << "it is the same one";
  EXPECT_EQ(at.taken, literal_for(13, {1, false, 10}));
}

// Five levels take scales of 27 bits on the first ring, and the usual 40 on the next.
TEST(ConsideredSets, WhereNoneIsQuietEnoughALargerRingMayHaveALargerScale) {
  const CompileOptions options = with_samples();
  const NoiseSource noise(options, nullptr);
  const Tried at = tried(squares_of({1, 2}, 4), options, NoiseLimits{&noise, {0}});
  EXPECT_EQ(at.taken, literal_for(14, {5, false, 10}));
  EXPECT_EQ(at.taken.log_scale, 40);
  Lines most_precise;
  for (const std::string& line : at.lines)
    if (line.ends_with(", and the most precise so far")) most_precise.push_back(line.substr(0, line.find(':')));
  EXPECT_EQ(most_precise, (Lines{"N13-d5", "N14-d5"}));
}

TEST(ConsideredSets, EveryOutputIsAsQuietAsItMayBe) {
  const CompileOptions options = with_samples();
  const NoiseSource noise(options, nullptr);
  Network network = squares_of({1, 2});
  network.outputs = {1, 1};
  const auto first_of = [&](double one, double other) {
    std::string text;
    CompileOptions asked = options;
    asked.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
    cheapest_lowering(network, asked, {"powers", {"x"}, {"y", "z"}}, NoiseLimits{&noise, {one, other}}, 0,
                      base::Progress::silent())
        .or_refuse();
    return text.substr(text.find(" GB: ") + 5, text.find('\n') - text.find(" GB: ") - 5);
  };
  EXPECT_EQ(first_of(INFINITY, INFINITY), "the cheapest so far");
  EXPECT_EQ(first_of(0, INFINITY), "noisier than the answers allow");
  EXPECT_EQ(first_of(INFINITY, 0), "noisier than the answers allow");
}

// Results that are shared end a level higher, which leaves room for 49 bits of scale below the first prime of 50.
TEST(ConsideredSets, ScalesAreLargerWhereResultsAreSharedAboveTheFirstPrime) {
  CompileOptions options = with_samples();
  const Network network = squares_of({1, 2});
  EXPECT_EQ(tried(network, options, {}, 1).taken, literal_for(13, {2, false, 10}));
  options.sharing = params::Sharing{.bits = 2};
  EXPECT_EQ(tried(network, options, {}, 0).taken, literal_for(13, {1, false, 10}));
  EXPECT_EQ(tried(network, options, {}, 1).taken, literal_for(13, {2, false, 1, 49}));
  const NoiseSource noise(options, nullptr);
  const Tried cheap = tried(network, options, NoiseLimits{&noise, {INFINITY}}, 1);
  EXPECT_EQ(cheap.taken, trading_literals(13, {2, false, 1, 49}).front());
  EXPECT_EQ(cheap.taken.log_scale, 49);
}

TEST(ConsideredSets, AStepIsARing) {
  struct Steps final : base::Progress {
    void stage_began(std::string_view stage, std::uint64_t total) override {
      stages.emplace_back(stage);
      totals += total;
    }
    void steps_done(std::uint64_t steps) override { done += steps; }
    void stage_ended() override { ++ended; }
    std::vector<std::string> stages;
    std::uint64_t totals = 0, done = 0, ended = 0;
  };
  Steps steps;
  cheapest_lowering(squares_of({1, 4097}), {}, kPowers, {}, 0, steps).or_refuse();
  EXPECT_EQ(steps.stages, Lines{"choose parameters and layouts"});
  EXPECT_EQ(steps.totals, 0u) << "nobody knows how many";
  EXPECT_EQ(steps.done, 2u);
  EXPECT_EQ(steps.ended, 1u);
}

// The first set whose noise, in the units of the model, is at most the allowed noise.
TEST(ConsideredSets, OfTheCheapSetsTheFirstThatIsQuietEnoughIsTried) {
  const CompileOptions options = with_samples();
  const NoiseSource noise(options, nullptr);
  const Network network = squares_of({1, 2}, 4, {-1000, 1000});
  Lowering lowering(network, kPowers, options.costs);
  const std::vector<params::CkksLiteral> cheap = trading_literals(13, {5, false, 10});
  ASSERT_GE(cheap.size(), 2u);
  EXPECT_LT(cheap.front().log_scale, 28) << "28 bits are those of the dearest";
  std::vector<double> deviations;
  for (const params::CkksLiteral& literal : cheap) {
    const Lowered lowered = lowering.lower(literal).or_refuse();
    const double factor = lowered.normalised.factors.at(5);
    EXPECT_LT(factor, 1) << "outputs of a thousand are stored as smaller ones";
    deviations.push_back(noise.of(lowered).at(0) / factor);  // a power of two: no digit is lost
  }
  for (const double allowed : deviations)
    for (const double limit : {allowed, std::nextafter(allowed, 0.0)}) {
      Lines expected;
      int too_noisy = 0;  // what fails at one scale fails at smaller ones, too
      for (std::size_t k = 0; k < cheap.size(); ++k) {
        if (cheap[k].log_scale <= too_noisy) continue;
        const bool quiet = deviations[k] <= limit;
        expected.emplace_back(quiet ? "N13-d5: the cheapest so far" : "N13-d5: noisier than the answers allow");
        if (quiet) break;
        too_noisy = cheap[k].log_scale;
      }
      const Lines lines = tried(network, options, NoiseLimits{&noise, {limit}}).lines;
      ASSERT_GT(lines.size(), expected.size()) << limit;
      EXPECT_EQ(Lines(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected) << limit;
      EXPECT_NE(lines[expected.size()], "N13-d5: noisier than the answers allow") << "behind them, the precise one";
      if (expected.back().ends_with("the cheapest so far")) {
        // Six digits make the next ring worth a try.
        const auto in_next_ring = std::ranges::count_if(lines, [](const auto& l) { return l.starts_with("N14-d5"); });
        EXPECT_EQ(lines.size(), expected.size() + 1 + static_cast<std::size_t>(in_next_ring)) << limit;
        EXPECT_LE(in_next_ring, 2) << limit;
      }
    }
}

/// Returns the explained lines of a set with 2^log_slots slots, with bootstraps or without.
Lines on_slots(const Network& network, int log_slots, bool bootstraps, std::set<std::string> skipped = {}) {
  CompileOptions options;
  options.parameters = bootstraps ? params::named_literal("S8") : params::CkksLiteral{"", 0, {50, 40}, {50}, 40, true};
  options.parameters->name = "small";
  options.parameters->log_n = log_slots + (options.parameters->real_slots ? 0 : 1);
  options.parameters->insecure = true;
  options.passes.skipped = std::move(skipped);
  return tried(network, options).lines;
}

// A tight grid has both channels in one ciphertext. A guarded one has no room for that.
TEST(ConsideredSets, MapsOfMoreThanHalfACiphertextLieOnEveryGridThatThereIs) {
  const Shape half{1, 2, 32, 32};
  const Lines both{"small, tight grid: the cheapest so far", "small, guarded grid: dearer"},
      guarded{"small, guarded grid: the cheapest so far"}, none{"small: the cheapest so far"};
  EXPECT_EQ(on_slots(squares_of(half), 12, false), none) << "no more than half";
  EXPECT_EQ(on_slots(squares_of(half), 11, false), both);
  EXPECT_EQ(on_slots(squares_of(half), 11, false, {"tight-grids"}), guarded);
  EXPECT_EQ(on_slots(squares_of(half), 11, false, {"guarded-grids"}), Lines{both[0]});
  EXPECT_EQ(on_slots(squares_of(half), 11, false, {"tight-grids", "guarded-grids"}), none);
  EXPECT_EQ(on_slots(squares_of({1, 1, 32, 33}), 11, false), guarded) << "a tight one would hold no more";
  EXPECT_EQ(on_slots(squares_of({1, 1, 1, 2049}), 11, false), none) << "a row that no grid has room for";
  EXPECT_EQ(on_slots(squares_of({1, 2048}), 11, false), none) << "no map";
  CompileOptions real;
  real.parameters = params::CkksLiteral{"real", 11, {50, 40}, {50}, 40, true};
  real.parameters->real_slots = true;
  EXPECT_EQ(tried(squares_of(half), real).lines,
            (Lines{"real, tight grid: the cheapest so far", "real, guarded grid: dearer"}))
      << "2,048 real slots";
}

// With bootstraps, maps of any size are on a grid. After a tight grid whose weights repeat everywhere, no other is
// tried.
TEST(ConsideredSets, MapsLieOnTheFirstGridThatSuitsThemWhereThereAreBootstraps) {
  const Shape half{1, 2, 32, 32};
  const auto bootstrapping = [](const Network& network, int log_slots, std::set<std::string> skipped = {}) {
    return on_slots(network, log_slots, true, std::move(skipped));
  };
  const Lines tight{"small, tight grid: the cheapest so far"}, guarded{"small, guarded grid: the cheapest so far"},
      none{"small: the cheapest so far"};
  EXPECT_EQ(bootstrapping(squares_of(half), 11), tight);
  EXPECT_EQ(bootstrapping(squares_of(half), 11, {"tight-grids"}), guarded);
  EXPECT_EQ(bootstrapping(squares_of(half), 11, {"tight-grids", "guarded-grids"}), none);
  EXPECT_EQ(bootstrapping(squares_of({1, 1, 16, 16}), 11), guarded) << "a tight one would hold no more";
  EXPECT_EQ(bootstrapping(squares_of({1, 64}), 11), none);
  EXPECT_EQ(bootstrapping(squares_of({1, 1, 1, 2049}), 11), none) << "a large map, but no grid has room for it";
  // A window that leaves rows out.
  Network window = squares_of(half);
  const Shape out{1, 2, 15, 15};
  const layout::WindowAxis axis{.kernel = 3, .stride = 2};
  const auto op = std::make_shared<layout::Convolution>(half, out, std::vector<layout::WindowAxis>{axis, axis}, 1,
                                                        std::vector<double>(36, 1.0));
  window.outputs = {
      window.add({.operation = Affine{{{1, op}}}, .shape = out, .node = "n", .op = "Conv", .range = Range{}})};
  const Lines lines = bootstrapping(window, 11);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], tight[0]);
  EXPECT_EQ(lines[1].substr(0, lines[1].find(':')), "small, guarded grid");
}

/// Returns all that the search tells of a power of two numbers.
Lines told_of(const Network& network, CompileOptions options) {
  std::string text;
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  EXPECT_FALSE(cheapest_lowering(network, options, kPowers, {}, 0, base::Progress::silent()));
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ConsideredSets, ACandidateThatDoesNotFitSaysWhatItLacks) {
  Network network = squares_of({1, 2});
  for (int i = 1; i < 60; ++i)
    network.outputs = {network.add({.operation = Product{network.outputs[0], network.outputs[0]},
                                    .shape = {1, 2},
                                    .node = "n",
                                    .op = "Op",
                                    .range = {}})};
  Lines rings;
  for (const int log_n : {13, 14, 15, 16})
    rings.push_back("N = 2^" + std::to_string(log_n) + ": no leveled set has 60 levels");
  Lines expected = rings;
  expected.emplace_back("sets that bootstrap: they need calibration data, by which values are brought into [-1, 1]");
  EXPECT_EQ(told_of(network, {}), expected);
  const Lines calibrated = told_of(network, with_samples());
  // A precise set is for noise that is asked for.
  std::vector<params::CkksLiteral> usual;
  for (const std::string& name : params::bootstrapping_literals())
    if (params::named_literal(name).log_scale <= 40) usual.push_back(params::named_literal(name));
  ASSERT_EQ(usual.size() + 1, params::bootstrapping_literals().size());
  ASSERT_EQ(calibrated.size(), rings.size() + usual.size());
  EXPECT_EQ(Lines(calibrated.begin(), calibrated.begin() + 4), rings);
  for (std::size_t k = 0; k < usual.size(); ++k) {
    const params::CkksLiteral& literal = usual[k];
    const std::string& line = calibrated[4 + k];
    EXPECT_EQ(line.substr(0, line.find(" (N")), literal.name);
    EXPECT_TRUE(line.ends_with("levels before the next bootstrap, and parameter set " + literal.name + " has " +
                               std::to_string(params::chain_of(literal).output) + " after one"))
        << line;
  }
}

TEST(ConsideredSets, PlansForLessMemoryAreNotTakenWhereTheyTakeAsMuch) {
  CompileOptions options;
  options.parameters = params::CkksLiteral{"small", 9, {50, 40}, {50}, 40, true};
  options.parameters->insecure = true;
  std::string text;
  options.passes.explained = {"search"};
  options.passes.explain = [&](const std::string&, const std::string& said) { text += said.substr(said.rfind(':')); };
  EXPECT_TRUE(cheapest_lowering(squares_of({1, 64}), options, kPowers, {}, 0, base::Progress::silent()));
  EXPECT_EQ(text, ": the cheapest so far\n: saves no memory\n: saves no memory\n");
}

}  // namespace
}  // namespace tacit::graph::passes
