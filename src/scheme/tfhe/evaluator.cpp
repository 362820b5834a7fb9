#include "scheme/tfhe/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "scheme/tfhe/check.h"

namespace tacit::scheme::tfhe {
namespace {

// Accumulators of one task stay in a core's own cache, with room for a matrix of the key and the digits.
constexpr std::size_t kAccumulatorBytes = std::size_t{512} << 10;

/// Ciphertexts that one task takes through the key together: as many as the cache holds, but no more than leave every
/// thread a task.
std::size_t together(const Context& context, std::size_t count) {
  const std::size_t held = std::max<std::size_t>(1, kAccumulatorBytes / BlindRotation::bytes(context));
  const auto threads = static_cast<std::size_t>(std::max(1, base::thread_limit()));
  const std::size_t tasks = std::max((count + held - 1) / held, std::min(count, threads));
  // A multiple of the threads, so that they end together.
  const std::size_t even = std::min(count, (tasks + threads - 1) / threads * threads);
  return (count + even - 1) / even;
}

}  // namespace

SeededEvaluationKeys SeededEvaluationKeys::generate(const Context& context, const SecretKey& secret,
                                                    base::Progress& progress) {
  return {SeededKeySwitchKey::generate(context, secret), SeededBootstrapKey::generate(context, secret, progress)};
}

Evaluator::Evaluator(ContextPtr context, const SeededEvaluationKeys& keys)
    : context_(std::move(context)),
      key_switch_key_(context_, keys.key_switch),
      bootstrap_key_(*context_, keys.bootstrap) {}

LweCiphertexts Evaluator::linear(const LweCiphertexts& inputs, std::span<const std::int64_t> weights,
                                 std::span<const Torus> offsets) const {
  check(*context_, inputs, "linear");
  if (weights.size() != inputs.count() * offsets.size())
    throw base::InputError(fmt::format("linear: {} weights for {} inputs and {} results; expected {}", weights.size(),
                                       inputs.count(), offsets.size(), inputs.count() * offsets.size()));
  LweCiphertexts results(context_->parameters().large_lwe(), offsets.size(), inputs.parameters());
  base::parallel_for(0, offsets.size(), [&](std::size_t r) {
    const std::span<Torus> result = results[r];
    std::ranges::fill(result, 0);
    for (std::size_t i = 0; i < inputs.count(); ++i) {
      const auto weight = static_cast<Torus>(weights[r * inputs.count() + i]);
      if (weight == 0) continue;
      const std::span<const Torus> input = inputs[i];
      for (std::size_t j = 0; j < result.size(); ++j) result[j] += weight * input[j];
    }
    results.body(r) += offsets[r];
  });
  return results;
}

LweCiphertexts Evaluator::bootstrap(const SmallLweCiphertexts& inputs, std::span<const LookupTable* const> tables,
                                    base::Progress& progress) const {
  check(*context_, inputs, "bootstrap");
  if (tables.size() != inputs.count())
    throw base::InputError(fmt::format("bootstrap: {} tables for {} ciphertexts", tables.size(), inputs.count()));
  std::vector<std::size_t> first(inputs.count() + 1, 0);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    check_parameters(*context_, tables[i]->parameters(), "bootstrap", "table's values");
    first[i + 1] = first[i] + tables[i]->functions();
  }
  LweCiphertexts results(context_->parameters().large_lwe(), first.back(), inputs.parameters());
  if (inputs.count() == 0) return results;
  const std::size_t chunk = together(*context_, inputs.count());
  progress.begin("looking up", inputs.count());
  base::parallel_for(0, (inputs.count() + chunk - 1) / chunk, [&](std::size_t task) {
    const std::size_t begin = task * chunk, end = std::min(inputs.count(), begin + chunk);
    std::vector<Rotations> rotations;
    for (std::size_t i = begin; i < end; ++i)
      rotations.push_back(modulus_switch(*context_, inputs[i], tables[i]->log_room()));
    BlindRotation rotation(*context_, end - begin);
    rotation.run(bootstrap_key_, rotations, tables.subspan(begin, end - begin));
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t f = 0; f < tables[i]->functions(); ++f) rotation.extract(i - begin, f, results[first[i] + f]);
    progress.advance(end - begin);
  });
  progress.end();
  return results;
}

LweCiphertexts Evaluator::lookup(const LweCiphertexts& inputs, std::span<const LookupTable* const> tables,
                                 base::Progress& progress) const {
  return bootstrap(key_switch(inputs), tables, progress);
}

LweCiphertexts Evaluator::lookup(const LweCiphertexts& inputs, const LookupTable& table,
                                 base::Progress& progress) const {
  return lookup(inputs, std::vector<const LookupTable*>(inputs.count(), &table), progress);
}

}  // namespace tacit::scheme::tfhe
