#include "bench/slots/packing_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/parallel.h"
#include "base/process_memory.h"
#include "bench/kernel_prices.h"
#include "bench/price_fit.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "session/owner/machine.h"
#include "session/owner/measurement.h"
#include "session/stopwatch.h"

namespace tacit::bench {
namespace {

using layout::Index;
using program::ArrayPtr;
using program::View;
using slots::Unit;
using tensor::Dense;
using tensor::PackedComputation;
using tensor::PackingOptions;
using tensor::TileTensor;

/// The rotations that prices are measured with, and the rotations before every timing. Between two uses of a key, a
/// computation uses others.
constexpr std::int64_t kSteps[] = {1, 2, 3, 4}, kBetween[] = {5, 6, 7};
constexpr int kTimings = 5;
/// The size of the arrays for a price from memory, in sizes of the largest cache.
constexpr double kBeyondCaches = 3;
constexpr Index kMostTerms = 96;

/// Returns the numbers of one input, the same in every reading.
Dense numbers(std::size_t input, const layout::Shape& sizes) {
  std::mt19937 random(static_cast<unsigned>(input) + 1);
  Dense dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)))};
  for (double& x : dense.values) x = static_cast<double>(random() % 2001) / 1000 - 1;
  return dense;
}

/// Returns the first tile of a view, repeated `times` times.
View repeated(const View& a, Index times) {
  View view = a;
  view.extents[0] = times;
  view.strides[0] = 0;
  return view;
}

double median_seconds(const std::function<void()>& work, int repeats, const std::function<void()>& before = {}) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    if (before) before();
    const session::Stopwatch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  return session::summarise(std::move(seconds)).median;
}

double difference(const Dense& found, const Dense& expected) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    worst = std::max(worst, std::abs(found.values[i] - expected.values[i]));
    largest = std::max(largest, std::abs(expected.values[i]));
  }
  return largest > 0 ? worst / largest : worst;
}

}  // namespace

PackingBench::PackingBench(const params::Requirement& requirement, const params::CostTable& costs)
    : required_(params::parameters_for(requirement)),
      costs_(costs),
      context_(scheme::ckks::Context::make(params::CkksParameters::check(required_.literal))),
      secret_(scheme::ckks::KeyGenerator(context_).secret_key()),
      prices_(required_.literal, costs) {
  needs_.relinearise_level = context_->parameters().max_level();
}

int PackingBench::max_level() const { return context_->parameters().max_level() - required_.base_level; }
double PackingBench::key_bytes() const { return keys_ ? static_cast<double>(keys_->bytes()) : 0; }

std::shared_ptr<tensor::CostSession> PackingBench::cost_reading() const {
  return std::make_shared<tensor::CostSession>(required_.literal, costs_, required_.base_level, prices_);
}

void PackingBench::announce(const PackedComputation& computation, const PackedComputation::Extents& extents,
                            const PackingOptions& options, int level) {
  const auto cost = cost_reading();
  tensor::price_packing(cost, computation, extents, options, level);
  needs_.merge(cost->cost().keys);
}

void PackingBench::make_keys() {
  const int top = std::max(needs_.rotation_primes.top.value_or(0), required_.base_level);
  needs_.rotation_primes.top = top;
  for (const auto steps : std::initializer_list<std::span<const std::int64_t>>{kSteps, kBetween})
    for (const std::int64_t step : steps) needs_.rotations[step] = top;
  keys_ = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(context_).evaluation_keys(secret_, needs_));
  const auto ciphertexts = runtime::EncryptedEvaluator::make(context_, keys_);
  ciphertexts->set_secret(secret_);
  tiles_ = std::make_shared<tensor::Session>(ciphertexts,
                                             tensor::TileLevels::of(context_->parameters(), required_.base_level),
                                             tensor::cheapest_schedules(required_.literal, costs_));
}

// The system of a shared machine does not state our share of a cache. The price of products of more and more tiles
// shows it.
std::vector<std::pair<double, double>> PackingBench::product_terms() const {
  tensor::Session& tiles = *tiles_;
  const auto slots = static_cast<std::size_t>(tiles.slots());
  const program::SlotsOf values = [&](Index) { return std::vector<double>(slots, 0.5); };
  const View a = View::whole(tiles.encrypt(kMostTerms, values, 1)),
             b = View::whole(tiles.encrypt(kMostTerms, values, 1));
  const double once = median_seconds([&] { tiles.multiply_sum(repeated(a, 1), repeated(b, 1), 1); }, kTimings);
  std::vector<std::pair<double, double>> terms;
  for (Index count = kMostTerms / 24; count <= kMostTerms; count += count / 2) {
    const auto first = [count](View view) {
      view.extents[0] = count;
      return view;
    };
    const double sum = median_seconds([&] { tiles.multiply_sum(first(a), first(b), count); }, kTimings);
    const double term = (sum - once) / static_cast<double>(count - 1);
    // More tiles are never nearer: a lower price is chance.
    terms.emplace_back(2 * static_cast<double>(count) * tiles.tile_bytes(1),
                       terms.empty() ? term : std::max(term, terms.back().second));
  }
  return terms;
}

params::CostTable PackingBench::fitted_table() const {
  std::array<slots::UnitPrices, kFittedPrices.size()> units;
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = slots::UnitPrices(required_.literal, unit_table(i));
  const int base = required_.base_level;
  const params::RotationPrimes& primes = needs_.rotation_primes;
  std::vector<PriceSample> samples;
  for (const Unit work : {Unit::rotate, Unit::hoisted_rotation, Unit::relinearise})
    for (int level = base + (work == Unit::relinearise ? 1 : 0);
         level <= (work == Unit::relinearise ? base + max_level() : primes.top.value_or(-1)); ++level) {
      PriceSample sample{prices_.seconds(work, level, primes)};
      if (!(sample.seconds > 0)) continue;
      for (std::size_t i = 0; i < units.size(); ++i) sample.unit[i] = units[i].seconds(work, level, primes);
      samples.push_back(sample);
    }
  params::CostTable table = fit_prices(samples, costs_, KernelPrices().least(base::thread_limit()));
  table.machine = session::machine_name();
  double far = 0, words = 0;
  for (int level = base + 1; level <= base + max_level(); ++level) {
    far += prices_.far_seconds(Unit::product, level);
    words += 4 * (level + 1) * std::ldexp(1.0, required_.literal.log_n);
  }
  table.far_ns = far / words * 1e9;
  table.cache_mib = cache_bytes_ / 0x1p20;
  return table;
}

// Differences of a longer and a shorter sum separate a term from the fixed cost. A long sum reads the same tiles
// repeatedly, from the caches, or more tiles than these hold.
void PackingBench::measure_prices() {
  constexpr Index kTerms = 8;
  std::vector<std::pair<double, double>> curve = product_terms();
  const double middle = (curve.front().second + curve.back().second) / 2;
  cache_bytes_ = std::ranges::find_if(curve, [&](const auto& point) { return point.second >= middle; })->first / 0.75;
  slots::UnitPrices prices(required_.literal, costs_);
  tensor::Session& tiles = *tiles_;
  const auto slots = static_cast<std::size_t>(tiles.slots());
  const program::SlotsOf values = [&](Index) { return std::vector<double>(slots, 0.5); };
  const int rotation_top = needs_.rotation_primes.top.value_or(-1) - required_.base_level;
  for (int level = max_level(); level >= 0; --level) {
    const Index many =
        std::clamp(static_cast<Index>(kBeyondCaches * cache_bytes_ / 2 / tiles.tile_bytes(level)), kTerms, kMostTerms);
    const View between = View::whole(tiles.encrypt(1, values, std::min(level, rotation_top)));
    const View a = View::whole(tiles.encrypt(many, values, level)), b = View::whole(tiles.encrypt(many, values, level));
    const View one = repeated(a, 1), same = repeated(a, kTerms);
    const int at = required_.base_level + level;
    const auto set = [&](Unit work, double seconds) { prices.set(work, at, std::max(seconds, 0.0)); };
    const auto time = [&](const std::function<void()>& work) {
      return median_seconds(work, kTimings, [&] { tiles.rotate_sum(between, kBetween); });
    };
    set(Unit::encrypt, time([&] { tiles.encrypt(1, values, level); }));
    const auto set_far = [&](Unit work, double term) {
      prices.set_far(work, at, std::max(term - prices.seconds(work, at), 0.0));
    };
    const auto term = [](double sum, double first, Index terms) {
      return (sum - first) / static_cast<double>(terms - 1);
    };
    const double two = time([&] { tiles.sum(repeated(a, 2), 2); });
    set(Unit::add, term(time([&] { tiles.sum(same, kTerms); }), two, kTerms - 1));
    set_far(Unit::add, term(time([&] { tiles.sum(a, many); }), two, many - 1));
    if (level <= rotation_top) {
      const double rotation = time([&] { tiles.rotate_sum(one, std::span(kSteps, 1)); });
      const double add = prices.seconds(Unit::add, at);
      set(Unit::rotate, rotation - add);
      set(Unit::hoisted_rotation, (time([&] { tiles.rotate_sum(one, kSteps); }) - rotation) / 3);
    }
    if (level == 0) continue;
    const View plain = View::whole(tiles.encode_factor(many, values, level));
    set(Unit::encode, time([&] { tiles.encode_factor(1, values, level); }));
    const double product = time([&] { tiles.multiply_sum(one, one, 1); });
    const double near = term(time([&] { tiles.multiply_sum(same, repeated(b, kTerms), kTerms); }), product, kTerms);
    set(Unit::product, near);
    set(Unit::relinearise, product - std::max(near, 0.0));
    set_far(Unit::product, term(time([&] { tiles.multiply_sum(a, b, many); }), product, many));
    const double plain_product = time([&] { tiles.multiply_plain_sum(one, repeated(plain, 1), 1); });
    const double plain_near =
        term(time([&] { tiles.multiply_plain_sum(same, repeated(plain, kTerms), kTerms); }), plain_product, kTerms);
    set(Unit::plain_product, plain_near);
    set(Unit::rescale, plain_product - std::max(plain_near, 0.0));
    set_far(Unit::plain_product, term(time([&] { tiles.multiply_plain_sum(a, plain, many); }), plain_product, many));
    set(Unit::drop, time([&] { tiles.drop(one, level - 1); }));
  }
  // The reference is level 1, so that its products are priced as they were measured.
  const int one_level = required_.base_level + 1;
  const double near = prices.seconds(Unit::product, one_level), far = prices.far_seconds(Unit::product, one_level);
  for (auto& [bytes, share] : curve) share = far > 0 ? std::clamp((share - near) / far, 0.0, 1.2) : 0;
  prices.set_far_shares(std::move(curve));
  rounds_.push_back(std::move(prices));
  prices_ = slots::UnitPrices::median(rounds_);
}

PackingMeasurement PackingBench::run(const PackedComputation& computation, const PackedComputation::Extents& extents,
                                     const PackingOptions& options, int level, int repeats) {
  PackingMeasurement m;
  m.extents = extents;
  m.options = options;
  m.level = level;
  m.items = computation.items;
  m.batches = computation.batches(extents);
  {
    const auto cost = cost_reading();
    tensor::price_packing(cost, computation, extents, options, level);
    const slots::Cost& read = cost->cost();
    m.tiles = read.work.count(Unit::encrypt);
    m.products = read.work.count(Unit::product);
    m.relinearisations = read.work.count(Unit::relinearise);
    m.rotations = read.work.rotations();
    m.predicted_process_bytes = read.peak_bytes;
  }
  const auto clear = tensor::clear_session(tiles_->slots(), max_level());
  const Dense expected = tensor::decrypt(
      computation.compute(tensor::encrypt_inputs(clear, computation, extents, level, numbers), options, {}));
  base::release_kept_memory();
  base::restart_peak_resident_bytes();
  m.predicted_process_bytes += static_cast<double>(base::resident_bytes());
  const std::vector<TileTensor> inputs = tensor::encrypt_inputs(tiles_, computation, extents, level, numbers);
  for (const TileTensor& input : inputs) {
    m.tensor_bytes += input.estimated_bytes();
    m.shapes.push_back(fmt::format("input {}", input.shape().to_string()));
  }
  const TileTensor result = computation.compute(inputs, options, [&](const std::string& what, const TileTensor& t) {
    if (what == "product") m.tensor_bytes += t.estimated_bytes();
    m.shapes.push_back(fmt::format("{} {}", what, t.shape().to_string()));
  });
  m.process_bytes = static_cast<double>(base::peak_resident_bytes());
  m.error = difference(tensor::decrypt(result), expected);
  time(m, computation, inputs, repeats);
  return m;
}

void PackingBench::run_again(PackingMeasurement& m, const PackedComputation& computation, int repeats) {
  time(m, computation, tensor::encrypt_inputs(tiles_, computation, m.extents, m.level, numbers), repeats);
}

void PackingBench::time(PackingMeasurement& m, const PackedComputation& computation,
                        const std::vector<TileTensor>& inputs, int repeats) {
  for (int i = 0; i < repeats; ++i)
    m.timings.push_back(median_seconds([&] { computation.compute(inputs, m.options, {}); }, 1));
  m.latency = session::summarise(m.timings).median;
  m.amortised = m.latency * static_cast<double>(m.batches) / static_cast<double>(m.items);
  m.predicted_latency = tensor::price_packing(cost_reading(), computation, m.extents, m.options, m.level).latency;
}

}  // namespace tacit::bench
