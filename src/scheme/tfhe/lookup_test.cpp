#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "base/error.h"
#include "base/parallel.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

using ::testing::HasSubstr;
using testing::Party;
using ::testing::ThrowsMessage;

struct LookupCase {
  const char* set;
  int lookups;
};

class Lookups : public ::testing::TestWithParam<LookupCase> {};

// Random messages copied by a table, and then through random tables, behind a sum with weights of the set's 2-norm:
// exact, at real parameters. Sets of many polynomials take longer, and fewer lookups here. TACIT_ALL_LOOKUPS=1 makes a
// thousand of each set, in ten minutes on two cores (docs/bench.md).
TEST_P(Lookups, AreExactBehindSumsAtTheLargestNorm) {
  constexpr int kAll = 500;  // and as many copies
  const int lookups = std::getenv("TACIT_ALL_LOOKUPS") != nullptr ? kAll : GetParam().lookups;
  const char* const set = GetParam().set;
  const Party party(set);
  std::mt19937_64 random(7);
  const std::int64_t messages = party.messages();
  std::vector<std::vector<Torus>> values;
  std::vector<LookupTable> tables;
  constexpr int kTables = 5;
  for (int t = 0; t < kTables; ++t) {
    std::vector<Torus> table;
    for (std::int64_t x = 0; x < messages; ++x)
      table.push_back(
          encode(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * messages)), party.bits()));
    tables.emplace_back(*party.context, std::span(&table, 1));
    values.push_back(table);
  }
  std::vector<std::int64_t> inputs;
  std::vector<const LookupTable*> chosen;
  for (int i = 0; i < lookups; ++i) {
    inputs.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(messages)));
    chosen.push_back(&tables[static_cast<std::size_t>(i % kTables)]);
  }
  const LookupTable copy = LookupTable::of(*party.context, [](std::int64_t x) { return x; });
  LweCiphertexts ciphertexts = party.evaluator.lookup(party.encryptor.encrypt_messages(inputs), copy);
  ASSERT_EQ(party.decryptor.decrypt(ciphertexts), std::vector<std::uint64_t>(inputs.begin(), inputs.end()));
  // Times a weight as large as the 2-norm; what comes out of the message space is taken off again.
  const auto weight = static_cast<std::int64_t>(party.context->parameters().literal().norm2);
  for (std::size_t i = 0; i < ciphertexts.count(); ++i) {
    for (Torus& word : ciphertexts[i]) word *= static_cast<Torus>(weight);
    ciphertexts.body(i) -= encode((weight - 1) * inputs[i], party.bits());
  }
  const std::vector<std::uint64_t> results = party.decryptor.decrypt(party.evaluator.lookup(ciphertexts, chosen));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    wrong += results[i] != decode(values[i % kTables][static_cast<std::size_t>(inputs[i])], party.bits());
  EXPECT_EQ(wrong, 0u) << set << ", of " << lookups;
}

INSTANTIATE_TEST_SUITE_P(Sets, Lookups,
                         ::testing::Values(LookupCase{"T1", 500}, LookupCase{"T2", 500}, LookupCase{"T3", 300},
                                           LookupCase{"T4", 300}, LookupCase{"T5", 64}, LookupCase{"T6", 32},
                                           LookupCase{"T7", 16}, LookupCase{"T8", 8}, LookupCase{"T4-64", 100},
                                           LookupCase{"T6-40", 32}),
                         [](const auto& test) {
                           std::string name = test.param.set;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Lookup, PaddingGivesTheNegative) {
  const Party party(testing::small_literal());
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return x + 1; });
  const std::vector<Torus> inputs = {encode(4, 2), encode(6, 2), encode(-1, 2)};
  const std::vector<std::uint64_t> expected = {8 - 1, 8 - 3, 8 - 4};
  EXPECT_EQ(party.decryptor.decrypt(party.evaluator.lookup(party.encryptor.encrypt(inputs), table)), expected);
}

TEST(Lookup, SeveralTablesShareABootstrap) {
  const Party party(testing::small_literal());
  std::vector<std::vector<Torus>> functions;
  for (std::int64_t f = 0; f < 3; ++f) {
    functions.emplace_back();
    for (std::int64_t x = 0; x < 4; ++x) functions.back().push_back(encode((x + 1) * (f + 1) % 8, 2));
  }
  const LookupTable three(*party.context, functions);
  const LookupTable one(*party.context, std::span(functions).first(1));
  const std::vector<std::int64_t> inputs = {0, 1, 2, 3, 3, 2};
  const std::vector<const LookupTable*> tables = {&three, &one, &three, &one, &three, &three};
  const auto results =
      party.decryptor.decrypt(party.evaluator.lookup(party.encryptor.encrypt_messages(inputs), tables));
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t f = 0; f < tables[i]->functions(); ++f)
      expected.push_back(decode(functions[f][static_cast<std::size_t>(inputs[i])], 2));
  EXPECT_EQ(results, expected);
}

TEST(Lookup, ResultsDoNotDependOnBatchesOrThreads) {
  const Party party(testing::small_literal());
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return 3 - x; });
  std::vector<std::int64_t> inputs;
  for (int i = 0; i < 150; ++i) inputs.push_back(i % 4);
  const LweCiphertexts ciphertexts = party.encryptor.encrypt_messages(inputs);
  const int threads = base::thread_limit();
  base::set_thread_limit(1);
  const LweCiphertexts one = party.evaluator.lookup(ciphertexts, table);
  base::set_thread_limit(4);
  const LweCiphertexts four = party.evaluator.lookup(ciphertexts, table);
  base::set_thread_limit(threads);
  EXPECT_EQ(one, four);
  LweCiphertexts alone(party.context->parameters().large_lwe(), 1, ciphertexts.parameters());
  std::ranges::copy(ciphertexts[77], alone[0].begin());
  const LweCiphertexts result = party.evaluator.lookup(alone, table);
  EXPECT_TRUE(std::ranges::equal(result[0], one[77]));
  EXPECT_EQ(party.evaluator.lookup(party.encryptor.encrypt({}), table).count(), 0u);
}

/// Counts steps, and says after so many that the work is to stop.
class Counter : public base::Progress {
 public:
  explicit Counter(std::uint64_t most) : most_(most) {}
  std::uint64_t total = 0;
  std::atomic<std::uint64_t> done{0};

 private:
  void stage_began(std::string_view, std::uint64_t steps) override { total = steps; }
  void steps_done(std::uint64_t steps) override { done += steps; }
  void stage_ended() override {}
  bool cancelled() const override { return done >= most_; }
  std::uint64_t most_;
};

TEST(Lookup, TellsProgressAndCanBeCancelled) {
  const Party party(testing::small_literal());
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return x; });
  const LweCiphertexts inputs = party.encryptor.encrypt(std::vector<Torus>(200, 0));
  Counter all(1000), few(30);
  party.evaluator.lookup(inputs, table, all);
  EXPECT_EQ(all.total, 200u);
  EXPECT_EQ(all.done, 200u);
  EXPECT_THROW(party.evaluator.lookup(inputs, table, few), Cancelled);
  EXPECT_LT(few.done, 200u);
}

TEST(Lookup, LinearSumsAreExact) {
  const Party party(testing::small_literal());
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(std::vector<std::int64_t>{1, 2, 3});
  const std::vector<std::int64_t> weights = {1, 1, 0, -1, 2, 1};
  const std::vector<Torus> offsets = {encode(0, 2), encode(-2, 2)};
  EXPECT_EQ(party.decryptor.decrypt(party.evaluator.linear(inputs, weights, offsets)),
            (std::vector<std::uint64_t>{3, 4}));
}

TEST(Lookup, RefusesByName) {
  const Party party(testing::small_literal());
  params::TfheLiteral other_literal = testing::small_literal();
  other_literal.norm2 = 1;
  const Party other(other_literal);
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(std::vector<std::int64_t>{1, 2});
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return x; });
  const LookupTable foreign = LookupTable::of(*other.context, [](std::int64_t x) { return x; });
  using base::InputError, base::KeyMismatch;
  EXPECT_THAT([&] { other.evaluator.lookup(inputs, foreign); },
              ThrowsMessage<KeyMismatch>(HasSubstr("key switch: the ciphertexts belong to another parameter set")));
  EXPECT_THAT([&] { party.evaluator.lookup(inputs, foreign); },
              ThrowsMessage<KeyMismatch>(HasSubstr("bootstrap: the table's values belong to another")));
  EXPECT_THAT([&] { other.decryptor.decrypt(inputs); }, ThrowsMessage<KeyMismatch>(HasSubstr("decrypt")));
  EXPECT_THAT([&] { Encryptor(other.context, party.secret); }, ThrowsMessage<KeyMismatch>(HasSubstr("secret key")));
  EXPECT_THAT([&] { Evaluator(other.context, party.seeded); }, ThrowsMessage<KeyMismatch>(HasSubstr("key")));
  EXPECT_THAT([&] { party.evaluator.bootstrap(party.evaluator.key_switch(inputs), {}); },
              ThrowsMessage<InputError>(HasSubstr("0 tables for 2 ciphertexts")));
  EXPECT_THAT([&] { party.evaluator.linear(inputs, std::vector<std::int64_t>{1}, std::vector<Torus>{0}); },
              ThrowsMessage<InputError>(HasSubstr("1 weights for 2 inputs")));
  EXPECT_THAT(
      [&] {
        party.encryptor.encrypt_messages(std::vector<std::int64_t>{1, 4});
      },
      ThrowsMessage<InputError>(HasSubstr("message 1 is")));
  EXPECT_THAT([&] { LookupTable(*party.context, std::vector<std::vector<Torus>>(5, std::vector<Torus>(4))); },
              ThrowsMessage<InputError>(HasSubstr("5 functions")));
  EXPECT_THAT([&] { LookupTable(*party.context, std::vector<std::vector<Torus>>(1, std::vector<Torus>(3))); },
              ThrowsMessage<InputError>(HasSubstr("3 values for messages of 2 bits")));
  EXPECT_THAT([&] { SecretKey(*party.context, std::vector<std::uint8_t>(100, 2), std::vector<std::uint8_t>(512, 0)); },
              ThrowsMessage<InputError>(HasSubstr("words of 0 or 1")));
}

}  // namespace
}  // namespace tacit::scheme::tfhe
