#include "session/owner/machine_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <span>
#include <system_error>
#include <thread>

#include "base/build_info.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "session/cost_file.h"
#include "session/owner/machine.h"

namespace tacit::session {
namespace {

/// MiB of the largest cache of the default prices' machine, as its system names it.
constexpr double kDefaultCache = 32;
/// What each further thread adds to an operation, as a share of its time.
constexpr double kWaiting = 0.1;

/// What a program may keep for its user; empty where the environment names no place.
std::filesystem::path cache_folder() {
  const auto named = [](const char* variable) {
    const char* const value = std::getenv(variable);
    const std::filesystem::path path(value ? value : "");
    return path.is_absolute() ? path : std::filesystem::path();
  };
  if (const auto caches = named("XDG_CACHE_HOME"); !caches.empty()) return caches / "tacit";
  if (const auto home = named("HOME"); !home.empty()) return home / ".cache" / "tacit";
  return {};
}

/// Another process sees the whole file or none.
void keep(const params::CostTable& costs, const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  // A name that nobody else writes.
  const std::filesystem::path written =
      fmt::format("{}.{}", file.string(), base::hexadecimal(base::public_seed()).substr(0, 16));
  try {
    write_costs(written, costs);
    std::filesystem::rename(written, file, error);
    if (!error) return;
  } catch (const base::InputError&) {  // they are measured again next time
  }
  std::filesystem::remove(written, error);
}

/// Threads that can work at once. More of them would be timed one after the other.
int working_threads() {
  return std::clamp(base::thread_limit(), 1, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

params::CostTable measured_costs() {
  const int threads = working_threads();
  params::CostTable costs = costs_by(measure_kernels(threads), threads, largest_cache_mib());
  // Nothing else needs blocks of this size.
  base::release_kept_memory();
  costs.machine = fmt::format("this machine ({})", machine_name());
  return costs;
}

}  // namespace

// Medians of the eleven fastest of 24 processes on one core of an AMD EPYC (Zen 5), AVX-512 IFMA, 4.1 GHz; the last two
// are the prices themselves.
KernelSpeeds default_speeds() {
  const params::CostTable standard;
  return {.transform = 0.051,
          .conversion = 0.051,
          .key = 0.241,
          .product = 0.338,
          .read = 0.211,
          .embedding = standard.embed_ns,
          .touch = standard.touch_ns};
}

params::CostTable costs_by(const KernelSpeeds& speeds, int threads, double cache_mib) {
  const KernelSpeeds standard = default_speeds();
  const double waiting = 1 + kWaiting * (threads - 1);
  params::CostTable costs;
  costs.threads = threads;
  costs.ntt_ns *= waiting * speeds.transform / standard.transform;
  costs.mac_ns *= waiting * speeds.conversion / standard.conversion;
  costs.key_ns *= waiting * speeds.key / standard.key;
  costs.product_ns *= waiting * speeds.product / standard.product;
  costs.far_ns *= waiting * speeds.read / standard.read;
  costs.embed_ns *= waiting * speeds.embedding / standard.embedding;
  costs.touch_ns *= waiting * speeds.touch / standard.touch;
  if (cache_mib > 0) costs.cache_mib *= cache_mib / kDefaultCache;
  return costs;
}

params::CostTable kept_costs(const std::filesystem::path& folder, std::string_view machine,
                             const std::function<params::CostTable()>& measure) {
  if (folder.empty()) return measure();
  const base::Digest digest = base::sha256(std::as_bytes(std::span(machine)));
  const std::filesystem::path file = folder / fmt::format("costs-{}.json", base::hexadecimal(digest).substr(0, 16));
  try {
    return read_costs(file);
  } catch (const base::InputError&) {  // there are none, or they are damaged
  }
  const params::CostTable costs = measure();
  keep(costs, file);
  return costs;
}

params::CostTable machine_costs() try {
  const KernelSpeeds standard = default_speeds();
  return kept_costs(cache_folder(),
                    fmt::format("{}\n{} threads, {} MiB\n{}\n{}\n{} {} {} {} {}", machine_kind(), working_threads(),
                                largest_cache_mib(), base::version(), params::to_json(params::CostTable{}),
                                standard.transform, standard.conversion, standard.key, standard.product, standard.read),
                    measured_costs);
} catch (const std::bad_alloc&) {  // a memory budget leaves no room to measure in
  base::release_kept_memory();
  return {};
} catch (const std::system_error&) {  // or none for threads
  base::release_kept_memory();
  return {};
}

params::CostTable shown_costs(const Compilation& compilation, const CompileOptions& options) {
  return options.costs.empty() ? machine_costs() : compilation.costs;
}

}  // namespace tacit::session
