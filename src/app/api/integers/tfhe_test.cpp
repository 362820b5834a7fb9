#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/tfhe.h>

#include <fstream>
#include <random>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::tfhe {
namespace {

using base::expect_refusal;
using ::testing::ElementsAre;

/// Secure parameters of two bits, the keys of one client.
class TfheApi : public ::testing::Test {
 protected:
  static const Parameters& parameters() {
    static const Parameters set = Parameters::named("T2");
    return set;
  }
  static const SecretKey& secret() {
    static const SecretKey key(parameters());
    return key;
  }
  static const Evaluator& evaluator() {
    static const Evaluator server(secret().evaluation_keys());
    return server;
  }
  const base::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

TEST_F(TfheApi, ParametersSayWhatTheyHoldFor) {
  EXPECT_EQ(parameters().bits(), 2);
  EXPECT_EQ(parameters().norm2(), 3);
  EXPECT_EQ(parameters().tables(), 1);
  EXPECT_LE(parameters().log2_failure(), -128);
  EXPECT_EQ(parameters().security_bits(), 128);
  EXPECT_EQ(Parameters::from_json(parameters().to_json()).to_json(), parameters().to_json());
  EXPECT_EQ(Parameters::names().size(), 24u);
  const Parameters own = Parameters::choose({.bits = 2, .norm2 = 2, .tables = 2, .log2_failure = -40});
  EXPECT_EQ(own.tables(), 2);
  EXPECT_LE(own.log2_failure(), -40);
  EXPECT_EQ(own.security_bits(), 128);
  expect_refusal<InputError>([] { Parameters::named("T9"); }, "T8");
  expect_refusal<InputError>([] { Parameters::choose({.tables = 3}); }, "power of two");
  expect_refusal<InputError>([] { Parameters::choose({.bits = 9}); }, "9 bits");
  expect_refusal<InputError>([] { Parameters::choose({.bits = 8, .norm2 = 1e5}); }, "choose");
  std::string insecure = parameters().to_json();
  const std::size_t flag = insecure.find("false");
  ASSERT_NE(flag, std::string::npos) << insecure;
  insecure.replace(flag, 5, "true");
  expect_refusal<InputError>([&] { Parameters::from_json(insecure); }, "insecure");
  EXPECT_EQ(Parameters::from_json(insecure, InsecureParameters::allow).security_bits(), 0);
}

TEST_F(TfheApi, EveryTableOfEveryIntegerIsExact) {
  std::mt19937 random(7);
  for (int round = 0; round < 4; ++round) {
    std::vector<std::int64_t> values(4);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 8);  // the bit of padding included
    const Table table(parameters(), [&](std::int64_t n) { return values[static_cast<std::size_t>(n)]; });
    EXPECT_EQ(secret().decrypt(evaluator().lookup(secret().encrypt(std::vector<std::int64_t>{0, 1, 2, 3}), table)),
              values);
  }
}

TEST_F(TfheApi, SumsAreExactAndEachElementMayHaveItsTable) {
  const Ciphertexts a = secret().encrypt(std::vector<std::int64_t>{1, 2, 0});
  const std::vector<std::int64_t> weights{1, 1, 0, -1, 1, 3}, offsets{0, 2};
  const Ciphertexts sums = evaluator().sums(a, weights, offsets);
  EXPECT_THAT(secret().decrypt(sums), ElementsAre(3, 3));
  const std::vector<Table> tables{Table(parameters(), [](std::int64_t n) { return n; }),
                                  Table(parameters(), [](std::int64_t n) { return 3 - n; })};
  const Ciphertexts looked_up = evaluator().lookup(sums, tables);
  EXPECT_THAT(secret().decrypt(looked_up), ElementsAre(3, 0));
  EXPECT_THAT(secret().decrypt(evaluator().add(looked_up, a.select(std::vector<std::size_t>{0, 2}))),
              ElementsAre(4, 0));
  EXPECT_THAT(secret().decrypt(evaluator().sub(looked_up, a.select(std::vector<std::size_t>{0, 2}))),
              ElementsAre(2, 0));
  EXPECT_THAT(secret().decrypt(Ciphertexts::join(looked_up, a)), ElementsAre(3, 0, 1, 2, 0));
}

TEST_F(TfheApi, FunctionsMayShareALookup) {
  const Parameters two = Parameters::choose({.bits = 2, .norm2 = 2, .tables = 2, .log2_failure = -40});
  const SecretKey key(two);
  const Evaluator server(key.evaluation_keys());
  const std::vector<Table::Function> functions{[](std::int64_t n) { return n % 2; },
                                               [](std::int64_t n) { return n / 2; }};
  const Ciphertexts bits = server.lookup(key.encrypt(std::vector<std::int64_t>{0, 1, 2, 3}), Table(two, functions));
  EXPECT_THAT(key.decrypt(bits), ElementsAre(0, 0, 1, 0, 0, 1, 1, 1));
  expect_refusal<InputError>([&] { Table(parameters(), functions); }, "2");
  expect_refusal<KeyMismatch>(
      [&] { server.lookup(secret().encrypt(std::vector<std::int64_t>{1}), Table(two, functions)); },
      "another secret key");
  expect_refusal<KeyMismatch>(
      [&] { server.lookup(key.encrypt(std::vector<std::int64_t>{1}), Table(parameters(), functions[0])); }, "");
}

TEST_F(TfheApi, NoiseIsAccountedForAndRefusedWhereItIsTooMuch) {
  const Table same(parameters(), [](std::int64_t n) { return n; });
  const Ciphertexts four = evaluator().lookup(secret().encrypt(std::vector<std::int64_t>(9, 0)), same);
  const std::vector<std::int64_t> none{0}, ones(9, 1);
  // Nine independent results: a 2-norm of 3, which the set holds for.
  EXPECT_NO_THROW(evaluator().lookup(evaluator().sums(four, ones, none), same));
  // The same one nine times: a norm of 9.
  const Ciphertexts one = four.select(std::vector<std::size_t>(9, 0));
  expect_refusal<InputError>([&] { evaluator().lookup(evaluator().sums(one, ones, none), same); }, "2-norm 9");
  expect_refusal<InputError>(
      [&] { evaluator().lookup(evaluator().sums(four, std::vector<std::int64_t>(9, 2), none), same); }, "2-norm 6");
  // A sum of what was added before counts all of it.
  const Ciphertexts twice = evaluator().add(four, four);
  expect_refusal<InputError>([&] { evaluator().lookup(evaluator().add(twice, twice), same); }, "2-norm 4");
  // Decryption has no key switch and no modulus switch before it, and holds for more.
  EXPECT_THAT(secret().decrypt(evaluator().sums(four, std::vector<std::int64_t>(9, 2), none)), ElementsAre(0));
  expect_refusal<InputError>(
      [&] { secret().decrypt(evaluator().sums(four, std::vector<std::int64_t>(9, 1 << 30), none)); }, "decrypt");
}

TEST_F(TfheApi, FilesKeepTheirKeyAndAreCheckedBeforeUse) {
  secret().save(folder / "secret");
  expect_refusal<InputError>([&] { secret().save(folder / "secret"); }, "exists");
  const SecretKey loaded = SecretKey::load(parameters(), folder / "secret");
  const Ciphertexts fresh = secret().encrypt(std::vector<std::int64_t>{3, 1});
  fresh.save(folder / "x");
  EXPECT_LT(std::filesystem::file_size(folder / "x"), 2000u);
  const Ciphertexts read = Ciphertexts::load(parameters(), folder / "x");
  const Table successor(parameters(), [](std::int64_t n) { return (n + 1) % 4; });
  const Ciphertexts next = evaluator().lookup(read, successor);
  next.save(folder / "y");
  const Ciphertexts computed = Ciphertexts::load(parameters(), folder / "y");
  EXPECT_THAT(loaded.decrypt(computed), ElementsAre(0, 2));
  // Nobody knows what was computed, so that it is looked up and not added to.
  EXPECT_THAT(loaded.decrypt(evaluator().lookup(computed, successor)), ElementsAre(1, 3));
  expect_refusal<InputError>([&] { evaluator().lookup(evaluator().add(computed, computed), successor); }, "2-norm 6");

  expect_refusal<InputError>([&] { EvaluationKeys::load(parameters(), folder / "secret"); }, "secret key");
  expect_refusal<KeyMismatch>([&] { Ciphertexts::load(Parameters::named("T1"), folder / "x"); }, "");
  std::filesystem::resize_file(folder / "y", std::filesystem::file_size(folder / "y") - 9);
  expect_refusal<InputError>([&] { Ciphertexts::load(parameters(), folder / "y"); }, "");
  std::ofstream(folder / "z") << "not a ciphertext";
  expect_refusal<InputError>([&] { Ciphertexts::load(parameters(), folder / "z"); }, "");
}

TEST_F(TfheApi, WrongArgumentsAreNamed) {
  const std::vector<std::int64_t> wrong{1, 4};
  expect_refusal<InputError>([&] { secret().encrypt(wrong); }, "integer 1 is outside 0 to 3");
  const Ciphertexts a = secret().encrypt(std::vector<std::int64_t>{1, 2});
  const std::vector<std::int64_t> one{1}, large{std::int64_t{1} << 31, 0};
  expect_refusal<InputError>([&] { evaluator().sums(a, one, one); }, "1 weights");
  expect_refusal<InputError>([&] { evaluator().sums(a, large, one); }, "2^31");
  expect_refusal<InputError>([&] { evaluator().add(a, a.select(std::vector<std::size_t>{0})); }, "2 integers and 1");
  expect_refusal<InputError>([&] { a.select(std::vector<std::size_t>{2}); }, "no ciphertext 2");
  expect_refusal<InputError>([&] { evaluator().lookup(a, std::span<const Table>()); }, "0 tables for 2");
  const SecretKey other(parameters());
  expect_refusal<KeyMismatch>([&] { other.decrypt(a); }, "another secret key");
  expect_refusal<KeyMismatch>([&] { Ciphertexts::join(a, other.encrypt(one)); }, "different secret keys");
}

// Every sum is judged by its own row of weights.
TEST_F(TfheApi, EverySumHasTheNormOfItsRow) {
  const Table same(parameters(), [](std::int64_t n) { return n; });
  const Ciphertexts results = evaluator().lookup(secret().encrypt(std::vector<std::int64_t>(9, 0)), same);
  std::vector<std::int64_t> weights(9, 1);
  weights.insert(weights.end(), 9, 2);
  const Ciphertexts sums = evaluator().sums(results, weights, std::vector<std::int64_t>{0, 0});
  EXPECT_THAT(secret().decrypt(evaluator().lookup(sums.select(std::vector<std::size_t>{0}), same)), ElementsAre(0));
  expect_refusal<InputError>([&] { evaluator().lookup(sums.select(std::vector<std::size_t>{1}), same); }, "2-norm 6");
  expect_refusal<InputError>([&] { evaluator().lookup(sums, same); }, "2-norm 6");
  // Two sums of the same integers share their noise: it adds up as it is.
  const std::vector<std::int64_t> twice{1, 1, 1, 1};
  const Ciphertexts two = results.select(std::vector<std::size_t>{0, 1});
  const Ciphertexts shared = evaluator().sums(two, twice, std::vector<std::int64_t>{0, 0});
  expect_refusal<InputError>(
      [&] {
        evaluator().lookup(evaluator().sums(shared, std::vector<std::int64_t>{2, 2}, std::vector<std::int64_t>{0}),
                           same);
      },
      "2-norm 5.66");
}

// What was added or joined may share noise: sums of it add up as they are.
TEST_F(TfheApi, SumsOfWhatMayShareNoiseCountAllOfIt) {
  const Table same(parameters(), [](std::int64_t n) { return n; });
  const Ciphertexts two = evaluator().lookup(secret().encrypt(std::vector<std::int64_t>{0, 0}), same);
  const Ciphertexts swapped = two.select(std::vector<std::size_t>{1, 0});
  const std::vector<std::int64_t> ones{1, 1}, twos{2, 2}, none{0};
  const auto refused = [&](const Ciphertexts& sum, const char* norm) {
    expect_refusal<InputError>([&] { evaluator().lookup(sum, same); }, norm);
  };
  refused(evaluator().sums(evaluator().add(two, swapped), ones, none), "2-norm 4 ");
  refused(evaluator().sums(evaluator().sub(two, swapped), ones, none), "2-norm 4 ");
  const std::vector<std::size_t> first{0};
  refused(evaluator().sums(Ciphertexts::join(two.select(first), two.select(first)), twos, none), "2-norm 4 ");
  refused(evaluator().sums(two.select(std::vector<std::size_t>{0, 0}), twos, none), "2-norm 4 ");
  // Of independent ones the squares add up: 2.83.
  EXPECT_THAT(secret().decrypt(evaluator().lookup(evaluator().sums(two, twos, none), same)), ElementsAre(0));
  EXPECT_THAT(secret().decrypt(evaluator().lookup(evaluator().sums(swapped, twos, none), same)), ElementsAre(0));
}

TEST_F(TfheApi, ParametersAreChosenForOneToEightBitsAndAPowerOfTwoOfTables) {
  EXPECT_EQ(Parameters::choose({.bits = 1, .norm2 = 1, .log2_failure = -40}).bits(), 1);
  for (const int bits : {0, 9})
    expect_refusal<InputError>([&] { Parameters::choose({.bits = bits}); },
                               std::string("choose: ") + std::to_string(bits) + " bits are not 1 to 8");
  // Eight bits may be asked for: no set holds for this norm.
  EXPECT_THAT(base::refusal<InputError>([] { Parameters::choose({.bits = 8, .norm2 = 1e5}); }),
              ::testing::Not(::testing::HasSubstr("are not 1 to 8")));
  for (const int tables : {0, -2, 3, 6})
    expect_refusal<InputError>([&] { Parameters::choose({.tables = tables}); },
                               std::string("choose: ") + std::to_string(tables) + " tables are no power of two");
}

TEST_F(TfheApi, WeightsAndOffsetsLieBelow2To31) {
  const Ciphertexts a = secret().encrypt(std::vector<std::int64_t>{1, 2});
  constexpr std::int64_t kBound = std::int64_t{1} << 31;
  using Numbers = std::vector<std::int64_t>;
  for (const std::int64_t number : {kBound - 1, 1 - kBound}) {
    EXPECT_NO_THROW(evaluator().sums(a, Numbers{number, 0}, Numbers{0})) << number;
    EXPECT_NO_THROW(evaluator().sums(a, Numbers{1, 0}, Numbers{number})) << number;
  }
  for (const std::int64_t number : {kBound, -kBound}) {
    const std::string words = std::to_string(number) + " is 2^31 or more in magnitude";
    expect_refusal<InputError>([&] { evaluator().sums(a, Numbers{0, number}, Numbers{0}); }, "weight " + words);
    expect_refusal<InputError>([&] { evaluator().sums(a, Numbers{1, 0}, Numbers{number}); }, "offset " + words);
  }
}

}  // namespace
}  // namespace tacit::tfhe
