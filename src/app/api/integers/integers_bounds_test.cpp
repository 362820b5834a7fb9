#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>
#include <tacit/tfhe.h>
#include <tacit/validation.h>

#include <cmath>
#include <regex>

#include "app/api/integers/trees_for_test.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using base::refusal;
using ::testing::HasSubstr;
using testing::sine_row;
using testing::tree_options;
using testing::trees;

/// MiB that a refusal says are needed.
double needed(const std::string& sentence) {
  std::smatch found;
  if (!std::regex_search(sentence, found, std::regex(" need ([0-9]+) MiB, and the memory budget is 1 B"))) {
    ADD_FAILURE() << sentence;
    return 0;
  }
  return std::stod(found[1]);
}

// The first one needs the tables as well; what is told is rounded to whole MiB.
TEST(IntegersBounds, EveryClientNeedsItsKeysAndItsValues) {
  const CompiledModel model = trees();
  const auto refused = [&](int clients) { return refusal([&] { PreparedModel(model.server, 1, clients); }); };
  const Plan plan = model.client.plan();
  const double keys = std::ldexp(plan.key_bytes, -20);
  const double one = needed(refused(1)), two = needed(refused(2)), three = needed(refused(3));
  EXPECT_GT(keys, 100);
  EXPECT_GT(one, keys);
  EXPECT_LT(one, 1.1 * keys);
  EXPECT_GE(two - one, keys) << "values take some";
  EXPECT_LT(two - one, 1.1 * keys);
  EXPECT_NEAR(three - two, two - one, 1.01);
  EXPECT_THAT(refused(2),
              ::testing::StartsWith("keys, tables and ciphertexts of model 'boosted.onnx' for 2 at once need "));
  const Client client(model.client);
  EXPECT_THAT(refusal([&] { Server(model.server, client.evaluation_keys(), 1); }), HasSubstr(" for 1 at once need "));
}

TEST(IntegersBounds, ValidationComparesExactlyAndTakesNoOptions) {
  const CompiledModel model = trees();
  const std::vector<Tensors> rows{sine_row(1000)};
  for (const ValidationOptions& options :
       {ValidationOptions{.operators = "vector"}, ValidationOptions{.epsilon = -3}, ValidationOptions{.strict = true},
        ValidationOptions{.end_to_end = true}, ValidationOptions{.fail_fast = true},
        ValidationOptions{.secret = "s", .evaluation = "e"}})
    EXPECT_THAT(refusal([&] { validate(model, rows, options); }),
                HasSubstr("on integers sums and lookups are compared exactly"));
  EXPECT_THAT(refusal([&] { dry_run(model); }), HasSubstr("belong to slots"));
  const Validation found = validate(model, rows);
  for (const ValidatedOperator& one : found.operators) EXPECT_FALSE(one.failed) << one.node;
  EXPECT_THAT(found.json, ::testing::StartsWith("{\n  \"scheme\": \"tfhe\",\n  \"inputs\": 1,\n"));
}

TEST(IntegersBounds, AFailureThatIsAllowedIsThatOfThePlan) {
  CompileOptions options = tree_options();
  options.log2_failure = -40;
  EXPECT_LE(trees(options).client.plan().log2_failure, -40);
  EXPECT_GT(trees(options).client.plan().log2_failure, -64);
}

}  // namespace

namespace tfhe {
namespace {

using Integers = std::vector<std::int64_t>;

/// What a lookup says of a sum whose noise is too much for it.
class IntegerNoiseBounds : public ::testing::Test {
 protected:
  std::string too_noisy(const Ciphertexts& sum) const {
    return base::refusal([&] { server_.lookup(sum, same_); });
  }
  const Parameters set_ = Parameters::named("T2");
  const SecretKey key_{set_};
  const Evaluator server_{key_.evaluation_keys()};
  const Table same_{set_, [](std::int64_t n) { return n; }};
  const std::string made_for_ =
      " on fresh integers; the set 'T2' is made for 3. Look values up in between, or choose parameters for this 2-norm";
};

// Weights of 3 and -4 times 2^24, and 2^20 behind them: 5 times 2^44 where the integers are independent, 14 of sums
// with themselves, which may depend on each other.
TEST_F(IntegerNoiseBounds, OfFreshIntegersAddsUpApartFromThatOfLookups) {
  const Ciphertexts fresh = key_.encrypt(Integers{1, 2});
  const Integers weights{3 << 24, -(4 << 24)}, more{1 << 20}, none{0};
  EXPECT_EQ(too_noisy(server_.sums(server_.sums(fresh, weights, none), more, none)),
            "lookup: a sum has weights of 2-norm 0 on results of lookups and 8.8e+13" + made_for_);
  EXPECT_EQ(too_noisy(server_.sums(server_.sums(server_.add(fresh, fresh), weights, none), more, none)),
            "lookup: a sum has weights of 2-norm 0 on results of lookups and 2.46e+14" + made_for_);
  // Those of lookups have none of it.
  const Ciphertexts looked_up = server_.lookup(fresh, same_);
  EXPECT_EQ(too_noisy(server_.sums(looked_up, Integers{3, -4}, none)),
            "lookup: a sum has weights of 2-norm 5 on results of lookups and 0" + made_for_);
  // A sum of both has both.
  const Ciphertexts both =
      Ciphertexts::join(looked_up.select(std::vector<std::size_t>{0}), fresh.select(std::vector<std::size_t>{1}));
  EXPECT_EQ(too_noisy(server_.sums(both, Integers{-4, 2}, none)),
            "lookup: a sum has weights of 2-norm 4 on results of lookups and 2" + made_for_);
}

TEST_F(IntegerNoiseBounds, OfAFileIsTheMostThatALookupTakes) {
  const base::TemporaryFolder folder;
  server_.lookup(key_.encrypt(Integers{1}), same_).save(folder.path() / "y");
  const Ciphertexts read = Ciphertexts::load(set_, folder.path() / "y");
  EXPECT_EQ(too_noisy(server_.sums(read, Integers{2}, Integers{0})),
            "lookup: a sum has weights of 2-norm 6 on results of lookups and 0" + made_for_);
}

TEST_F(IntegerNoiseBounds, NothingIsLookedUpWithoutIntegersAndTablesAreAlike) {
  const Ciphertexts none = key_.encrypt(Integers{1}).select({});
  EXPECT_EQ(server_.lookup(none, std::span<const Table>()).size(), 0U);
  const Parameters two = Parameters::choose({.bits = 2, .norm2 = 2, .tables = 2, .log2_failure = -40});
  const SecretKey key(two);
  const Evaluator server(key.evaluation_keys());
  const std::vector<Table::Function> functions{[](std::int64_t n) { return n % 2; },
                                               [](std::int64_t n) { return n / 2; }};
  const std::vector<Table> tables{Table(two, functions[0]), Table(two, functions)};
  EXPECT_EQ(tables[0].functions(), 1U);
  EXPECT_EQ(tables[1].functions(), 2U);
  EXPECT_EQ(base::refusal([&] {
              server.lookup(key.encrypt(Integers{1, 2}), tables);
            }),
            "lookup: one table has 1 functions, another 2");
}

}  // namespace
}  // namespace tfhe
}  // namespace tacit
