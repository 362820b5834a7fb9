#include "scheme/ckks/bootstrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "params/bootstrap_noise.h"
#include "params/noise.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/serialize.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using testing::Party;
using ::testing::ThrowsMessage;

double bits(double error) { return -std::log2(error); }

/// Keys and transforms on a ring of 2^11, for one kind of schedule.
struct Bed {
  explicit Bed(const params::BootstrapOptions& options, const char* set = "S8", int log_n = 11)
      : literal(params::insecure_on_small_ring(set, log_n)),
        schedule(params::plan_bootstrap(literal, options)),
        party(literal, params::key_manifest(schedule)),
        bootstrapper(party.context, schedule) {}
  Ciphertext encrypt(std::span<const double> z) const { return party.encrypt(z, schedule.chain.input, party.scale()); }
  Ciphertext bootstrap(const Ciphertext& x) const { return bootstrapper.bootstrap(party.evaluator, x); }
  /// Bits of the worst slot against what the schedule says, and against the message itself.
  double noise_bits(const Ciphertext& result, std::span<const double> z) const {
    std::vector<double> expected;
    for (const double value : z) expected.push_back(schedule.result(value));
    return bits(testing::max_error(party.decrypt(result), expected));
  }
  double message_bits(const Ciphertext& result, std::span<const double> z) const {
    return bits(testing::max_error(party.decrypt(result), z));
  }

  params::CkksLiteral literal;
  params::BootstrapSchedule schedule;
  Party party;
  Bootstrapper bootstrapper;
};

/// Cancels the n-th time that it is asked.
class CancelsAt final : public base::Progress {
 public:
  explicit CancelsAt(int time) : left_(time) {}

 private:
  void stage_began(std::string_view, std::uint64_t) override {}
  void steps_done(std::uint64_t done) override { EXPECT_EQ(done, 0u); }
  void stage_ended() override {}
  bool cancelled() const override { return --left_ == 0; }
  mutable int left_;
};

/// Random, all equal, at the edge of the range, one-hot.
std::vector<std::vector<double>> vectors(const Party& party) {
  const std::size_t n = party.slots();
  std::vector<std::vector<double>> result{party.random(1), std::vector<double>(n, 0.5), std::vector<double>(n, 1.0),
                                          std::vector<double>(n, -1.0), std::vector<double>(n)};
  result.back()[n / 3] = 1;
  result.push_back(party.random(2));
  for (double& z : result.back()) z = z > 0 ? 1 : -1;
  return result;
}

TEST(Bootstrapper, FoldedFormKeepsMoreThan25BitsInTheWorstSlot) {
  const Bed bed({});
  for (const auto& z : vectors(bed.party)) {
    const Ciphertext result = bed.bootstrap(bed.encrypt(z));
    EXPECT_EQ(result.level, 11);
    EXPECT_EQ(result.scale, bed.party.scale());
    EXPECT_GT(bed.noise_bits(result, z), 25.4);
    for (const auto& slot : bed.party.decrypt_complex(result)) EXPECT_LT(std::abs(slot.imag()), 0x1p-25);
  }
}

TEST(Bootstrapper, FoldedFormReachesBeyondOne) {
  const Bed bed({});
  const auto z = bed.party.random(3, 1.4);
  EXPECT_GT(bed.noise_bits(bed.bootstrap(bed.encrypt(z)), z), 26);
  // The cosine was not fitted there, and is still good.
  const auto far = bed.party.random(4, 4);
  EXPECT_GT(bed.noise_bits(bed.bootstrap(bed.encrypt(far)), far), 25);
}

TEST(Bootstrapper, LinearFormKeepsMoreThan18BitsOfTheMessageItself) {
  const Bed bed({.form = params::BootstrapForm::linear});
  for (const auto& z : vectors(bed.party)) {
    const Ciphertext result = bed.bootstrap(bed.encrypt(z));
    EXPECT_GT(bed.message_bits(result, z), 18.2);
    EXPECT_GT(bed.noise_bits(result, z), 19.5);
  }
}

TEST(Bootstrapper, ASecondIterationGainsThirteenBits) {
  const Bed bed({.form = params::BootstrapForm::linear});
  for (const auto& z : vectors(bed.party)) {
    const Ciphertext x = bed.encrypt(z);
    const Ciphertext result = bed.bootstrapper.bootstrap_twice(bed.party.evaluator, x);
    EXPECT_EQ(result.level, 11);
    EXPECT_EQ(result.scale, 0x1p13 * bed.party.scale());
    EXPECT_GT(bed.message_bits(result, bed.party.decrypt(x)), 31);
  }
  const Bed folded({});
  EXPECT_THAT([&] { folded.bootstrapper.bootstrap_twice(folded.party.evaluator, folded.encrypt(std::vector{0.5})); },
              ThrowsMessage<base::InputError>(HasSubstr("needs the linear form")));
  const Bed low({.form = params::BootstrapForm::linear, .output_level = 3});
  EXPECT_THAT([&] { low.bootstrapper.bootstrap_twice(low.party.evaluator, low.encrypt(std::vector{0.5})); },
              ThrowsMessage<base::InputError>(HasSubstr("must be below the output level 3")));
}

TEST(Bootstrapper, OutputLevelIsTheCallersChoice) {
  const Bed bed({.output_level = 5});
  const auto z = bed.party.random(5);
  const Ciphertext result = bed.bootstrap(bed.encrypt(z));
  EXPECT_EQ(result.level, 5);
  EXPECT_EQ(result.scale, bed.party.scale());
  EXPECT_GT(bed.noise_bits(result, z), 22);
  // Whatever the level of the input.
  const Ciphertext high = bed.party.encrypt(z, 10, bed.party.scale());
  EXPECT_GT(bed.noise_bits(bed.bootstrap(high), z), 22);
}

// The primes between the output level and the sine are left out, digits of keys that lie among them whole (S15), and
// the keys that reach the top serve all levels.
TEST(Bootstrapper, KeysOfTheHighestLevelServeLowerOnes) {
  for (const char* set : {"S8", "S15", "N15-S5"}) {
    const Bed bed({}, set, 10);
    const int input = bed.schedule.chain.input, output = bed.schedule.chain.output;
    const auto x = bed.party.random(6), y = bed.party.random(7);
    for (const int level : {output - 1, (input + output) / 2, input + 1, input}) {
      const params::BootstrapSchedule schedule = params::plan_bootstrap(bed.literal, {.output_level = level});
      const int skipped = output - std::max(level, input + 1);
      EXPECT_EQ(schedule.chain.top, bed.schedule.chain.top - skipped);
      const Bootstrapper lower(bed.party.context, schedule);
      EXPECT_LT(lower.bytes(), bed.bootstrapper.bytes());
      const Ciphertext result = lower.bootstrap(bed.party.evaluator, bed.encrypt(x));
      EXPECT_EQ(result.level, level);
      EXPECT_EQ(result.scale, bed.party.scale());
      const double least = std::string(set) == "N15-S5" ? 18 : 22;
      EXPECT_GT(bed.noise_bits(result, x), least) << set << ", level " << level;
      // What comes out works with what else is at its level.
      const Ciphertext sum = bed.party.evaluator.add(result, bed.party.encrypt(y, level, bed.party.scale()));
      EXPECT_NEAR(bed.party.decrypt(sum)[3], schedule.result(x[3]) + y[3], 1e-5);
      const auto [a, b] = lower.bootstrap_pair(bed.party.evaluator, bed.encrypt(x), bed.encrypt(y));
      EXPECT_GT(bed.noise_bits(a, x), least);
      EXPECT_GT(bed.noise_bits(b, y), least);
    }
  }
}

TEST(Bootstrapper, TheLinearFormEndsAtALowerLevel) {
  const Bed bed({.form = params::BootstrapForm::linear, .output_level = 6}, "S8", 10);
  EXPECT_EQ(bed.schedule.chain.top, 19);
  const auto z = bed.party.random(8);
  const Ciphertext result = bed.bootstrap(bed.encrypt(z));
  EXPECT_EQ(result.level, 6);
  EXPECT_EQ(result.scale, bed.party.scale());
  EXPECT_GT(bed.message_bits(result, z), 18.2);
}

TEST(Bootstrapper, PairsPassThroughOneTransform) {
  const Bed bed({});
  const auto x = bed.party.random(6), y = bed.party.random(7);
  const auto [a, b] = bed.bootstrapper.bootstrap_pair(bed.party.evaluator, bed.encrypt(x), bed.encrypt(y));
  EXPECT_GT(bed.noise_bits(a, x), 22);
  EXPECT_GT(bed.noise_bits(b, y), 22);
}

TEST(Bootstrapper, IsStoppedOnItsWay) {
  const Bed bed({});
  const Ciphertext x = bed.encrypt(bed.party.random(9));
  for (const int time : {1, 2, 3}) {
    CancelsAt progress(time);
    const auto pair = [&] { bed.bootstrapper.bootstrap_pair(bed.party.evaluator, x, x, progress); };
    if (time <= 2)
      EXPECT_THROW(pair(), Cancelled) << time;
    else
      EXPECT_NO_THROW(pair());
  }
  CancelsAt at_once(1);
  EXPECT_THROW(bed.bootstrapper.bootstrap(bed.party.evaluator, x, at_once), Cancelled);
}

TEST(Bootstrapper, FiftyInARowKeepElevenBits) {
  for (const char* set : {"S8", "N15-S5"}) {
    const Bed bed({.form = params::BootstrapForm::linear}, set, 9);
    const auto z = bed.party.random(8);
    Ciphertext x = bed.encrypt(z);
    for (int i = 0; i < 50; ++i) x = bed.bootstrap(x);
    EXPECT_GT(bed.message_bits(x, z), 12) << set;
  }
}

// At full size, modelled: independent errors add up, and slots move 50 times by what the gain leaves of the sine.
TEST(Bootstrapper, FiftyInARowKeepElevenBitsAtFullSize) {
  for (const std::string& set : params::bootstrapping_literals()) {
    const auto parameters = params::CkksParameters::check(params::named_literal(set));
    const auto schedule = params::plan_bootstrap(parameters.literal(), {.form = params::BootstrapForm::linear});
    double moved = 0;
    for (double z = -1; z <= 1; z += 0x1p-6) {
      double x = z;
      for (int i = 0; i < 50; ++i) x = schedule.result(x);
      moved = std::max(moved, std::abs(x - z));
    }
    constexpr double kWorstOfAllSlots = 5;  // deviations, one of 32,768 in fifty
    const double noise = kWorstOfAllSlots * std::sqrt(50) * params::bootstrap_noise(parameters, schedule).total();
    EXPECT_GT(bits(moved + noise), 12) << set;
  }
}

TEST(Bootstrapper, TwentyKeysOfEverySetKeepTheirBits) {
  for (const std::string& set : params::bootstrapping_literals()) {
    const Bed bed({}, set.c_str(), 8);
    const auto kinds = vectors(bed.party);
    for (std::size_t key = 0; key < 20; ++key) {
      const Party party(bed.literal, params::key_manifest(bed.schedule));
      for (const std::size_t kind : {key % kinds.size(), (key + 3) % kinds.size()}) {
        const auto& z = kinds[kind];
        const Ciphertext x = party.encrypt(z, bed.schedule.chain.input, party.scale());
        std::vector<double> expected;
        for (const double value : z) expected.push_back(bed.schedule.result(value));
        const auto got = party.decrypt(bed.bootstrapper.bootstrap(party.evaluator, x));
        const double least = set == "N15-S5" ? 22.5 : set == "P30" ? 29.5 : 27;
        EXPECT_GT(bits(testing::max_error(got, expected)), least) << set << ", vector " << kind;
      }
    }
  }
}

TEST(Bootstrapper, EverySetBootstraps) {
  for (const std::string& set : params::bootstrapping_literals()) {
    const Bed bed({.form = params::BootstrapForm::folded}, set.c_str(), 10);
    const auto z = bed.party.random(9);
    const Ciphertext result = bed.bootstrap(bed.encrypt(z));
    EXPECT_EQ(result.level, bed.schedule.chain.output) << set;
    EXPECT_GT(bed.noise_bits(result, z), set == "N15-S5" ? 18 : 22) << set;
  }
}

/// Deviation of slots from what the schedule says, over some vectors.
double measured_noise(const params::CkksLiteral& literal, const params::BootstrapSchedule& schedule,
                      int repetitions = 6) {
  const Party party(literal, params::key_manifest(schedule));
  const Bootstrapper bootstrapper(party.context, schedule);
  double sum = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto z = party.random(static_cast<std::uint64_t>(i));
    const auto got =
        party.decrypt(bootstrapper.bootstrap(party.evaluator, party.encrypt(z, schedule.chain.input, party.scale())));
    for (std::size_t k = 0; k < z.size(); ++k)
      sum += std::pow(got[k] - schedule.result(z[k]), 2) /
             (static_cast<double>(repetitions) * static_cast<double>(z.size()));
  }
  return std::sqrt(sum);
}

// Primes of the sine so small that roundings outweigh the polynomial, and slots to coefficients at few bits.
TEST(Bootstrapper, NoiseFollowsTheFormulas) {
  for (const params::BootstrapForm form : {params::BootstrapForm::folded, params::BootstrapForm::linear}) {
    params::CkksLiteral literal = params::insecure_on_small_ring("S8", 11);
    for (int& bits : literal.q_bits) bits = bits == 50 ? 44 : bits == 29 ? 26 : bits;
    literal.p_bits.assign(12, 45);
    const params::BootstrapSchedule schedule = params::plan_bootstrap(literal, {.form = form});
    const params::BootstrapNoise noise = params::bootstrap_noise(params::CkksParameters::check(literal), schedule);
    EXPECT_GT(noise.sine, 3 * noise.approximation);
    EXPECT_NEAR(measured_noise(literal, schedule) / noise.total(), 1, 0.15);
  }
}

// The primes of every named set. The noise of the fresh input passes: at the scale of N15-S5 it has 0.6 times the
// variance that the bootstrap adds on this ring.
TEST(Bootstrapper, VarianceOfEverySetFollowsTheFormulas) {
  for (const std::string& set : params::bootstrapping_literals()) {
    const params::CkksLiteral literal = params::insecure_on_small_ring(set, 8);
    const params::CkksParameters parameters = params::CkksParameters::check(literal);
    const params::BootstrapSchedule schedule = params::plan_bootstrap(literal);
    const double modelled = std::hypot(params::bootstrap_noise(parameters, schedule).total(),
                                       params::symmetric_encryption_noise(parameters, parameters.scale()),
                                       params::encode_noise(parameters, parameters.scale()));
    EXPECT_NEAR(std::pow(measured_noise(literal, schedule, 60) / modelled, 2), 1, 0.15) << set;
  }
}

// One factor of coefficients to slots after the other at so few bits that the rounding of its diagonals counts most.
TEST(Bootstrapper, NoiseOfRoundedDiagonalsFollowsTheFormula) {
  for (const auto& [factor, bits] : {std::pair{0, 33}, std::pair{1, 31}, std::pair{2, 29}}) {
    params::CkksLiteral literal = params::insecure_on_small_ring("N15-S5", 11);
    literal.q_bits[19 - static_cast<std::size_t>(factor)] = bits;
    const auto schedule = params::plan_bootstrap(literal, {.form = params::BootstrapForm::linear});
    const params::BootstrapNoise noise = params::bootstrap_noise(params::CkksParameters::check(literal), schedule);
    EXPECT_GT(noise.coefficients_to_slots, 3 * noise.sine) << factor;
    EXPECT_NEAR(measured_noise(literal, schedule) / noise.total(), 1, 0.15) << factor;
  }
}

// At full size: what was measured there with the same primes.
TEST(Bootstrapper, ModelledNoiseIsTheMeasuredOne) {
  struct Measured {
    const char* set;
    params::BootstrapForm form;
    double bits;
  };
  for (const auto& [set, form, measured] :
       {Measured{"S8", params::BootstrapForm::folded, 24.85}, Measured{"P30", params::BootstrapForm::folded, 29.6},
        Measured{"N15-S5", params::BootstrapForm::folded, 19.7},
        Measured{"N15-S5", params::BootstrapForm::linear, 18.7}}) {
    const auto parameters = params::CkksParameters::check(params::named_literal(set));
    const params::BootstrapSchedule schedule = params::plan_bootstrap(parameters.literal(), {.form = form});
    EXPECT_NEAR(bits(params::bootstrap_noise(parameters, schedule).total()), measured, 0.4) << set;
  }
}

TEST(Bootstrapper, KeysRoundTripAndStillBootstrap) {
  const Bed bed({}, "S8", 9);
  const std::vector<std::uint8_t> bytes = serialize(*bed.party.context, *bed.party.keys);
  const auto keys = std::make_shared<const EvaluationKeys>(deserialize_evaluation_keys(*bed.party.context, bytes));
  EXPECT_EQ(keys->manifest(), bed.party.keys->manifest());
  EXPECT_EQ(keys->bytes(), bed.party.keys->bytes());
  const auto z = bed.party.random(11);
  const Evaluator evaluator(bed.party.context, keys);
  EXPECT_GT(bed.noise_bits(bed.bootstrapper.bootstrap(evaluator, bed.encrypt(z)), z), 22);
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2})
    EXPECT_THROW(deserialize_evaluation_keys(*bed.party.context, std::span(bytes).first(size)), base::InputError);
}

TEST(Bootstrapper, RefusesBeforeAnyWork) {
  const Bed bed({});
  const auto z = bed.party.random(10);
  const auto refuses = [&](const Evaluator& evaluator, const Ciphertext& x, const char* reason) {
    EXPECT_THAT([&] { bed.bootstrapper.bootstrap(evaluator, x); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  const Evaluator& evaluator = bed.party.evaluator;
  refuses(evaluator, bed.party.encrypt(z, 2, bed.party.scale()), "begins at level 3 and the input is at level 2");
  refuses(evaluator, bed.party.encrypt(z, 3, 2 * bed.party.scale()),
          "the operands have scales 2^40.000000000 and 2^41");
  refuses(Evaluator(bed.party.context, nullptr), bed.encrypt(z), "bootstrap: no evaluation keys were given");
  const auto without = [&](const char* reason, const auto& change) {
    params::KeyManifest manifest = params::key_manifest(bed.schedule);
    change(manifest);
    const auto keys =
        std::make_shared<const EvaluationKeys>(bed.party.generator.evaluation_keys(bed.party.secret, manifest));
    refuses(Evaluator(bed.party.context, keys), bed.encrypt(z), reason);
  };
  without("the bootstrapping to-ephemeral key is missing", [](auto& manifest) { manifest.raised_rotations.clear(); });
  without("the bootstrapping rotation-by-0 key is missing", [](auto& manifest) { manifest.raised_rotations.erase(0); });
  without("the conjugation key is missing", [](auto& manifest) { manifest.conjugate_level = -1; });
  without("the relinearisation key reaches up to level 19", [](auto& manifest) { manifest.relinearise_level = 19; });
  without("the rotation-by-1 key is missing", [](auto& manifest) { manifest.rotations.erase(1); });
  without("the rotation-by-2 key is missing", [](auto& manifest) { manifest.rotations.erase(2); });
  params::BootstrapSchedule other = params::plan_bootstrap(params::insecure_on_small_ring("S8", 12));
  EXPECT_THAT([&] { Bootstrapper(bed.party.context, other); },
              ThrowsMessage<base::InputError>(HasSubstr("bootstrap: the schedule ")));
  const Party leveled(testing::small_literal());
  EXPECT_THAT([&] { Bootstrapper(leveled.context, bed.schedule); },
              ThrowsMessage<base::InputError>(HasSubstr("the set is leveled")));
  EXPECT_THAT(
      [&] {
        leveled.generator.evaluation_keys(leveled.secret, {.rotations = {}, .raised_rotations = {{0, 3}}});
      },
      ThrowsMessage<base::InputError>(HasSubstr("is leveled; use one that bootstraps")));
  EXPECT_THROW(bed.bootstrapper.bootstrap(leveled.evaluator, bed.encrypt(z)), base::KeyMismatch);
  EXPECT_THROW(bed.bootstrap(leveled.encrypt(leveled.random(1), 3, leveled.scale())), base::KeyMismatch);
}

}  // namespace
}  // namespace tacit::scheme::ckks
