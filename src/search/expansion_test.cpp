#include "search/expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "params/search_set.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encryptor.h"

namespace tacit::search {
namespace {

namespace ckks = scheme::ckks;

struct Expanded {
  explicit Expanded(std::size_t dimensions) {
    const ckks::ContextPtr context = search_context();
    const ckks::KeyGenerator generator(context);
    const ckks::SecretKey secret = generator.secret_key();
    const auto keys =
        std::make_shared<const ckks::EvaluationKeys>(generator.evaluation_keys(secret, expansion_keys(dimensions)));
    const ring::NttTables& ntt = context->chain().ntt(0);
    const ring::Modulus& q = ntt.modulus();
    ckks::Plaintext plaintext{
        .poly = ring::NttPoly(ntt.n(), 1), .scale = 1, .parameters = context->parameters().hash()};
    plaintext.poly.zero();
    for (std::size_t i = 0; i < dimensions; ++i)
      plaintext.poly.limb(0)[i] = q.mul((i + 1) << 30, expansion_factor(*context, dimensions));
    ntt.forward(plaintext.poly.limb(0));
    const ExpandedQuestion expanded =
        Expander(context, keys, dimensions).expand(ckks::Encryptor(context, secret).encrypt(plaintext), dimensions);
    const ckks::Decryptor decryptor(context, secret);
    for (std::size_t i = 0; i < dimensions; ++i) {
      ckks::Ciphertext leaf{.c0 = ring::NttPoly(ntt.n(), 1),
                            .c1 = ring::NttPoly(ntt.n(), 1),
                            .scale = 1,
                            .parameters = context->parameters().hash()};
      std::copy_n(expanded.row(0, i), ntt.n(), leaf.c0.limb(0));
      std::copy_n(expanded.row(1, i), ntt.n(), leaf.c1.limb(0));
      ckks::Plaintext message = decryptor.decrypt_exactly(leaf);
      std::uint64_t* const words = message.poly.limb(0);
      ntt.inverse(words);
      words[0] = q.sub(words[0], (i + 1) << 30);
      for (std::size_t k = 0; k < ntt.n(); ++k) {
        const double error =
            words[k] > q.value() / 2 ? -static_cast<double>(q.value() - words[k]) : static_cast<double>(words[k]);
        worst = std::max(worst, std::abs(error));
        squares += error * error / static_cast<double>(ntt.n() * dimensions);
      }
    }
  }
  double worst = 0, squares = 0;
};

// Every dimension becomes a constant, and the noise has the deviation of the formula. Coefficients of powers of
// X^leaves carry most of it: errors there add up in step, and elsewhere they cancel.
TEST(Expansion, GivesConstantsWithTheStatedNoise) {
  for (const std::size_t dimensions : {1U, 2U, 5U, 64U}) {
    const Expanded expanded(dimensions);
    const double leaves = dimensions == 5 ? 8 : static_cast<double>(dimensions);
    const double stated = params::expanded_coefficient_noise(search_context()->parameters(), leaves);
    EXPECT_LT(expanded.worst, 7 * stated * std::sqrt(leaves)) << dimensions;
    EXPECT_NEAR(std::sqrt(expanded.squares) / stated, 1, 0.15) << dimensions;
  }
}

TEST(Expansion, AllDimensionsOfTheRing) {
  const Expanded expanded(4096);
  const double stated = params::expanded_coefficient_noise(search_context()->parameters(), 4096);
  EXPECT_LT(expanded.worst, 7 * stated * std::sqrt(4096));
  EXPECT_NEAR(std::sqrt(expanded.squares) / stated, 1, 0.1);
}

TEST(Expansion, SetHas128Bits) {
  const params::CkksParameters& set = search_context()->parameters();
  EXPECT_EQ(set.security_bits(), 128);
  EXPECT_LT(set.log_qp(), 100.01);
  EXPECT_EQ(set.n(), 4096U);
}

TEST(Expansion, NamesTheMissingKey) {
  const ckks::KeyGenerator generator(search_context());
  const ckks::SecretKey secret = generator.secret_key();
  const auto keys = std::make_shared<const ckks::EvaluationKeys>(generator.evaluation_keys(secret, expansion_keys(4)));
  EXPECT_THAT(
      [&] { Expander(search_context(), keys, 8); },
      testing::ThrowsMessage<base::InputError>(testing::HasSubstr("expand: the rotation-by-256 key is missing")));
}

}  // namespace
}  // namespace tacit::search
