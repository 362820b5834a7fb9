#include <algorithm>

#include "app/api/bytes.h"
#include "app/api/integers/tfhe_impl.h"
#include "base/error.h"
#include "params/tfhe_solver.h"
#include "runtime/integers/integer_files.h"

namespace tacit::tfhe {
namespace {

/// Names in files: `encrypt` made them, or a computation.
constexpr const char* kFresh = "fresh integers";
constexpr const char* kComputed = "computed integers";

}  // namespace

Ciphertexts fresh_ciphertexts(const inner::ContextPtr& context, const runtime::KeySetId& key_set,
                              std::shared_ptr<const inner::FreshLweCiphertexts> seeded) {
  return ciphertexts_of({context, key_set, inner::expand(*context, *seeded),
                         std::vector(seeded->bodies.size(), NoiseNorms{0, 1}), true, std::move(seeded)});
}

void require_quiet(const IntegerBatch& ciphertexts, bool decrypted, const std::string& what) {
  const params::TfheParameters& parameters = ciphertexts.context->parameters();
  NoiseNorms worst;
  for (const NoiseNorms& norms : ciphertexts.norms) {
    worst.lookups = std::max(worst.lookups, norms.lookups);
    worst.fresh = std::max(worst.fresh, norms.fresh);
  }
  params::LookupRequirement asked;
  asked.bits = parameters.bits();
  asked.norm2 = worst.lookups;
  asked.fresh_norm2 = worst.fresh;
  asked.decrypted = decrypted;
  const bool rare = params::log2_failure(parameters.shape(), asked) <= parameters.literal().log2_failure;
  // Norms are roots of sums of squares, so that the largest one may come out a little larger.
  constexpr double kRounding = 1e-9;
  if (rare && (decrypted || worst.lookups <= parameters.literal().norm2 * (1 + kRounding))) return;
  base::refuse(
      "{}: a sum has weights of 2-norm {:.3g} on results of lookups and {:.3g} on fresh integers; the set '{}' is made "
      "for {:.3g}. Look values up in between, or choose parameters for this 2-norm",
      what, worst.lookups, worst.fresh, parameters.literal().name, parameters.literal().norm2);
}

std::size_t Ciphertexts::size() const { return impl_->values.count(); }

Ciphertexts Ciphertexts::select(std::span<const std::size_t> positions) const {
  IntegerBatch chosen{impl_->context, impl_->key_set,
                      inner::LweCiphertexts(impl_->context->parameters().large_lwe(), positions.size(),
                                            impl_->context->parameters().hash()),
                      std::vector<NoiseNorms>(positions.size()), impl_->independent};
  std::vector<bool> taken(size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t from = positions[i];
    if (from >= size()) base::refuse("select: there is no ciphertext {} among {}", from, size());
    chosen.independent = chosen.independent && !taken[from];
    taken[from] = true;
    std::ranges::copy(impl_->values[from], chosen.values[i].begin());
    chosen.norms[i] = impl_->norms[from];
  }
  return ciphertexts_of(std::move(chosen));
}

Ciphertexts Ciphertexts::join(const Ciphertexts& a, const Ciphertexts& b) {
  const IntegerBatch &first = *a.impl_, &second = *b.impl_;
  if (first.key_set != second.key_set) throw KeyMismatch("join: the ciphertexts are under different secret keys");
  IntegerBatch both{first.context, first.key_set,
                    inner::LweCiphertexts(first.context->parameters().large_lwe(), a.size() + b.size(),
                                          first.context->parameters().hash()),
                    first.norms, false};
  both.norms.insert(both.norms.end(), second.norms.begin(), second.norms.end());
  for (std::size_t i = 0; i < a.size() + b.size(); ++i)
    std::ranges::copy(i < a.size() ? first.values[i] : second.values[i - a.size()], both.values[i].begin());
  return ciphertexts_of(std::move(both));
}

void Ciphertexts::save(const Sink& sink) const {
  const runtime::Binding binding{
      .model = {}, .parameters = impl_->context->parameters().hash(), .key_set = impl_->key_set};
  const runtime::SampleFileHead head{runtime::CiphertextRole::vectors, binding, {impl_->seeded ? kFresh : kComputed}};
  runtime::write_artefact(open(sink), runtime::ArtefactKind::ciphertexts, runtime::ArtefactScheme::tfhe,
                          [&](runtime::ArtefactWriter& artefact) {
                            runtime::SampleWriter writer(artefact, head);
                            if (impl_->seeded)
                              writer.add(runtime::pieces_of(*impl_->context, std::span(impl_->seeded.get(), 1)));
                            else
                              writer.add(runtime::pieces_of(*impl_->context, std::span(&impl_->values, 1)));
                            writer.end();
                          });
}

Ciphertexts Ciphertexts::load(const Parameters& parameters, const Source& source) {
  const inner::ContextPtr& context = context_of(parameters);
  const runtime::SampleReader reader = runtime::open_samples(open(source), *context, runtime::CiphertextRole::vectors);
  const std::vector<std::string>& names = reader.head().names;
  if (reader.samples() != 1 || names.size() != 1 || (names[0] != kFresh && names[0] != kComputed))
    throw InputError(open(source).name() + ": was not written by Ciphertexts::save");
  const runtime::KeySetId& key_set = reader.head().binding.key_set;
  if (names[0] == kFresh) {
    auto seeded =
        std::make_shared<inner::FreshLweCiphertexts>(std::move(runtime::read_inputs(reader, 0, *context).front()));
    constexpr std::size_t kMostIntegers = std::size_t{1} << 20;  // a few bytes each stand for kilobytes
    if (seeded->bodies.size() > kMostIntegers)
      base::refuse("{}: holds {} integers; at most {} are read from one file", open(source).name(),
                   seeded->bodies.size(), kMostIntegers);
    return fresh_ciphertexts(context, key_set, std::move(seeded));
  }
  inner::LweCiphertexts values = std::move(runtime::read_results(reader, 0, *context).front());
  std::vector<NoiseNorms> norms(values.count(), {context->parameters().literal().norm2, 0});
  return ciphertexts_of({context, key_set, std::move(values), std::move(norms), false});
}

}  // namespace tacit::tfhe
