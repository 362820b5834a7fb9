#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

using testing::Party;

/// Test-only sets whose lookups fail with less than 2^-40, so that every message can be tried.
struct Shape {
  int bits, glwe, log_polynomial, log_extension, log_tables;
  params::Decomposition bootstrap;
};

params::TfheLiteral literal_of(const Shape& shape) {
  return {.name = "edges",
          .bits = shape.bits,
          .norm2 = 1,
          .lwe_dimension = 16,
          .glwe_dimension = shape.glwe,
          .log_polynomial = shape.log_polynomial,
          .log_extension = shape.log_extension,
          .lwe_noise_bits = 3,
          .glwe_noise_bits = 3,
          .bootstrap = shape.bootstrap,
          .key_switch = {.base_log = 4, .levels = 6},
          .log_tables = shape.log_tables,
          .log2_failure = -40,
          .insecure = true};
}

class EveryMessage : public ::testing::TestWithParam<Shape> {};

// Integers modulo 2^(bits + 1), those with the bit of padding included, in the middle of their boxes and halfway to
// their ends, through as many tables as share a bootstrap.
TEST_P(EveryMessage, IsLookedUpInItsBox) {
  const Party party(literal_of(GetParam()));
  const int bits = party.bits();
  const std::int64_t messages = party.messages();
  const std::size_t tables = std::size_t{1} << GetParam().log_tables;
  std::mt19937_64 random(static_cast<std::uint64_t>(bits));
  std::vector<std::vector<Torus>> functions(tables);
  for (std::vector<Torus>& function : functions)
    for (std::int64_t x = 0; x < messages; ++x) function.push_back(random());
  const LookupTable table(*party.context, functions);
  // A margin that the noise of these sets does not use up.
  const Torus most = (Torus{1} << (62 - bits)) / 2;
  // Of wide messages a part: those next to the padding bit, and some between.
  const std::int64_t step = bits <= 8 ? 1 : 41;
  std::vector<std::int64_t> arguments;
  for (std::int64_t x = 0; x < 2 * messages; x += step) arguments.push_back(x);
  for (const std::int64_t x : {messages - 1, messages, messages + 1, 2 * messages - 1}) arguments.push_back(x);
  std::vector<Torus> inputs;
  for (const std::int64_t x : arguments)
    for (const Torus offset : {Torus{0} - most, Torus{0}, most}) inputs.push_back(encode(x, bits) + offset);
  const LweCiphertexts results = party.evaluator.lookup(party.encryptor.encrypt(inputs), table);
  ASSERT_EQ(results.count(), inputs.size() * tables);
  const std::vector<Torus> phases = party.decryptor.phases(results);
  std::size_t wrong = 0;
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t t = 0; t < tables; ++t) {
      const auto x = static_cast<std::size_t>(arguments[i / 3]);
      const auto half = static_cast<std::size_t>(messages);
      const Torus expected = x < half ? functions[t][x] : 0 - functions[t][x - half];
      const double error = std::abs(testing::difference(phases[i * tables + t], expected));
      wrong += error > 0x1p-16;
      worst = std::max(worst, error);
    }
  EXPECT_EQ(wrong, 0u) << "of " << phases.size();
  EXPECT_LT(worst, 10 * std::sqrt(params::bootstrap_variance(party.context->parameters().shape())));
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryMessage,
                         ::testing::Values(Shape{1, 1, 8, 0, 0, {15, 2}}, Shape{2, 6, 8, 0, 0, {15, 2}},
                                           Shape{3, 1, 9, 0, 1, {15, 2}}, Shape{4, 2, 9, 1, 2, {10, 3}},
                                           Shape{5, 1, 8, 3, 1, {15, 2}}, Shape{6, 1, 8, 4, 0, {15, 2}},
                                           Shape{7, 1, 11, 1, 0, {15, 2}}, Shape{8, 1, 8, 5, 0, {15, 2}},
                                           Shape{8, 1, 13, 0, 0, {15, 2}}, Shape{2, 1, 8, 8, 8, {15, 2}},
                                           Shape{9, 1, 11, 4, 0, {15, 2}}, Shape{10, 1, 16, 1, 0, {15, 2}}),
                         [](const auto& test) {
                           const Shape& s = test.param;
                           return "bits" + std::to_string(s.bits) + "_k" + std::to_string(s.glwe) + "_n" +
                                  std::to_string(s.log_polynomial) + "_e" + std::to_string(s.log_extension) + "_t" +
                                  std::to_string(s.log_tables);
                         });

// Whatever ciphertexts go together, on however many threads, each result has the bits that it has alone.
TEST(Batches, OfEverySizeGiveTheSameBits) {
  const Party party(literal_of({4, 1, 11, 0, 0, {15, 2}}));
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return 15 - x; });
  const int threads = base::thread_limit();
  std::vector<std::int64_t> messages;
  for (int i = 0; i < 65; ++i) messages.push_back(i * 5 % 16);
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(messages);
  const std::size_t words = party.context->large() + 1;
  std::vector<std::vector<Torus>> alone;
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    LweCiphertexts one(party.context->parameters().large_lwe(), 1, inputs.parameters());
    std::ranges::copy(inputs[i], one[0].begin());
    const LweCiphertexts result = party.evaluator.lookup(one, table);
    alone.emplace_back(result[0].begin(), result[0].end());
  }
  for (const std::size_t count : {1, 2, 3, 5, 16, 17, 33, 64, 65}) {
    LweCiphertexts batch(party.context->parameters().large_lwe(), count, inputs.parameters());
    for (std::size_t i = 0; i < count; ++i) std::ranges::copy(inputs[i], batch[i].begin());
    for (const int limit : {1, 2, 3}) {
      base::set_thread_limit(limit);
      const LweCiphertexts results = party.evaluator.lookup(batch, table);
      ASSERT_EQ(results.count(), count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(results[i].size(), words);
        EXPECT_TRUE(std::ranges::equal(results[i], alone[i])) << i << " of " << count << ", " << limit << " threads";
      }
    }
    base::set_thread_limit(threads);
    const auto decrypted = party.decryptor.decrypt(party.evaluator.lookup(batch, table));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(static_cast<std::int64_t>(decrypted[i]), 15 - messages[i]);
  }
}

// A key switch holds the digits of so many ciphertexts at a time: the last ones of one part, and the first of the next.
TEST(Batches, OfManyCiphertextsAreSwitchedInParts) {
  const Party party(literal_of({1, 1, 8, 0, 0, {15, 2}}));
  const LweCiphertexts inputs = party.encryptor.encrypt(std::vector<Torus>(600, encode(1, 1)));
  const SmallLweCiphertexts all = party.evaluator.key_switch(inputs);
  ASSERT_EQ(all.count(), 600u);
  for (const std::size_t i : {0, 1, 255, 256, 257, 511, 512, 599}) {
    LweCiphertexts one(party.context->parameters().large_lwe(), 1, inputs.parameters());
    std::ranges::copy(inputs[i], one[0].begin());
    const SmallLweCiphertexts alone = party.evaluator.key_switch(one);
    EXPECT_TRUE(std::ranges::equal(all[i], alone[0])) << i;
  }
}

}  // namespace
}  // namespace tacit::scheme::tfhe
