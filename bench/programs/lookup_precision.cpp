// Counts wrong results of lookups in slots on a small ring. Keys are fresh, and tables of whole numbers random. It also
// compares the variance of their errors with the formula (params::lookup_noise). The slots are random, all on the first
// entry, or all on the last one.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "params/lookup_noise.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/lookup.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

struct Options {
  std::string set = "S11";
  std::vector<int> entries = {2, 4, 16, 64, 256};
  std::string form = "cheaper";
  int log_n = 11, keys = 4, threads = 1;
  std::int64_t lookups = 1000000;
};

/// The errors of many lookups, in units of the deviation of their entry.
struct Tally {
  std::int64_t lookups = 0, wrong = 0;
  double squares = 0, worst = 0;
};

params::BootstrapForm form_of(const Options& options, int entries) {
  if (options.form == "cheaper") return params::cheaper_form(entries);
  return options.form == "half" ? params::BootstrapForm::half : params::BootstrapForm::whole;
}

class Measurement {
 public:
  Measurement(const Options& options, int entries)
      : options_(options),
        literal_(params::insecure_on_small_ring(options.set, options.log_n)),
        schedule_(params::plan_lookup(literal_, {.form = form_of(options, entries), .entries = entries})),
        entries_(entries) {}

  Tally run() {
    for (int key = 1; key <= options_.keys; ++key) {
      const testing::Party party(literal_, params::key_manifest(schedule_));
      const Bootstrapper bootstrapper(party.context, schedule_.bootstrap);
      for (int round = 0; tally_.lookups < options_.lookups * key / options_.keys; ++round)
        look_up_all(party, bootstrapper, round);
    }
    return tally_;
  }

 private:
  int message(int round) {
    constexpr int kRoundsOfKinds = 8;
    switch (round % kRoundsOfKinds) {
      case 0: return 0;
      case 1: return entries_ - 1;
      default: return static_cast<int>(engine_() % static_cast<unsigned>(entries_));
    }
  }

  void look_up_all(const testing::Party& party, const Bootstrapper& bootstrapper, int round) {
    // All whole numbers below the entries, over their number, so that results of two entries differ by 1 / entries.
    std::vector<double> table(static_cast<std::size_t>(entries_));
    for (std::size_t m = 0; m < table.size(); ++m) table[m] = static_cast<double>(m) / entries_;
    std::shuffle(table.begin(), table.end(), engine_);
    std::vector<std::size_t> messages;
    std::vector<double> slots;
    for (std::size_t i = 0; i < party.slots(); ++i) {
      const int m = message(round);
      messages.push_back(static_cast<std::size_t>(m));
      slots.push_back(params::entry_argument(m, entries_));
    }
    const Ciphertext x = party.encrypt(slots, schedule_.input_level(), party.scale());
    const std::vector<std::vector<double>> tables{table};
    const std::vector<double> found = party.decrypt(look_up(bootstrapper, party.evaluator, x, tables, schedule_)[0]);
    const params::LookupNoise noise =
        params::lookup_noise(party.context->parameters(), schedule_, table, party.scale());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double error = found[i] - table[messages[i]], scaled = error / noise.by_entry[messages[i]];
      tally_.squares += scaled * scaled;
      tally_.worst = std::max(tally_.worst, std::abs(scaled));
      tally_.wrong += std::abs(error) * entries_ < 0.5 ? 0 : 1;
    }
    tally_.lookups += static_cast<std::int64_t>(found.size());
  }

  const Options& options_;
  params::CkksLiteral literal_;
  params::LookupSchedule schedule_;
  int entries_;
  std::mt19937_64 engine_{1};  // messages and tables
  Tally tally_;
};

void run(const Options& options) {
  base::set_thread_limit(options.threads);
  for (const int entries : options.entries) {
    const Tally tally = Measurement(options, entries).run();
    fmt::print("{}, N = 2^{}, {} entries, {} form: {} of {} wrong; deviation {:.3f} times the formula, worst {:.1f}\n",
               options.set, options.log_n, entries,
               form_of(options, entries) == params::BootstrapForm::half ? "half" : "whole", tally.wrong, tally.lookups,
               std::sqrt(tally.squares / static_cast<double>(tally.lookups)), tally.worst);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks

int main(int argc, char** argv) {
  tacit::scheme::ckks::Options options;
  CLI::App app("Wrong results and noise of lookups in slots, on a small ring");
  app.add_option("--set", options.set, "Parameter set that can bootstrap")->capture_default_str();
  app.add_option("--log-n", options.log_n, "log2 of the ring's degree")->capture_default_str();
  app.add_option("--entries", options.entries, "Entries of the tables, one measurement each")->capture_default_str();
  app.add_option("--form", options.form, "Form of the lookups")
      ->check(CLI::IsMember({"cheaper", "half", "whole"}))
      ->capture_default_str();
  app.add_option("--lookups", options.lookups, "Lookups of a measurement, or a few more")->capture_default_str();
  app.add_option("--keys", options.keys, "Fresh keys, one after the other")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    tacit::scheme::ckks::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
