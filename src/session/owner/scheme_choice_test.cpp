#include "session/owner/scheme_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/passes/deep_network_for_test.h"
#include "session/owner/compiled_network.h"

namespace tacit::session {
namespace {

std::function<double()> planned(double seconds) {
  return [seconds] { return seconds; };
}
std::function<double()> impossible(const std::string& why) {
  return [why]() -> double { throw base::InputError(why); };
}

TEST(SchemeChoice, TakesTheSchemeThatIsPlannedToTakeLessTime) {
  const SchemeChoice slots = choose_scheme(planned(0.5), planned(2)).or_refuse();
  EXPECT_TRUE(slots.on_slots);
  EXPECT_EQ(slots.note, "--scheme auto took CKKS. planned an input on one core of a Zen 5: CKKS 0.5 s; TFHE 2 s");
  const SchemeChoice integers = choose_scheme(planned(12.345), planned(0.25)).or_refuse();
  EXPECT_FALSE(integers.on_slots);
  EXPECT_EQ(integers.note,
            "--scheme auto took TFHE. planned an input on one core of a Zen 5: CKKS 12.3 s; TFHE 0.25 s");
  EXPECT_TRUE(choose_scheme(planned(1), planned(1))->on_slots) << "of equal times";
}

TEST(SchemeChoice, TakesTheOneThatIsNotRefused) {
  const SchemeChoice slots = choose_scheme(planned(100), impossible("too many bits")).or_refuse();
  EXPECT_TRUE(slots.on_slots);
  EXPECT_EQ(slots.note,
            "--scheme auto took CKKS. planned an input on one core of a Zen 5: CKKS 100 s; TFHE too many bits");
  const SchemeChoice integers = choose_scheme(impossible("too deep"), planned(100)).or_refuse();
  EXPECT_FALSE(integers.on_slots);
  EXPECT_EQ(integers.note,
            "--scheme auto took TFHE. planned an input on one core of a Zen 5: CKKS too deep; TFHE 100 s");
  EXPECT_EQ(choose_scheme(impossible("too deep"), impossible("too many bits")).problem().sentence(),
            "neither scheme computes this network. CKKS: too deep. TFHE: too many bits");
  EXPECT_TRUE(SchemeChoice{}.on_slots);
}

TEST(SchemeChoice, GivesBothReasonsWhereTheyDiffer) {
  const auto refused = [](const std::string& on_slots, const std::string& on_integers) {
    return choose_scheme(impossible(on_slots), impossible(on_integers)).problem().sentence();
  };
  EXPECT_EQ(refused("too deep", "too wide"), "neither scheme computes this network. CKKS: too deep. TFHE: too wide");
  EXPECT_EQ(refused("x.npy holds NaN", "x.npy holds NaN"), "x.npy holds NaN");
}

TEST(SchemeChoice, WhatEitherSchemeRefusesIsSaidOnce) {
  CompileRequest request;
  request.model = std::filesystem::path("net.onnx");
  request.graph = graph::passes::deep_perceptron(1, 4);
  request.options.scheme = Scheme::automatic;
  const auto with = [&](bool exact) {
    request.options.exact_rounding = exact;
    return base::refusal([&] { make_compiled_network(request, base::Progress::silent()); });
  };
  // Nobody says what values its inputs take, which is no matter of the scheme.
  const auto alike = testing::Not(testing::HasSubstr("scheme computes"));
  EXPECT_THAT(with(false), alike);
  EXPECT_THAT(with(true), testing::StartsWith("exact rounding is for networks on integers"));
}

// Both schemes compute this network, so that a mistake that one scheme overlooks would come back as its plan.
TEST(SchemeChoice, AWrongOptionIsRefusedAsThatOptionWhateverTheScheme) {
  const auto refused = [](Scheme scheme, auto&& give) {
    CompileRequest request;
    request.model = std::filesystem::path("net.onnx");
    request.graph = graph::passes::deep_perceptron(1, 4);
    request.public_range = std::pair(-1.0, 1.0);
    request.options.scheme = scheme;
    give(request);
    return base::refusal([&] { make_compiled_network(request, base::Progress::silent()); });
  };
  const auto bits = [](CompileRequest& c) { c.options.bits = 99; };
  const auto failure = [](CompileRequest& c) { c.options.log2_failure = 3; };
  const auto ranges = [](CompileRequest& c) { c.options.ranges = "none.json"; };
  const auto batch = [](CompileRequest& c) { c.options.batch = 5000; };
  const auto error = [](CompileRequest& c) { c.options.max_polynomial_error = 2; };
  const auto calibrate = [](CompileRequest& c) { c.rows.files = {"none.npy"}; };
  const auto parameters = [](CompileRequest& c) { c.options.parameters = "nothing"; };
  const auto range = [](CompileRequest& c) { c.options.input_range = std::pair(1.0, -1.0); };
  for (const Scheme scheme : {Scheme::tfhe, Scheme::automatic}) {
    EXPECT_EQ(refused(scheme, bits), "tables of 99 bits (--bits): 2 to 8 are supported");
    EXPECT_THAT(refused(scheme, failure), testing::StartsWith("a failure probability of 2^3 (--failure): "));
  }
  for (const Scheme scheme : {Scheme::ckks, Scheme::automatic}) {
    EXPECT_THAT(refused(scheme, ranges),
                testing::AllOf(testing::HasSubstr("none.json"), testing::HasSubstr("no file")));
    EXPECT_EQ(refused(scheme, batch), "a batch of 5000 samples (--batch): it takes 1 to 4096");
    EXPECT_THAT(refused(scheme, error), testing::HasSubstr("(--max-polynomial-error) is 2, outside 0 to 1"));
  }
  for (const Scheme scheme : {Scheme::ckks, Scheme::tfhe, Scheme::automatic}) {
    EXPECT_THAT(refused(scheme, calibrate), testing::HasSubstr("none.npy"));
    EXPECT_THAT(refused(scheme, parameters), testing::StartsWith("--parameters n"));
    EXPECT_THAT(refused(scheme, range), testing::StartsWith("the input range (--input-range) 1,-1 must go from"));
  }
}

}  // namespace
}  // namespace tacit::session
