#include "app/packing_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/measurement.h"
#include "app/stopwatch.h"
#include "base/process_memory.h"
#include "program/tile_clear.h"
#include "runtime/key_needs.h"

namespace tacit::app {
namespace {

using layout::Index;
using program::TileArrayPtr;
using program::TileView;
using program::TileWork;
using tensor::Dense;
using tensor::PackedComputation;
using tensor::PackingOptions;
using tensor::TileTensor;

/// Rotations that prices are measured with, and those that come before every timing: between two uses of a key a
/// computation uses others.
constexpr std::int64_t kSteps[] = {1, 2, 3, 4}, kBetween[] = {5, 6, 7};
constexpr int kTimings = 5;

/// The numbers of one input, the same in every reading.
Dense numbers(std::size_t input, const layout::Shape& sizes) {
  std::mt19937 random(static_cast<unsigned>(input) + 1);
  Dense dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)))};
  for (double& x : dense.values) x = static_cast<double>(random() % 2001) / 1000 - 1;
  return dense;
}

TileView all_of(const TileArrayPtr& array) {
  TileView view;
  view.array = array;
  view.add_dimension(array->count(), 1);
  return view;
}

double median_seconds(const std::function<void()>& work, int repeats, const std::function<void()>& before = {}) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    if (before) before();
    const Stopwatch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  return summarise(std::move(seconds)).median;
}

void merge(program::KeyNeeds& into, const program::KeyNeeds& from) {
  into.relinearise_level = std::max(into.relinearise_level, from.relinearise_level);
  for (const auto& [steps, level] : from.rotations) {
    int& known = into.rotations.try_emplace(steps, -1).first->second;
    known = std::max(known, level);
  }
  into.rotation_top = std::max(into.rotation_top, from.rotation_top);
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

PackingBench::PackingBench(const params::Requirement& requirement)
    : required_(params::parameters_for(requirement)),
      context_(scheme::ckks::Context::make(params::CkksParameters::check(required_.literal))),
      secret_(scheme::ckks::KeyGenerator(context_).secret_key()),
      prices_(required_.literal, {}, required_.base_level) {
  needs_.relinearise_level = context_->parameters().max_level();
}

int PackingBench::max_level() const { return context_->parameters().max_level() - required_.base_level; }
double PackingBench::key_bytes() const { return keys_ ? static_cast<double>(keys_->bytes()) : 0; }

std::shared_ptr<program::CostTiles> PackingBench::cost_reading() const {
  return std::make_shared<program::CostTiles>(required_.literal, prices_, required_.base_level);
}

void PackingBench::announce(const PackedComputation& computation, const PackedComputation::Extents& extents,
                            const PackingOptions& options, int level) {
  const auto cost = cost_reading();
  tensor::price_packing(cost, computation, extents, options, level);
  merge(needs_, cost->cost().keys);
}

void PackingBench::make_keys() {
  needs_.rotation_top = std::max(needs_.rotation_top, required_.base_level);
  for (const auto steps : std::initializer_list<std::span<const std::int64_t>>{kSteps, kBetween})
    for (const std::int64_t step : steps) needs_.rotations[step] = needs_.rotation_top;
  keys_ = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(context_).evaluation_keys(secret_, runtime::to_manifest(needs_)));
  tiles_ = std::make_shared<runtime::EncryptedTiles>(context_, keys_, required_.base_level);
  tiles_->set_secret(secret_);
}

// Differences of a longer and a shorter sum separate a term from what is done once.
void PackingBench::measure_prices() {
  constexpr Index kTerms = 8;
  runtime::EncryptedTiles& tiles = *tiles_;
  const auto slots = static_cast<std::size_t>(tiles.slots());
  const program::TileSlots values = [&](Index) { return std::vector<double>(slots, 0.5); };
  const int rotation_top = needs_.rotation_top - required_.base_level;
  for (int level = max_level(); level >= 0; --level) {
    const TileArrayPtr array = tiles.encrypt(kTerms, values, level);
    const TileView between = all_of(tiles.encrypt(1, values, std::min(level, rotation_top)));
    const TileView a = all_of(array), b = all_of(tiles.encrypt(kTerms, values, level));
    TileView one = a;
    one.extents[0] = 1;
    const auto set = [&](TileWork work, double seconds) { prices_.set(work, level, std::max(seconds, 0.0)); };
    const auto time = [&](const std::function<void()>& work) {
      return median_seconds(work, kTimings, [&] { tiles.rotate_sum(between, kBetween); });
    };
    set(TileWork::encrypt, time([&] { tiles.encrypt(1, values, level); }));
    set(TileWork::add, time([&] { tiles.add(a, b); }) / kTerms);
    if (level <= rotation_top) {
      const double rotation = time([&] { tiles.rotate_sum(one, std::span(kSteps, 1)); });
      const double add = prices_.seconds(TileWork::add, level, rotation_top);
      set(TileWork::rotate, rotation - add);
      set(TileWork::hoisted_rotation, (time([&] { tiles.rotate_sum(one, kSteps); }) - rotation) / 3);
    }
    if (level == 0) continue;
    const TileView plain = all_of(tiles.encode_factor(kTerms, values, level));
    TileView plain_one = plain;
    plain_one.extents[0] = 1;
    set(TileWork::encode, time([&] { tiles.encode_factor(1, values, level); }));
    const double product = time([&] { tiles.multiply_sum(one, one, 1); });
    const double product_term = (time([&] { tiles.multiply_sum(a, b, kTerms); }) - product) / (kTerms - 1);
    set(TileWork::product, product_term);
    set(TileWork::relinearise, product - std::max(product_term, 0.0));
    const double plain_product = time([&] { tiles.multiply_plain_sum(one, plain_one, 1); });
    const double plain_term =
        (time([&] { tiles.multiply_plain_sum(a, plain, kTerms); }) - plain_product) / (kTerms - 1);
    set(TileWork::plain_product, plain_term);
    set(TileWork::rescale, plain_product - std::max(plain_term, 0.0));
    set(TileWork::lower, time([&] { tiles.lower(one, level - 1); }));
  }
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
    const program::CandidateCost price = tensor::price_packing(cost, computation, extents, options, level);
    const program::TileCost& read = cost->cost();
    m.tiles = read.count(TileWork::encrypt);
    m.products = read.count(TileWork::product);
    m.relinearisations = read.count(TileWork::relinearise);
    m.rotations = read.rotations();
    m.predicted_latency = price.latency;
    m.predicted_process_bytes = read.peak_bytes;
  }
  const auto clear = std::make_shared<program::ClearTiles>(tiles_->slots(), max_level());
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
  m.latency = median_seconds([&] { computation.compute(inputs, options, {}); }, repeats);
  m.amortised = m.latency * static_cast<double>(m.batches) / static_cast<double>(m.items);
  return m;
}

}  // namespace tacit::app
