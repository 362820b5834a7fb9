#include <cmath>
#include <cstdlib>

#include "app/api/integers/tfhe_impl.h"
#include "base/error.h"

namespace tacit::tfhe {

struct EvaluatorImpl {
  runtime::KeySetId key_set;
  inner::ContextPtr context;
  inner::Evaluator evaluator;

  const IntegerBatch& own(const Ciphertexts& ciphertexts, const char* what) const {
    const IntegerBatch& impl = Access::impl(ciphertexts);
    if (impl.key_set != key_set)
      throw KeyMismatch(std::string(what) + ": the ciphertexts are under another secret key than the evaluation keys");
    return impl;
  }
  Ciphertexts one_by_one(const Ciphertexts& a, const Ciphertexts& b, bool minus, const char* what) const;
};

namespace {

constexpr std::int64_t kMostWeight = std::int64_t{1} << 31;

void require_small(std::span<const std::int64_t> numbers, const char* name) {
  for (const std::int64_t number : numbers)
    if (number <= -kMostWeight || number >= kMostWeight)
      base::refuse("sums: {} {} is 2^31 or more in magnitude", name, number);
}

/// Of a row of weights: independent noises add up as squares, others at the worst as they are.
NoiseNorms norms_of(const IntegerBatch& a, std::span<const std::int64_t> weights) {
  NoiseNorms sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight = std::abs(static_cast<double>(weights[i]));
    const double lookups = weight * a.norms[i].lookups, fresh = weight * a.norms[i].fresh;
    sum.lookups += a.independent ? lookups * lookups : lookups;
    sum.fresh += a.independent ? fresh * fresh : fresh;
  }
  return a.independent ? NoiseNorms{std::sqrt(sum.lookups), std::sqrt(sum.fresh)} : sum;
}

}  // namespace

Evaluator::Evaluator(const EvaluationKeys& keys)
    : Handle([&] {
        const auto& of = Access::impl(keys);
        return std::make_shared<const Impl>(Impl{of.key_set, of.context, inner::Evaluator(of.context, *of.value)});
      }()) {}

Ciphertexts Evaluator::sums(const Ciphertexts& a, std::span<const std::int64_t> weights,
                            std::span<const std::int64_t> offsets) const {
  const IntegerBatch& operand = impl_->own(a, "sums");
  require_small(weights, "weight");
  require_small(offsets, "offset");
  std::vector<inner::Torus> encoded;
  for (const std::int64_t offset : offsets)
    encoded.push_back(inner::encode(offset, impl_->context->parameters().bits()));
  inner::LweCiphertexts values = impl_->evaluator.linear(operand.values, weights, encoded);
  std::vector<NoiseNorms> norms;
  for (std::size_t r = 0; r < offsets.size(); ++r)
    norms.push_back(norms_of(operand, weights.subspan(r * a.size(), a.size())));
  // Two sums may share an integer, and thereby its noise.
  return ciphertexts_of({impl_->context, impl_->key_set, std::move(values), std::move(norms), offsets.size() == 1});
}

Ciphertexts EvaluatorImpl::one_by_one(const Ciphertexts& a, const Ciphertexts& b, bool minus, const char* what) const {
  const IntegerBatch &first = own(a, what), &second = own(b, what);
  if (a.size() != b.size()) base::refuse("{}: {} integers and {}; both must have as many", what, a.size(), b.size());
  IntegerBatch result{first.context, first.key_set, first.values, first.norms, false};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::span<inner::Torus> words = result.values[i];
    const std::span<const inner::Torus> others = second.values[i];
    for (std::size_t w = 0; w < words.size(); ++w) words[w] += minus ? 0 - others[w] : others[w];
    result.norms[i].lookups += second.norms[i].lookups;
    result.norms[i].fresh += second.norms[i].fresh;
  }
  return ciphertexts_of(std::move(result));
}

Ciphertexts Evaluator::add(const Ciphertexts& a, const Ciphertexts& b) const {
  return impl_->one_by_one(a, b, false, "add");
}

Ciphertexts Evaluator::sub(const Ciphertexts& a, const Ciphertexts& b) const {
  return impl_->one_by_one(a, b, true, "sub");
}

Ciphertexts Evaluator::lookup(const Ciphertexts& a, const Table& table, Progress& progress) const {
  return lookup(a, std::vector(a.size(), table), progress);
}

Ciphertexts Evaluator::lookup(const Ciphertexts& a, std::span<const Table> tables, Progress& progress) const {
  const IntegerBatch& operand = impl_->own(a, "lookup");
  if (tables.size() != a.size()) base::refuse("lookup: {} tables for {} integers", tables.size(), a.size());
  std::vector<const inner::LookupTable*> pointers;
  for (const Table& table : tables) {
    pointers.push_back(&Access::impl(table).value);
    if (table.functions() != tables.front().functions())
      base::refuse("lookup: one table has {} functions, another {}", tables.front().functions(), table.functions());
  }
  require_quiet(operand, false, "lookup");
  progress.begin("looking tables up", a.size());
  inner::LweCiphertexts values = impl_->evaluator.lookup(operand.values, pointers, progress);
  progress.end();
  std::vector<NoiseNorms> norms(values.count(), {1, 0});
  // Functions that share a lookup share its noise, perhaps.
  const bool independent = tables.empty() || tables.front().functions() == 1;
  return ciphertexts_of({impl_->context, impl_->key_set, std::move(values), std::move(norms), independent});
}

}  // namespace tacit::tfhe
