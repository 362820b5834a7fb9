#include "ring/rns_poly.h"

#include <algorithm>

namespace tacit::ring {
namespace {
constexpr std::size_t kCacheLineWords = 8;
}

template <class Domain, class Words>
RnsPoly<Domain, Words>::RnsPoly(std::size_t n, std::size_t limbs)
    : n_(n), limbs_(limbs), stride_((n + kCacheLineWords - 1) / kCacheLineWords * kCacheLineWords + kCacheLineWords) {
  words_.resize(stride_ * limbs);
}

template <class Domain, class Words>
void RnsPoly<Domain, Words>::truncate(std::size_t limbs) {
  TACIT_ASSERT(limbs <= limbs_);
  limbs_ = limbs;
  words_.resize(stride_ * limbs);
}

template <class Domain, class Words>
void RnsPoly<Domain, Words>::zero() {
  std::fill(words_.begin(), words_.end(), 0);
}

template class RnsPoly<CoefficientDomain>;
template class RnsPoly<NttDomain>;
template class RnsPoly<NttDomain, base::SecretVector<std::uint64_t>>;

}  // namespace tacit::ring
