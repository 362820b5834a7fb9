#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/refusal_for_test.h"
#include "ring/sampler.h"
#include "scheme/ckks/owners_for_test.h"
#include "scheme/ckks/sealed_seeds.h"

/// Attacks on several owners of a key. Each one succeeds where its defence is taken away, in the code of the test, and
/// fails against the product. docs: SECURITY.md, research of 2024/116, 2025/409.
namespace tacit::scheme::ckks {
namespace {

using testing::Owners;

/// The number of coefficients of a guess, rounded, that are those of the secret.
std::size_t right(std::span<const double> guess, std::span<const std::int8_t> secret) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) count += std::lround(guess[i]) == secret[i] ? 1 : 0;
  return count;
}

/// The coefficients modulo q_0 of a polynomial in the NTT domain, centred.
std::vector<double> centred(const Context& context, const std::uint64_t* words) {
  const ring::Modulus& q = context.chain().modulus(0);
  base::AlignedVector<std::uint64_t> copy(words, words + context.chain().n());
  context.chain().ntt(0).inverse(copy.data());
  std::vector<double> result;
  for (const std::uint64_t word : copy)
    result.push_back(word > q.value() / 2 ? -static_cast<double>(q.value() - word) : static_cast<double>(word));
  return result;
}

/// The inverse of a polynomial modulo q_0 in the NTT domain; every value must have one.
std::vector<std::uint64_t> inverse(const Context& context, const std::uint64_t* words) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < context.chain().n(); ++i) result.push_back(context.chain().modulus(0).inverse(words[i]));
  return result;
}

/// The sub-secret that a share of the form c1 s, without more, reveals: share / c1.
std::vector<double> divided(const Context& context, const std::uint64_t* share, const std::uint64_t* c1) {
  const ring::Modulus& q = context.chain().modulus(0);
  const std::vector<std::uint64_t> by = inverse(context, c1);
  std::vector<std::uint64_t> quotient;
  for (std::size_t i = 0; i < by.size(); ++i) quotient.push_back(q.mul(share[i], by[i]));
  return centred(context, quotient.data());
}

/// What the receiver sees of a share: its own key taken off.
std::vector<std::uint64_t> seen_by(const testing::Party& receiver, const Ciphertext& ciphertext,
                                   const ResultSharing& sharing, std::span<const std::uint8_t> share) {
  Ciphertext zero = ciphertext;
  zero.c0.zero();
  const std::span<const std::uint8_t> shares[] = {share};
  const Plaintext seen = receiver.decryptor.decrypt_exactly(sharing.combine(zero, shares));
  return {seen.poly.limb(0), seen.poly.limb(0) + receiver.context->chain().n()};
}

struct Victim : Owners {
  Victim() : Owners(testing::small_literal(11, 1, 1), 2, {}), receiver(context->parameters().literal()) {}
  Ciphertext result(int level = 0) const {
    return Encryptor(context, public_key).encrypt(encoder.encode(std::vector<double>(16, 0.5), level, 0x1p40));
  }
  std::span<const std::int8_t> secret() const { return secrets[0].key().coefficients(); }
  std::size_t n() const { return context->chain().n(); }
  testing::Party receiver;
};

TEST(OwnersAttack, AShareWithoutFloodIsTheSecret) {
  const Victim victim;
  const Ciphertext result = victim.result();
  // The defence taken away: c1 s alone.
  std::vector<std::uint64_t> bare(victim.n());
  ring::limb::multiply(bare.data(), result.c1.limb(0), victim.secrets[0].key().poly().limb(0), victim.n(),
                       victim.context->chain().modulus(0));
  EXPECT_EQ(right(divided(*victim.context, bare.data(), result.c1.limb(0)), victim.secret()), victim.n());
  const ResultSharing sharing(victim.context, victim.receiver.public_key, 0x1p27);
  const std::vector<std::uint8_t> share = sharing.share(victim.secrets[0], result);
  const std::vector<std::uint64_t> seen = seen_by(victim.receiver, result, sharing, share);
  EXPECT_LT(right(divided(*victim.context, seen.data(), result.c1.limb(0)), victim.secret()), victim.n() / 2);
}

// Of parts made with new errors, the mean is the part without errors.
TEST(OwnersAttack, PartsThatAreMadeAgainHaveTheSameErrors) {
  const Victim victim;
  const rlwe::ModulusChain& chain = victim.context->chain();
  const ring::Modulus& q = chain.modulus(0);
  const base::Seed uniform = uniform_half(victim.group, "public");
  constexpr int kTimes = 1000;
  // b + a s = e. Its mean over `kTimes` parts is below a half everywhere, and then b tells s exactly.
  const auto mean_error = [&](const RandomnessOfKey& randomness) {
    std::vector<double> mean(victim.n());
    for (int i = 0; i < kTimes; ++i) {
      KeyRandomness random = randomness("public");
      const std::size_t first = 0;
      const ring::NttPoly error = rlwe::sampled(chain, ring::sample_gaussian, random.errors, {&first, 1});
      const std::vector<double> one = centred(*victim.context, error.limb(0));
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += one[k] / kTimes;
    }
    double largest = 0;
    for (const double value : mean) largest = std::max(largest, std::abs(value));
    return largest;
  };
  EXPECT_LT(mean_error([&](const std::string&) { return KeyRandomness{uniform, base::Csprng::from_system()}; }), 0.5);
  EXPECT_GT(mean_error(randomness_of(victim.secrets[0], victim.group)), 5);
  // And the part itself has the same bytes.
  const KeyGenerator generator(victim.context, randomness_of(victim.secrets[0], victim.group));
  const PublicKey once = generator.public_key(victim.secrets[0].key());
  const PublicKey again = generator.public_key(victim.secrets[0].key());
  EXPECT_TRUE(std::ranges::equal(once.b.limb_span(0), again.b.limb_span(0)));
  EXPECT_EQ(q, chain.modulus(0));
}

TEST(OwnersAttack, ASharePerActiveSetWithOneNoiseIsTheSecret) {
  // Shamir's sharing multiplies the secret by a factor of the active set, and adds the same noise: the difference of
  // two shares has no noise. Here a share does not depend on who else is active, and has the same bytes.
  const Victim victim;
  const Ciphertext result = victim.result();
  const ring::Modulus& q = victim.context->chain().modulus(0);
  const std::size_t n = victim.n();
  base::Csprng random(base::Seed{1});
  base::SecretVector<std::int64_t> flood(n);
  ring::sample_wide_gaussian(flood, 0x1p27, random);
  base::AlignedVector<std::uint64_t> noise(n);
  for (std::size_t i = 0; i < n; ++i) noise[i] = q.reduce_signed(flood[i]);
  victim.context->chain().ntt(0).forward(noise.data());
  const std::uint64_t factors[] = {3, 5};
  std::vector<std::uint64_t> difference(n);
  const std::uint64_t halve = q.inverse(2);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t product = q.mul(result.c1.limb(0)[i], victim.secrets[0].key().poly().limb(0)[i]);
    const std::uint64_t of_first = q.add(q.mul(factors[0], product), noise[i]);
    const std::uint64_t of_second = q.add(q.mul(factors[1], product), noise[i]);
    difference[i] = q.mul(q.sub(of_second, of_first), halve);
  }
  EXPECT_EQ(right(divided(*victim.context, difference.data(), result.c1.limb(0)), victim.secret()), n);
  const ResultSharing sharing(victim.context, victim.receiver.public_key, 0x1p27);
  EXPECT_EQ(sharing.share(victim.secrets[0], result), sharing.share(victim.secrets[0], result));
}

TEST(OwnersAttack, SharesOfOneResultWithFreshNoiseAverageOut) {
  // Shares that are drawn anew for each active set: the mean of many loses its noise.
  const Victim victim;
  const Ciphertext result = victim.result();
  const auto mean_of = [&](int shares, bool fresh) {
    std::vector<double> mean(victim.n());
    base::SecretVector<std::int64_t> flood(victim.n());
    for (int i = 0; i < shares; ++i) {
      base::Csprng random = fresh ? base::Csprng::from_system() : victim.secrets[0].stream("flood", victim.group);
      ring::sample_wide_gaussian(flood, 4096, random);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += static_cast<double>(flood[k]) / shares;
    }
    double squares = 0;
    for (const double value : mean) squares += value * value;
    return std::sqrt(squares / static_cast<double>(mean.size()));
  };
  EXPECT_NEAR(mean_of(256, true) / (4096.0 / 16), 1, 0.1);
  EXPECT_NEAR(mean_of(256, false) / 4096, 1, 0.1);
  EXPECT_GT(result.c1.limbs(), 0U);
}

TEST(OwnersAttack, SharesOfMultiplesOfAResultTellTheSecretBitByBit) {
  // 2^k c1 s + f for every k, in the clear: the top bits of c1 s first. What stops it is not in a share but around it:
  // results are shared of the agreed program, for a signed receipt, and are counted (group_test).
  const Victim victim;
  const Ciphertext result = victim.result();
  const ring::Modulus& q = victim.context->chain().modulus(0);
  const std::size_t n = victim.n();
  const double flood = 0x1p20, modulus = static_cast<double>(q.value());
  const ResultSharing sharing(victim.context, victim.receiver.public_key, flood);
  // The real c1 s modulo q, as a share of q, from one more doubling at a time.
  std::vector<double> estimate(n);
  double known = 1;  // how precisely, as a share of q
  int shares = 0;
  std::uint64_t factor = 1;
  for (double scale = 1; known * modulus > 0.25; scale *= 0x1p20) {
    Ciphertext multiple = result;
    for (std::size_t i = 0; i < n; ++i) multiple.c1.limb(0)[i] = q.mul(result.c1.limb(0)[i], factor);
    const std::vector<std::uint8_t> share = sharing.share(victim.secrets[0], multiple);
    const std::vector<double> seen =
        centred(*victim.context, seen_by(victim.receiver, multiple, sharing, share).data());
    for (std::size_t i = 0; i < n; ++i) {
      // scale * x = seen + multiple of q, where x is known to `known`.
      const double turns = std::round((scale * estimate[i] - seen[i] / modulus));
      estimate[i] = (seen[i] / modulus + turns) / scale;
    }
    known = 8 * flood / modulus / scale;
    ++shares;
    factor = q.mul(factor, std::uint64_t{1} << 20);
  }
  std::vector<std::uint64_t> product(n);
  for (std::size_t i = 0; i < n; ++i) product[i] = q.reduce_signed(std::llround(estimate[i] * modulus));
  victim.context->chain().ntt(0).forward(product.data());
  EXPECT_GE(right(divided(*victim.context, product.data(), result.c1.limb(0)), victim.secret()), n - n / 100);
  EXPECT_LE(shares, 4);
}

TEST(OwnersAttack, ASumOfTheFirstRoundThatSomebodyChoseIsTheSecret) {
  const Victim victim;
  const RelinearisationRounds rounds(victim.context, victim.group, 1);
  RelinearisationHalves chosen = rounds.first(victim.secrets[1]);
  const rlwe::ModulusChain& chain = rounds.chain();
  for (auto* half : {&chosen.masked, &chosen.second})
    for (ring::NttPoly& poly : *half) poly.zero();
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;
  for (ring::NttPoly& poly : chosen.masked)
    for (std::size_t row = 0; row < poly.limbs(); ++row)
      for (std::uint64_t& word : poly.limb_span(row)) word = chain.modulus(chain.prime_of(1, row)).reduce(kLarge);
  // s h0 + (u - s) h1 + e2 = 2^30 s + e2.
  std::vector<double> guess = centred(*victim.context, rounds.second(victim.secrets[0], chosen)[0].limb(0));
  for (double& value : guess) value /= static_cast<double>(kLarge);
  EXPECT_EQ(right(guess, victim.secret()), victim.n());
  // A sum in which the victim's own part is one of the terms hides it: the attacker cannot take off what it did not
  // know when it committed to its part.
  rounds.add(chosen, rounds.first(victim.secrets[0]));
  guess = centred(*victim.context, rounds.second(victim.secrets[0], chosen)[0].limb(0));
  for (double& value : guess) value /= static_cast<double>(kLarge);
  EXPECT_LT(right(guess, victim.secret()), victim.n() / 100);
}

TEST(OwnersAttack, APartMadeOfTheOthersReadsTheirInputs) {
  // The last owner to send takes the sum of the others off its own key: the group's key is then its own alone.
  const Victim victim;
  const testing::Party attacker(victim.context->parameters().literal());
  const KeyGenerator own(victim.context, [&](const std::string& name) {
    return KeyRandomness{uniform_half(victim.group, name), base::Csprng::from_system()};
  });
  const PublicKey group_key = own.public_key(attacker.secret);  // others + (own - others)
  const std::vector<double> input(16, 0.25);
  const Encryptor fooled(victim.context, group_key);
  const auto read = attacker.decryptor.exact_slots(fooled.encrypt(victim.encoder.encode(input, 1, 0x1p40)));
  EXPECT_NEAR(read[3].real(), 0.25, 1e-6);
  // A commitment to the part does not open to another one (group_test); an honest sum is nobody's key.
  const Encryptor honest(victim.context, victim.public_key);
  const auto noise = attacker.decryptor.exact_slots(honest.encrypt(victim.encoder.encode(input, 1, 0x1p40)));
  EXPECT_GT(std::abs(noise[3].real()), 1);
}

TEST(OwnersAttack, AnExactSumShowsTheNoiseAndAFloodHidesIt) {
  // IND-CPA-D: whoever knows the message reads c0 + c1 s - m = e off an exact result, and e tells s by linear algebra.
  const Victim victim;
  const std::vector<double> message(16, 0.5);
  const Ciphertext result = victim.result();
  const Plaintext encoded = victim.encoder.encode(message, 0, 0x1p40);
  const auto difference = [&](const std::uint64_t* shown) {
    std::vector<std::uint64_t> words(victim.n());
    ring::limb::sub(words.data(), shown, encoded.poly.limb(0), victim.n(), victim.context->chain().modulus(0));
    double squares = 0;
    for (const double value : centred(*victim.context, words.data())) squares += value * value;
    return std::sqrt(squares / static_cast<double>(victim.n()));
  };
  ring::NttPoly exact = result.c0;
  for (const SubSecret& secret : victim.secrets)
    ring::limb::multiply_add(exact.limb(0), result.c1.limb(0), secret.key().poly().limb(0), victim.n(),
                             victim.context->chain().modulus(0));
  EXPECT_LT(difference(exact.limb(0)), 64) << "the noise itself";
  const ResultSharing sharing(victim.context, victim.receiver.public_key, 0x1p30);
  std::vector<std::vector<std::uint8_t>> shares;
  for (const SubSecret& secret : victim.secrets) shares.push_back(sharing.share(secret, result));
  const std::vector<std::span<const std::uint8_t>> views(shares.begin(), shares.end());
  const Plaintext flooded = victim.receiver.decryptor.decrypt_exactly(sharing.combine(result, views));
  EXPECT_NEAR(difference(flooded.poly.limb(0)) / (0x1p30 * std::sqrt(2.0)), 1, 0.05);
}

TEST(SealedSeeds, OpenForTheirReceiverAlone) {
  const testing::Party receiver(testing::small_literal(10, 1, 1)), other(testing::small_literal(10, 1, 1));
  std::vector<base::Seed> seeds;
  for (int i = 0; i < 5; ++i) seeds.push_back(base::system_seed());  // more bits than one ciphertext has coefficients
  const std::vector<Ciphertext> sealed = seal(*receiver.context, receiver.public_key, seeds);
  EXPECT_EQ(sealed.size(), 2U);
  EXPECT_EQ(open_sealed(*receiver.context, receiver.secret, receiver.public_key, sealed, 5), seeds);
  EXPECT_THAT(base::refusal([&] {
                static_cast<void>(open_sealed(*receiver.context, other.secret, other.public_key, sealed, 5));
              }),
              ::testing::HasSubstr("were not sealed for this key"));
  for (const std::size_t half : {0U, 1U}) {
    std::vector<Ciphertext> altered = sealed;
    std::uint64_t& word = (half == 0 ? altered[1].c0 : altered[1].c1).limb(0)[7];
    word = receiver.context->chain().modulus(0).add(word, 1);
    EXPECT_THAT(base::refusal([&] {
                  static_cast<void>(open_sealed(*receiver.context, receiver.secret, receiver.public_key, altered, 5));
                }),
                ::testing::HasSubstr("were altered"));
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks
