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
  const SchemeChoice slots = choose_scheme(planned(0.5), planned(2));
  EXPECT_TRUE(slots.on_slots);
  EXPECT_EQ(slots.note, "--scheme auto took CKKS. planned an input on one core of a Zen 5: CKKS 0.5 s; TFHE 2 s");
  const SchemeChoice integers = choose_scheme(planned(12.345), planned(0.25));
  EXPECT_FALSE(integers.on_slots);
  EXPECT_EQ(integers.note,
            "--scheme auto took TFHE. planned an input on one core of a Zen 5: CKKS 12.3 s; TFHE 0.25 s");
  EXPECT_TRUE(choose_scheme(planned(1), planned(1)).on_slots) << "of equal times";
}

TEST(SchemeChoice, TakesTheOneThatIsNotRefused) {
  const SchemeChoice slots = choose_scheme(planned(100), impossible("too many bits"));
  EXPECT_TRUE(slots.on_slots);
  EXPECT_EQ(slots.note,
            "--scheme auto took CKKS. planned an input on one core of a Zen 5: CKKS 100 s; TFHE too many bits");
  const SchemeChoice integers = choose_scheme(impossible("too deep"), planned(100));
  EXPECT_FALSE(integers.on_slots);
  EXPECT_EQ(integers.note,
            "--scheme auto took TFHE. planned an input on one core of a Zen 5: CKKS too deep; TFHE 100 s");
  EXPECT_EQ(base::refusal([] { choose_scheme(impossible("too deep"), impossible("too many bits")); }),
            "neither scheme computes this network. CKKS: too deep. TFHE: too many bits");
  EXPECT_TRUE(SchemeChoice{}.on_slots);
}

TEST(SchemeChoice, IsNotFreeForExactRounding) {
  EXPECT_EQ(base::refusal([] { require_either_rounds(false); }), base::kNotRefused);
  EXPECT_EQ(base::refusal([] { require_either_rounds(true); }),
            "exact rounding is for networks on integers, and where the scheme is chosen (auto) it may be CKKS, whose "
            "results are approximate: ask for TFHE (--scheme tfhe), or leave exact rounding out");
}

TEST(SchemeChoice, GivesBothReasonsWhereTheyDiffer) {
  const auto refused = [](const std::string& on_slots, const std::string& on_integers) {
    return base::refusal([&] {
      choose_scheme([&]() -> double { throw base::InputError(on_slots); },
                    [&]() -> double { throw base::InputError(on_integers); });
    });
  };
  EXPECT_EQ(refused("too deep", "too wide"), "neither scheme computes this network. CKKS: too deep. TFHE: too wide");
  EXPECT_EQ(refused("x.npy holds NaN", "x.npy holds NaN"), "x.npy holds NaN");
}

TEST(SchemeChoice, WhatEitherSchemeRefusesIsSaidOnce) {
  CompileRequest request;
  request.model = std::filesystem::path("net.onnx");
  request.graph = graph::passes::deep_perceptron(1, 4);
  request.choices.scheme = Scheme::automatic;
  const auto with = [&](std::optional<graph::quant::Rounding> rounding) {
    request.choices.rounding = rounding;
    return base::refusal([&] { make_compiled_network(request, base::Progress::silent()); });
  };
  // Nobody says what values its inputs take, which is no matter of the scheme.
  const auto alike = testing::Not(testing::HasSubstr("scheme computes"));
  EXPECT_THAT(with(std::nullopt), alike);
  EXPECT_THAT(with(graph::quant::Rounding::approximate), alike);
  EXPECT_THAT(with(graph::quant::Rounding::exact), testing::StartsWith("exact rounding is for networks on integers"));
}

}  // namespace
}  // namespace tacit::session
