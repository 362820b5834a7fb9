#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "bench/slots/packing_report.h"
#include "session/owner/measurement.h"
#include "session/owner/packing_plan.h"

namespace tacit::bench {
namespace {

using Json = nlohmann::ordered_json;
using layout::Index;
using tensor::PackedComputation;
using tensor::PackingOptions;

/// The ways to execute a packing.
enum class Way {
  published,   ///< every operation of the literature, at the full depth
  full_depth,  ///< our operators on inputs at the full depth: results keep the levels that are left
  needed       ///< our operators at the lowest level that the computation needs
};
constexpr Way kWays[] = {Way::published, Way::full_depth, Way::needed};

const char* name_of(Way way) {
  constexpr const char* kNames[]{"published", "full depth", "ours"};
  return kNames[static_cast<std::size_t>(way)];
}

/// One run of the bench: a computation, a packing, and a way.
struct Run {
  std::string section, experiment;
  PackedComputation computation;
  PackedComputation::Extents extents;
  Way way = Way::published;
  int alpha = 0;
};

constexpr int kMostHoist = 3;
/// The number of passes over which prices and timings are spread.
constexpr int kRounds = 3;

class Experiments {
 public:
  explicit Experiments(const PackingBenchOptions& options)
      : options_(options),
        bench_(options.requirement, options.costs),
        log_slots_(std::countr_zero(static_cast<unsigned>(options.requirement.slots))) {
    // The published extents of 2^10 and 2^8 rows are those of 2^14 slots.
    const int ten = log_slots_ - 4, eight = log_slots_ - 6;
    for (const Way way : kWays) {
      add("experiments", "1", tensor::regression(10000, 100), split(ten), way, ten);
      add("experiments", "1", tensor::regression(10000, 100), split(eight), way, eight);
      add("experiments", "2", tensor::inner_products(10000, 100), split(ten), way, ten);
      add("experiments", "3", tensor::matrix_chain({4, 5, 6, 7, 8}), {16, 16, (Index{1} << log_slots_) / 256}, way, 4);
      for (int alpha = 0; alpha <= log_slots_; ++alpha)
        add("sweep", "2", tensor::inner_products(Index{1} << alpha, 32), split(alpha), way, alpha);
    }
  }

  Json run(const std::function<void(const std::string&)>& progress) {
    progress("keys and prices");
    announce();
    bench_.make_keys();
    std::vector<PackingMeasurement> points;
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) progress(fmt::format("keys and prices, round {}", round + 1));
      bench_.measure_prices();
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        const Run& run = runs_[i];
        progress(fmt::format("{}, {} x ..., {}, round {}", run.computation.name, run.extents[0], name_of(run.way),
                             round + 1));
        if (round == 0)
          points.push_back(bench_.run(run.computation, run.extents, options(run), level(run), options_.repeats));
        else
          bench_.run_again(points[i], run.computation, options_.repeats);
      }
    }
    const params::CkksParameters parameters = params::CkksParameters::check(bench_.parameters().literal);
    Json result{{"requirement", options_.requirement.to_string()},
                {"parameters", Json::parse(params::to_json(parameters.literal()))},
                {"log_n", parameters.log_n()},
                {"log_qp", parameters.log_qp()},
                {"security_bits", parameters.security_bits()},
                {"base_level", bench_.parameters().base_level},
                {"key_bytes", bench_.key_bytes()},
                {"cost_table", Json::parse(params::to_json(bench_.fitted_table()))},
                {"clock_ghz", session::measured_clock_hertz() / 1e9},
                {"load_average", session::load_average()},
                {"experiments", Json::array()},
                {"sweep", Json::array()},
                {"plans", Json::array()}};
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      Json point{{"experiment", run.experiment},
                 {"computation", run.computation.name},
                 {"way", name_of(run.way)},
                 {"alpha", run.alpha}};
      point.update(packing_json(points[i]));
      result[run.section].push_back(std::move(point));
    }
    progress("plans");
    result["plans"] = plans();
    result["deviation"] = deviation(result.at("sweep"));
    return result;
  }

 private:
  PackedComputation::Extents split(int alpha) const { return {Index{1} << alpha, Index{1} << (log_slots_ - alpha)}; }
  void add(const char* section, const char* experiment, PackedComputation computation,
           PackedComputation::Extents extents, Way way, int alpha) {
    runs_.push_back({section, experiment, std::move(computation), std::move(extents), way, alpha});
  }
  int level(const Run& run) const { return run.way == Way::needed ? run.computation.depth : bench_.max_level(); }

  /// Returns the options of a way: the published one, or any fold.
  static std::vector<PackingOptions> choices(Way way) {
    if (way == Way::published) return {PackingOptions::published()};
    std::vector<PackingOptions> folds;
    for (int hoist = 1; hoist <= kMostHoist; ++hoist) folds.push_back({{false, hoist}, true, tensor::Change::clear});
    return folds;
  }

  /// Returns the cheapest options.
  PackingOptions options(const Run& run) const {
    const auto cost = bench_.cost_reading();
    return std::ranges::min(choices(run.way), {}, [&](const PackingOptions& choice) {
      return tensor::price_packing(cost, run.computation, run.extents, choice, level(run)).latency;
    });
  }

  void announce() {
    for (const Run& run : runs_)
      for (const PackingOptions& choice : choices(run.way))
        bench_.announce(run.computation, run.extents, choice, level(run));
  }

  Json plan(const PackedComputation& computation, const program::SearchRequest& request) {
    const program::SearchResult found = tensor::plan_packing(bench_.cost_reading(), computation, request);
    Json json = session::plan_packing_json(computation, request, found);
    if (found.best.empty()) return json;
    const program::Candidate& best = found.best.front().candidate;
    bench_.announce(computation, tensor::extents_of(best), tensor::options_of(best), computation.depth);
    bench_.make_keys();
    json["measured"] = packing_json(bench_.run(computation, tensor::extents_of(best), tensor::options_of(best),
                                               computation.depth, options_.repeats));
    return json;
  }

  Json plans() {
    program::SearchRequest request;
    request.objective = program::Objective::throughput;
    request.latency = options_.latency_bound;
    return Json::array({plan(tensor::regression(10000, 100), request),
                        plan(tensor::inner_products(Index{1} << log_slots_, 32), request),
                        plan(tensor::matrix_chain({4, 5, 6, 7, 8}), {})});
  }

  /// Returns the extreme relative errors of the predictions.
  static Json deviation(const Json& points) {
    double time_low = 1e9, time_high = -1e9, memory_low = 1e9, memory_high = -1e9;
    for (const Json& p : points) {
      const double time = p.at("predicted_latency").get<double>() / p.at("latency").get<double>() - 1;
      const double memory = p.at("predicted_process_bytes").get<double>() / p.at("process_bytes").get<double>() - 1;
      time_low = std::min(time_low, time);
      time_high = std::max(time_high, time);
      memory_low = std::min(memory_low, memory);
      memory_high = std::max(memory_high, memory);
    }
    return {{"time_low", time_low}, {"time_high", time_high}, {"memory_low", memory_low}, {"memory_high", memory_high}};
  }

  PackingBenchOptions options_;
  PackingBench bench_;
  int log_slots_;
  std::vector<Run> runs_;
};

}  // namespace

Json run_packing_bench(const PackingBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  if (options.requirement.slots < 2048 || options.requirement.depth < 4)
    base::refuse("bench packing: '{}' is too small for the experiments; they need 2048 slots and a depth of 4",
                 options.requirement.to_string());
  if (options.repeats < 1) throw base::InputError("bench packing: at least one timing of each packing is needed");
  return Experiments(options).run(progress);
}

}  // namespace tacit::bench
