#include "scheme/tfhe/evaluator.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "base/vectorised.h"
#include "scheme/tfhe/check.h"

namespace tacit::scheme::tfhe {
namespace {

// Accumulators of one task stay in a core's own cache, with room for a matrix of the key and the digits.
constexpr std::size_t kAccumulatorBytes = std::size_t{512} << 10;

/// sum += weight * input.
TACIT_VECTORISED void add_product(Torus* sum, const Torus* input, Torus weight, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) sum[j] += weight * input[j];
}

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
  progress.begin("generating keys", context.small());
  SeededEvaluationKeys keys{SeededKeySwitchKey::generate(context, secret),
                            SeededBootstrapKey::generate(context, secret, progress)};
  progress.end();
  return keys;
}

Evaluator::Evaluator(ContextPtr context, const SeededEvaluationKeys& keys)
    : context_(std::move(context)),
      key_switch_key_(context_, keys.key_switch),
      bootstrap_key_(*context_, keys.bootstrap) {}

LweCiphertexts Evaluator::linear(const LweCiphertexts& inputs, std::span<const std::int64_t> weights,
                                 std::span<const Torus> offsets) const {
  check(*context_, inputs, "linear");
  if (weights.size() != inputs.count() * offsets.size())
    base::refuse("linear: {} weights for {} inputs and {} results; expected {}", weights.size(), inputs.count(),
                 offsets.size(), inputs.count() * offsets.size());
  LweCiphertexts results(context_->parameters().large_lwe(), offsets.size(), inputs.parameters());
  base::parallel_for(0, offsets.size(), [&](std::size_t r) {
    const std::span<Torus> result = results[r];
    std::ranges::fill(result, 0);
    for (std::size_t i = 0; i < inputs.count(); ++i) {
      const auto weight = static_cast<Torus>(weights[r * inputs.count() + i]);
      if (weight == 0) continue;
      add_product(result.data(), inputs[i].data(), weight, result.size());
    }
    results.body(r) += offsets[r];
  });
  return results;
}

LweCiphertexts Evaluator::trivial(std::span<const Torus> messages) const {
  LweCiphertexts results(context_->parameters().large_lwe(), messages.size(), context_->parameters().hash());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::ranges::fill(results[i], 0);
    results.body(i) = messages[i];
  }
  return results;
}

void Evaluator::add_sums(const LweCiphertexts& inputs, const std::function<WeightedInputs(std::size_t r)>& row,
                         LweCiphertexts& results) const {
  check(*context_, inputs, "add_sums");
  check(*context_, results, "add_sums");
  // So many words of all inputs stay in a core's own cache while rows pass.
  constexpr std::size_t kWords = 128, kRows = 64;
  const std::size_t words = inputs.dimension() + 1, pieces = (words + kWords - 1) / kWords;
  const std::size_t blocks = (results.count() + kRows - 1) / kRows;
  base::parallel_for(0, pieces * blocks, [&](std::size_t task) {
    const std::size_t first = task % pieces * kWords, count = std::min(kWords, words - first);
    const std::size_t begin = task / pieces * kRows, end = std::min(results.count(), begin + kRows);
    for (std::size_t r = begin; r < end; ++r) {
      const WeightedInputs of_row = row(r);
      Torus* const sum = results[r].data() + first;
      for (std::size_t k = 0; k < of_row.inputs.size(); ++k) {
        if (of_row.inputs[k] >= inputs.count()) base::refuse("add_sums: there is no ciphertext {}", of_row.inputs[k]);
        const auto weight = static_cast<Torus>(static_cast<std::int64_t>(of_row.weights[k]));
        add_product(sum, inputs[of_row.inputs[k]].data() + first, weight, count);
      }
    }
  });
}

LweCiphertexts Evaluator::bootstrap(const SmallLweCiphertexts& inputs, std::span<const LookupTable* const> tables,
                                    base::Progress& progress) const {
  check(*context_, inputs, "bootstrap");
  check_looks_up(*context_, "bootstrap");
  if (tables.size() != inputs.count())
    base::refuse("bootstrap: {} tables for {} ciphertexts", tables.size(), inputs.count());
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
