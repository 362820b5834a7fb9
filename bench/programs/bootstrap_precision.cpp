// Measures the precision of bootstraps at full size, over fresh keys. It compares bits of the worst and of the average
// slot with the promise of the form (params::BootstrapSchedule::result). The slots are random, all equal, one-hot,
// sparse, or at the edge of the range. It also measures the message after many bootstraps in sequence, and compares the
// variance of all slots with the formulas (params::bootstrap_noise).

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "params/bootstrap_noise.h"
#include "scheme/ckks/bootstrapper.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

struct Vector {
  std::string name;
  std::vector<double> slots;
};

std::vector<Vector> vectors(const testing::Party& party, std::uint64_t seed) {
  const std::size_t n = party.slots();
  const auto filled = [&](double z) { return std::vector<double>(n, z); };
  std::vector<Vector> result{{"uniform in [-1, 1]", party.random(seed)},
                             {"all 0.5", filled(0.5)},
                             {"all 1", filled(1)},
                             {"all -1", filled(-1)},
                             {"one-hot", filled(0)},
                             {"random signs", party.random(seed + 1)},
                             {"2 % of slots", filled(0)},
                             {"uniform in [-1.4, 1.4]", party.random(seed + 2, 1.4)}};
  result[4].slots[n / 3] = 1;
  for (double& z : result[5].slots) z = z > 0 ? 1 : -1;
  const std::vector<double> random = party.random(seed + 3);
  for (std::size_t i = 0; i < n; i += 50) result[6].slots[i] = random[i];
  return result;
}

struct Bits {
  double worst, mean;
  double variance;  ///< mean square of the errors
};

template <class Expected>
Bits bits(const std::vector<double>& got, const std::vector<double>& slots, const Expected& expected) {
  double worst = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double error = std::abs(got[i] - expected(slots[i]));
    worst = std::max(worst, error);
    sum += error;
    squares += error * error;
  }
  const auto count = static_cast<double>(slots.size());
  return {-std::log2(worst), -std::log2(sum / count), squares / count};
}

struct Options {
  std::string set = "S8";
  std::vector<std::string> forms = {"folded", "linear"};
  int keys = 1, in_a_row = 0, threads = 1, output_level = -1;
};

void run(const Options& options) {
  base::set_thread_limit(options.threads);
  const params::CkksLiteral literal = params::named_literal(options.set);
  std::map<std::string, params::BootstrapSchedule> schedules;
  for (const auto& [name, form] :
       {std::pair{"folded", params::BootstrapForm::folded}, std::pair{"linear", params::BootstrapForm::linear}})
    if (std::ranges::find(options.forms, name) != options.forms.end())
      schedules[name] = params::plan_bootstrap(literal, {.form = form, .output_level = options.output_level});
  std::map<std::string, std::vector<Bits>> worst;  // by form and vector, over keys
  for (int key = 0; key < options.keys; ++key) {
    const testing::Party party(literal, params::key_manifest(schedules.begin()->second));
    for (const auto& [form, schedule] : schedules) {
      const Bootstrapper bootstrapper(party.context, schedule);
      const auto encrypt = [&](const std::vector<double>& z) {
        return party.encrypt(z, schedule.chain.input, party.scale());
      };
      for (const Vector& vector : vectors(party, 10 * static_cast<std::uint64_t>(key))) {
        const Ciphertext x = encrypt(vector.slots);
        const auto got = party.decrypt(bootstrapper.bootstrap(party.evaluator, x));
        const Bits now = bits(got, vector.slots, [&](double z) { return schedule.result(z); });
        worst[form + ", " + vector.name].push_back(now);
        fmt::print("key {}: {}, {}: worst {:.2f}, mean {:.2f} bits\n", key + 1, form, vector.name, now.worst, now.mean);
        std::fflush(stdout);
        if (form == "linear")
          worst["linear twice, " + vector.name].push_back(
              bits(party.decrypt(bootstrapper.bootstrap_twice(party.evaluator, x)), party.decrypt(x),
                   [](double value) { return value; }));
      }
      if (form != "linear" || key > 0) continue;
      const std::vector<double> z = party.random(99);
      Ciphertext x = encrypt(z);
      for (int i = 1; i <= options.in_a_row; ++i) {
        x = bootstrapper.bootstrap(party.evaluator, x);
        const Bits now = bits(party.decrypt(x), z, [](double value) { return value; });
        fmt::print("{} in a row, linear: worst {:.2f}, mean {:.2f} bits of the message\n", i, now.worst, now.mean);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n{}, {} keys\n", options.set, options.keys);
  for (const auto& [form, schedule] : schedules) {
    double variance = 0, count = 0;
    for (const auto& [name, all] : worst) {
      if (!name.starts_with(form + ", ")) continue;
      for (const Bits& now : all) variance += now.variance;
      count += static_cast<double>(all.size());
    }
    const double modelled = params::bootstrap_noise(params::CkksParameters::check(literal), schedule).total();
    fmt::print("{}: deviation {:.2f} bits, variance {:.3f} times that of the formulas\n", form,
               -std::log2(variance / count) / 2, variance / count / (modelled * modelled));
  }
  for (const auto& [name, all] : worst) {
    const auto by_worst = [](const Bits& a, const Bits& b) { return a.worst < b.worst; };
    const auto by_mean = [](const Bits& a, const Bits& b) { return a.mean < b.mean; };
    fmt::print("{}: worst slot {:.2f} to {:.2f}, mean {:.2f} to {:.2f} bits\n", name,
               std::ranges::min(all, by_worst).worst, std::ranges::max(all, by_worst).worst,
               std::ranges::min(all, by_mean).mean, std::ranges::max(all, by_mean).mean);
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks

int main(int argc, char** argv) {
  tacit::scheme::ckks::Options options;
  CLI::App app("Precision of bootstraps at full size");
  app.add_option("--set", options.set, "Parameter set that can bootstrap")->capture_default_str();
  app.add_option("--keys", options.keys, "Fresh keys, one after the other")->capture_default_str();
  app.add_option("--forms", options.forms, "Forms of the bootstrap: folded, linear")
      ->check(CLI::IsMember({"folded", "linear"}))
      ->capture_default_str();
  app.add_option("--in-a-row", options.in_a_row, "Bootstraps of one ciphertext, in linear form")->capture_default_str();
  app.add_option("--output-level", options.output_level, "Level of results; -1: the highest")->capture_default_str();
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
