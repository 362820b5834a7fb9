#include "ring/base_converter.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {
constexpr std::size_t kMaxSources = 64;

}  // namespace

BaseConverter::BaseConverter(std::vector<Modulus> from, std::vector<Modulus> to, base::Isa isa,
                             const std::vector<std::uint64_t>& scale)
    : from_(std::move(from)), to_(std::move(to)), kernels_(&simd::kernels_of(isa)) {
  const std::size_t sources = from_.size();
  if (sources == 0 || sources > kMaxSources)
    throw base::InputError("base conversion from " + std::to_string(sources) + " primes: expected 1 to " +
                           std::to_string(kMaxSources));
  if (!scale.empty() && scale.size() != sources)
    throw base::InputError("base conversion from " + std::to_string(sources) + " primes: the scale has " +
                           std::to_string(scale.size()) + " residues");
  for (std::size_t i = 0; i < sources; ++i) {
    const Modulus& q = from_[i];
    std::uint64_t cofactor = 1;
    for (std::size_t k = 0; k < sources; ++k) {
      if (k == i) continue;
      if (from_[k] == q)
        throw base::InputError("base conversion: the prime " + std::to_string(q.value()) + " occurs twice");
      cofactor = q.mul(cofactor, q.reduce(from_[k].value()));
    }
    simd::ConversionSource source;
    source.modulus = q.words();
    source.factor = q.inverse(cofactor);
    if (!scale.empty()) source.factor = q.mul(source.factor, scale[i]);
    source.factor_shoup = q.shoup(source.factor);
    source.inverse = 1.0 / static_cast<double>(q.value());
    sources_.push_back(source);
  }
  // Rows of a sum are below q_i, the last one (the quotient) at most the number of sources.
  std::uint64_t rows = sources;
  for (const Modulus& q : from_) rows += q.value();
  const auto log_bound = static_cast<unsigned>(std::bit_width((rows >> 52) + 1));

  const auto factors = std::make_shared<std::vector<std::uint64_t>>(2 * to_.size() * (sources + 1));
  factors_ = factors;
  for (std::size_t j = 0; j < to_.size(); ++j) {
    const Modulus& p = to_[j];
    std::uint64_t* factor = factors->data() + 2 * j * (sources + 1);
    std::uint64_t* factor_two52 = factor + sources + 1;
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < sources; ++i) {
      factor[i] = 1;
      for (std::size_t k = 0; k < sources; ++k)
        if (k != i) factor[i] = p.mul(factor[i], p.reduce(from_[k].value()));
      product = p.mul(product, p.reduce(from_[i].value()));
    }
    factor[sources] = p.negate(product);
    for (std::size_t i = 0; i <= sources; ++i) factor_two52[i] = p.mul(factor[i], p.words().two52);
    targets_.push_back({p.words(), factor, factor_two52, log_bound});
  }
}

std::size_t BaseConverter::prepared_words(std::size_t n) const {
  const std::size_t strips = (n + simd::kConversionStrip - 1) / simd::kConversionStrip;
  return strips * simd::kConversionStride * (from_.size() + 1);
}

template <class Words, class Visit>
void BaseConverter::each_strip(Words* prepared, std::size_t n, const Visit& visit) const {
  for (std::size_t begin = 0; begin < n; begin += simd::kConversionStrip) {
    visit(prepared, begin, std::min(n - begin, simd::kConversionStrip));
    prepared += simd::kConversionStride * (from_.size() + 1);
  }
}

void BaseConverter::prepare(std::span<const std::uint64_t* const> src, std::uint64_t* prepared, std::size_t n) const {
  TACIT_ASSERT(src.size() == from_.size() && n % 8 == 0);
  each_strip(prepared, n, [&](std::uint64_t* words, std::size_t begin, std::size_t strip) {
    kernels_->convert_prepare(src.data(), sources_.size(), sources_.data(), begin, strip, words);
  });
}

void BaseConverter::convert_prepared(const std::uint64_t* prepared, std::size_t first_target,
                                     std::span<std::uint64_t* const> dst, std::size_t n) const {
  TACIT_ASSERT(first_target + dst.size() <= to_.size() && n % 8 == 0);
  each_strip(prepared, n, [&](const std::uint64_t* words, std::size_t begin, std::size_t strip) {
    kernels_->convert_prepared(words, sources_.size(), dst.data(), dst.size(), targets_.data() + first_target, begin,
                               strip);
  });
}

}  // namespace tacit::ring
