#include "ring/base_converter.h"

#include <string>
#include <utility>

#include "base/aligned.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {
constexpr std::size_t kMaxSources = 64;
__extension__ using Wide = unsigned __int128;
}  // namespace

BaseConverter::BaseConverter(std::vector<Modulus> from, std::vector<Modulus> to)
    : from_(std::move(from)), to_(std::move(to)) {
  const std::size_t sources = from_.size();
  if (sources == 0 || sources > kMaxSources)
    throw base::InputError("base conversion from " + std::to_string(sources) + " primes: expected 1 to " +
                           std::to_string(kMaxSources));
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
    source.factor_shoup = q.shoup(source.factor);
    source.inverse = 1.0 / static_cast<double>(q.value());
    sources_.push_back(source);
  }
  factors_.resize(to_.size() * (sources + 1));
  for (std::size_t j = 0; j < to_.size(); ++j) {
    const Modulus& p = to_[j];
    std::uint64_t* factor = factors_.data() + j * (sources + 1);
    std::uint64_t product = 1;
    Wide largest_sum = static_cast<Wide>(sources) * p.value();
    for (std::size_t i = 0; i < sources; ++i) {
      factor[i] = 1;
      for (std::size_t k = 0; k < sources; ++k)
        if (k != i) factor[i] = p.mul(factor[i], p.reduce(from_[k].value()));
      product = p.mul(product, p.reduce(from_[i].value()));
      largest_sum += static_cast<Wide>(from_[i].value()) * p.value();
    }
    factor[sources] = p.negate(product);
    targets_.push_back({p.words(), factor, largest_sum >> 104 == 0});
  }
}

void BaseConverter::convert(std::span<const std::uint64_t* const> src, std::span<std::uint64_t* const> dst,
                            std::size_t n) const {
  convert_with(simd::kernels(), src, dst, n);
}

void BaseConverter::convert_with(const simd::Kernels& kernels, std::span<const std::uint64_t* const> src,
                                 std::span<std::uint64_t* const> dst, std::size_t n) const {
  TACIT_ASSERT(src.size() == from_.size() && dst.size() == to_.size() && n % 8 == 0);
  thread_local base::AlignedVector<std::uint64_t> scratch;
  scratch.resize((sources_.size() + 1) * simd::kConversionStrip);
  kernels.convert(src.data(), sources_.size(), sources_.data(), dst.data(), targets_.size(), targets_.data(), n,
                  scratch.data());
}

}  // namespace tacit::ring
