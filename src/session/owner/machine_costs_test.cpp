#include "session/owner/machine_costs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "base/temporary_folder_for_test.h"
#include "session/cost_file.h"
#include "session/owner/machine.h"

namespace tacit::session {
namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

params::CostTable of(const std::string& machine) {
  params::CostTable costs;
  costs.machine = machine;
  costs.ntt_ns = 0.375;
  return costs;
}

class KeptCosts : public ::testing::Test {
 protected:
  /// What is kept for this machine; a measurement gives the price of "fresh" ones.
  params::CostTable kept(const std::string& machine) {
    return kept_costs(folder_.path() / "new" / "tacit", machine, [this] {
      ++measurements_;
      return of("fresh");
    });
  }
  /// The one file there is.
  std::filesystem::path file() const {
    const std::vector<std::filesystem::path> files = files_in(folder_.path() / "new" / "tacit");
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }
  base::TemporaryFolder folder_;
  int measurements_ = 0;
};

TEST_F(KeptCosts, AreMeasuredOnceAndReadAgain) {
  EXPECT_EQ(kept("a machine"), of("fresh"));
  EXPECT_EQ(kept("a machine"), of("fresh"));
  EXPECT_EQ(measurements_, 1);
  write_costs(file(), of("kept"));
  EXPECT_EQ(kept("a machine"), of("kept"));
  EXPECT_EQ(measurements_, 1);
}

TEST_F(KeptCosts, AnotherMachineMeasuresItsOwn) {
  kept("a machine");
  write_costs(file(), of("kept"));
  EXPECT_EQ(kept("another machine"), of("fresh"));
  EXPECT_EQ(kept("a machine"), of("kept"));
  EXPECT_EQ(measurements_, 2);
  EXPECT_EQ(files_in(folder_.path() / "new" / "tacit").size(), 2u);
}

TEST_F(KeptCosts, DamagedFilesAreReplaced) {
  kept("a machine");
  for (const std::string& damage :
       {std::string(), std::string("{\"machine\": "), std::string("{\"ntt_ns\": -1}"), std::string(1 << 17, ' ')}) {
    measurements_ = 0;
    base::write_file(file(), damage);
    EXPECT_EQ(kept("a machine"), of("fresh"));
    EXPECT_EQ(kept("a machine"), of("fresh"));
    EXPECT_EQ(measurements_, 1) << damage.size();
  }
}

TEST_F(KeptCosts, AFolderThatCannotBeWrittenIsNoError) {
  const std::filesystem::path no_folder = folder_.path() / "file";
  base::write_file(no_folder, std::string("x"));
  const auto measure = [] { return of("fresh"); };
  EXPECT_EQ(kept_costs(no_folder, "a machine", measure), of("fresh"));
  EXPECT_EQ(kept_costs(no_folder / "below", "a machine", measure), of("fresh"));
  EXPECT_EQ(kept_costs({}, "a machine", measure), of("fresh"));
  EXPECT_EQ(files_in(folder_.path()).size(), 1u);
}

TEST_F(KeptCosts, WhatStandsInTheWayOfTheFileStays) {
  kept("a machine");
  const std::filesystem::path taken = file();
  std::filesystem::remove(taken);
  std::filesystem::create_directories(taken / "of somebody");
  EXPECT_EQ(kept("a machine"), of("fresh"));
  EXPECT_TRUE(std::filesystem::exists(taken / "of somebody"));
  EXPECT_EQ(file(), taken);
}

TEST(CostsBy, KernelsOfTheDefaultMachineHaveTheDefaultPrices) {
  for (const double cache : {0.0, 32.0}) {
    const params::CostTable costs = costs_by(default_speeds(), 1, cache), standard;
    for (const params::CostField& field : params::cost_fields())
      EXPECT_DOUBLE_EQ(costs.*field.value, standard.*field.value) << field.name;
  }
}

TEST(CostsBy, EachPriceFollowsItsKernel) {
  const params::CostTable standard;
  const auto changed = [&](double KernelSpeeds::*speed) {
    KernelSpeeds speeds = default_speeds();
    speeds.*speed *= 2;
    const params::CostTable costs = costs_by(speeds, 1, 32);
    std::string names;
    for (const params::CostField& field : params::cost_fields())
      if (costs.*field.value != standard.*field.value) {
        EXPECT_DOUBLE_EQ(costs.*field.value, 2 * standard.*field.value);
        names += field.name;
      }
    return names;
  };
  EXPECT_EQ(changed(&KernelSpeeds::transform), "ntt_ns");
  EXPECT_EQ(changed(&KernelSpeeds::conversion), "mac_ns");
  EXPECT_EQ(changed(&KernelSpeeds::key), "key_ns");
  EXPECT_EQ(changed(&KernelSpeeds::product), "product_ns");
  EXPECT_EQ(changed(&KernelSpeeds::read), "far_ns");
  EXPECT_EQ(changed(&KernelSpeeds::embedding), "embed_ns");
  EXPECT_EQ(changed(&KernelSpeeds::touch), "touch_ns");
  EXPECT_EQ(costs_by(default_speeds(), 2, 32).threads, 2);
  EXPECT_DOUBLE_EQ(costs_by(default_speeds(), 2, 32).ntt_ns, 1.1 * standard.ntt_ns);
  EXPECT_DOUBLE_EQ(costs_by(default_speeds(), 1, 480).cache_mib, 390);
}

TEST(CostsBy, PricesOfMeasuredKernelsAreATable) {
  params::CostTable costs = costs_by(measure_kernels(2), 2, largest_cache_mib());
  costs.machine = machine_name();
  for (const params::CostField& field : params::cost_fields()) {
    EXPECT_GT(costs.*field.value, 0) << field.name;
    EXPECT_TRUE(std::isfinite(costs.*field.value)) << field.name;
  }
  EXPECT_EQ(params::cost_table_from_json(params::to_json(costs)), costs);
}

TEST(Machine, SaysWhichKernelsItRuns) {
  const std::string kernels(base::isa_name(base::active_isa()));
  EXPECT_NE(machine_kind().find(kernels), std::string::npos);
  EXPECT_NE(machine_name().find(kernels), std::string::npos);
}

TEST_F(KeptCosts, AreNamedByADigestOfTheMachine) {
  kept("a machine");
  const std::string name = file().filename().string();
  ASSERT_EQ(name.size(), std::string("costs-").size() + 16 + std::string(".json").size());
  EXPECT_EQ(name, fmt::format("costs-{}.json",
                              base::hexadecimal(base::sha256(std::as_bytes(std::span("a machine", 9)))).substr(0, 16)));
}

TEST(CostsBy, ThreadsWaitForEachOther) {
  const params::CostTable one = costs_by(default_speeds(), 1, 0), five = costs_by(default_speeds(), 5, 0);
  EXPECT_EQ(one.threads, 1);
  EXPECT_EQ(five.threads, 5);
  EXPECT_EQ(five.cache_mib, one.cache_mib);
  for (const auto price : {&params::CostTable::ntt_ns, &params::CostTable::mac_ns, &params::CostTable::key_ns,
                           &params::CostTable::product_ns, &params::CostTable::far_ns, &params::CostTable::embed_ns,
                           &params::CostTable::touch_ns})
    EXPECT_DOUBLE_EQ(five.*price, 1.4 * one.*price);
}

TEST(Kernels, AreTimedOnTheSameWordsInEveryRun) {
  const ring::Modulus q(2147483647);
  const auto words = operands(64, q), again = operands(64, q);
  ASSERT_EQ(words.size(), 64u);
  EXPECT_TRUE(std::equal(words.begin(), words.end(), again.begin()));
  for (const std::uint64_t word : words) EXPECT_LT(word, q.value());
  EXPECT_NE(words[0], words[1]);
}

TEST(CostsBy, ASmallCacheIsOneToo) {
  const params::CostTable standard;
  EXPECT_DOUBLE_EQ(costs_by(default_speeds(), 1, 0.5).cache_mib, standard.cache_mib / 64);
  EXPECT_EQ(costs_by(default_speeds(), 1, 0).cache_mib, standard.cache_mib);
}

TEST(Kernels, HaveNoSpeedBeforeTheyAreTimed) {
  const KernelSpeeds none;
  for (const auto price : {&KernelSpeeds::transform, &KernelSpeeds::conversion, &KernelSpeeds::key,
                           &KernelSpeeds::product, &KernelSpeeds::read, &KernelSpeeds::embedding, &KernelSpeeds::touch})
    EXPECT_EQ(none.*price, 0);
}

/// No processor does anything to a word in less than a picosecond, or takes a microsecond for it.
TEST(Kernels, AreTimedInNanosecondsAWord) {
  const KernelSpeeds speeds = measure_kernels(1);
  for (const auto price :
       {&KernelSpeeds::transform, &KernelSpeeds::conversion, &KernelSpeeds::key, &KernelSpeeds::product,
        &KernelSpeeds::read, &KernelSpeeds::embedding, &KernelSpeeds::touch}) {
    EXPECT_GT(speeds.*price, 1e-3);
    EXPECT_LT(speeds.*price, 1e3);
  }
  EXPECT_GT(speeds.touch, 0.05) << "160 GB in a second";
}

TEST(MachineCosts, AreForTheThreadsThatWorkAtOnceAndKept) {
  const base::TemporaryFolder folder;
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string restored = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const params::CostTable measured = machine_costs(), kept = machine_costs();
  if (before == nullptr)
    unsetenv("XDG_CACHE_HOME");
  else
    setenv("XDG_CACHE_HOME", restored.c_str(), 1);
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_EQ(measured.threads, std::max(1, std::min(base::thread_limit(), processors)));
  EXPECT_TRUE(measured.machine.starts_with("this machine (")) << measured.machine;
  EXPECT_EQ(measured, kept);
  EXPECT_EQ(files_in(folder.path() / "tacit").size(), 1u);
}

}  // namespace
}  // namespace tacit::session
