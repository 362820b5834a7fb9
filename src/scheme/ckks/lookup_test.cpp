#include "scheme/ckks/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "params/lookup_noise.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using params::BootstrapForm;
using ::testing::HasSubstr;
using testing::Party;
using ::testing::ThrowsMessage;

std::vector<double> random_entries_of(int entries, std::mt19937_64& engine, double bound = 1) {
  std::uniform_real_distribution<double> uniform(-bound, bound);
  std::vector<double> table(static_cast<std::size_t>(entries));
  for (double& entry : table) entry = uniform(engine);
  return table;
}

std::vector<std::vector<double>> only(const std::vector<double>& table) { return {table}; }

/// A party on a small ring, and random messages.
struct LookupBed {
  LookupBed(BootstrapForm form, int entries, const char* set = "S14", int log_n = 10, int output_level = -1)
      : literal(params::insecure_on_small_ring(set, log_n)),
        schedule(params::plan_lookup(literal, {.form = form, .entries = entries, .output_level = output_level})),
        party(literal, params::key_manifest(schedule)),
        bootstrapper(party.context, schedule.bootstrap) {}

  std::vector<int> messages(std::uint64_t seed) const {
    std::mt19937_64 engine(seed);
    std::uniform_int_distribution<int> uniform(0, schedule.entries - 1);
    std::vector<int> result(party.slots());
    for (int& m : result) m = uniform(engine);
    return result;
  }
  /// Messages at the arguments of their entries, `turns` turns of the whole form away.
  Ciphertext encrypt(const std::vector<int>& messages, int turns = 0) const {
    std::vector<double> slots;
    for (const int m : messages) slots.push_back(params::entry_argument(m, schedule.entries) + 2 * turns);
    return party.encrypt(slots, schedule.input_level(), party.scale());
  }
  std::vector<Ciphertext> look_up(const Ciphertext& x, std::span<const std::vector<double>> tables) const {
    return ckks::look_up(bootstrapper, party.evaluator, x, tables, schedule);
  }
  std::vector<double> errors(const Ciphertext& result, const std::vector<int>& messages,
                             const std::vector<double>& table) const {
    std::vector<double> found = party.decrypt(result);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= table[static_cast<std::size_t>(messages[i])];
    return found;
  }

  params::CkksLiteral literal;
  params::LookupSchedule schedule;
  Party party;
  Bootstrapper bootstrapper;
};

double largest_error(const std::vector<double>& errors) {
  double most = 0;
  for (const double error : errors) most = std::max(most, std::abs(error));
  return most;
}

struct TableSize {
  BootstrapForm form;
  int entries;
};

// Random tables against themselves. Errors in units of the deviation of their entry have the deviation 1.
TEST(LookupInSlots, EverySlotReadsItsEntryWithTheNoiseOfTheFormula) {
  for (const auto& [form, entries] :
       {TableSize{BootstrapForm::half, 2}, TableSize{BootstrapForm::half, 4}, TableSize{BootstrapForm::half, 16},
        TableSize{BootstrapForm::half, 27}, TableSize{BootstrapForm::whole, 2}, TableSize{BootstrapForm::whole, 16},
        TableSize{BootstrapForm::whole, 100}, TableSize{BootstrapForm::whole, 256}}) {
    SCOPED_TRACE(::testing::Message() << (form == BootstrapForm::half ? "half " : "whole ") << entries);
    const LookupBed bed(form, entries);
    std::mt19937_64 engine(static_cast<std::uint64_t>(entries));
    double squares = 0, all = 0;
    for (std::uint64_t round = 0; round < 2; ++round) {
      const std::vector<double> table = random_entries_of(entries, engine);
      const std::vector<int> messages = bed.messages(round);
      const Ciphertext found = bed.look_up(bed.encrypt(messages), only(table))[0];
      EXPECT_EQ(found.level, bed.schedule.output_level());
      EXPECT_EQ(found.scale, bed.party.scale());
      const params::LookupNoise noise =
          params::lookup_noise(bed.party.context->parameters(), bed.schedule, table, bed.party.scale());
      const std::vector<double> errors = bed.errors(found, messages, table);
      EXPECT_LT(largest_error(errors), 9 * noise.largest);
      for (std::size_t i = 0; i < errors.size(); ++i)
        squares += std::pow(errors[i] / noise.by_entry[static_cast<std::size_t>(messages[i])], 2);
      all += static_cast<double>(errors.size());
    }
    EXPECT_NEAR(std::sqrt(squares / all), 1, 0.2);  // 0.035 from one secret key to another
  }
}

TEST(LookupInSlots, SetsOfFewerBitsAndLowerLevelsDoAsWell) {
  for (const char* set : {"S8", "N15-S5"}) {
    const LookupBed bed(BootstrapForm::half, 4, set, 10, 1);
    EXPECT_EQ(bed.schedule.output_level(), 1);
    const std::vector<double> table{3, -1, 2, 0.5};
    const std::vector<int> messages = bed.messages(5);
    EXPECT_LT(largest_error(bed.errors(bed.look_up(bed.encrypt(messages), only(table))[0], messages, table)), 0x1p-10)
        << set;
  }
}

// Several tables share the bootstrap, and two ciphertexts pass as one. Every result is the one that it is alone.
TEST(LookupInSlots, TablesAndPairsShareTheBootstrap) {
  for (const BootstrapForm form : {BootstrapForm::half, BootstrapForm::whole}) {
    const LookupBed bed(form, 8, "S8");
    std::mt19937_64 engine(9);
    const std::vector tables{random_entries_of(8, engine), random_entries_of(8, engine), std::vector<double>(8, 0.75)};
    const std::vector<int> x = bed.messages(1), y = bed.messages(2);
    const auto [first, second] =
        look_up_pair(bed.bootstrapper, bed.party.evaluator, bed.encrypt(x), bed.encrypt(y), tables, bed.schedule);
    ASSERT_EQ(first.size(), 3u);
    ASSERT_EQ(second.size(), 3u);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      EXPECT_LT(largest_error(bed.errors(first[t], x, tables[t])), 0x1p-14);
      EXPECT_LT(largest_error(bed.errors(second[t], y, tables[t])), 0x1p-14);
      for (const auto& slot : bed.party.decrypt_complex(first[t])) EXPECT_LT(std::abs(slot.imag()), 0x1p-14);
    }
  }
}

// The modulus takes whole turns away: sums count modulo the entries of the table.
TEST(LookupInSlots, TheWholeFormCountsModuloItsEntries) {
  const LookupBed bed(BootstrapForm::whole, 16, "S8");
  std::mt19937_64 engine(3);
  const std::vector<double> table = random_entries_of(16, engine);
  const std::vector<int> messages = bed.messages(4);
  for (const int turns : {-30, -1, 1, 100})
    EXPECT_LT(largest_error(bed.errors(bed.look_up(bed.encrypt(messages, turns), only(table))[0], messages, table)),
              0x1p-12)
        << turns;
}

// Between the entries a result is the blend that the clear reading states, within the bounds of the table.
TEST(LookupInSlots, ArgumentsBetweenEntriesGiveTheStatedBlend) {
  for (const BootstrapForm form : {BootstrapForm::half, BootstrapForm::whole}) {
    const LookupBed bed(form, 8, "S8");
    std::mt19937_64 engine(11);
    const std::vector<double> table = random_entries_of(8, engine), z = bed.party.random(12);
    const auto series = params::table_series(form, table);
    const std::vector<double> found = bed.party.decrypt(
        bed.look_up(bed.party.encrypt(z, bed.schedule.input_level(), bed.party.scale()), only(table))[0]);
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(found[i], params::look_up(form, series, z[i]), 0x1p-12);
  }
}

TEST(LookupInSlots, TablesOfAnotherSizeAreRefused) {
  const LookupBed bed(BootstrapForm::half, 4, "S8");
  EXPECT_THAT([&] { bed.look_up(bed.encrypt(bed.messages(1)), only(std::vector<double>(5))); },
              ThrowsMessage<base::InputError>(HasSubstr("a table has 5 entries and its schedule is for 4")));
}

}  // namespace
}  // namespace tacit::scheme::ckks
