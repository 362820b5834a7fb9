#include "scheme/rlwe/modulus_chain.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace tacit::scheme::rlwe {

ModulusChain::ModulusChain(std::size_t n, std::span<const std::uint64_t> q, std::span<const std::uint64_t> p,
                           std::span<const std::size_t> digits, std::span<const std::size_t> special, ring::Kind kind)
    : n_(n), ciphertext_primes_(q.size()), kind_(kind), tables_(q.size() + p.size()) {
  base::parallel_for(0, tables_.size(), [&](std::size_t i) {
    tables_[i] = std::make_shared<const ring::NttTables>(ring::Modulus(i < q.size() ? q[i] : p[i - q.size()]), n,
                                                         base::active_isa(), kind);
  });
  precompute(digits, special);
}

ModulusChain::ModulusChain(const ModulusChain& whole, std::span<const std::size_t> q, std::span<const std::size_t> p,
                           std::span<const std::size_t> digits, std::span<const std::size_t> special,
                           Decomposes decomposes)
    : n_(whole.n_), ciphertext_primes_(q.size()), kind_(whole.kind_), decomposes_(decomposes) {
  for (const auto& list : {q, p})
    for (const std::size_t prime : list) tables_.push_back(whole.tables_[prime]);
  precompute(digits, special);
}

void ModulusChain::precompute(std::span<const std::size_t> digits, std::span<const std::size_t> special) {
  const std::size_t all_special = tables_.size() - ciphertext_primes_;
  digit_first_ = {0};
  for (const std::size_t digit : digits) digit_first_.push_back(digit_first_.back() + digit);
  if (digit_first_.back() != ciphertext_primes_ || std::ranges::find(digits, std::size_t{0}) != digits.end())
    base::refuse("modulus chain: the digits hold {} primes in all and there are {}", digit_first_.back(),
                 ciphertext_primes_);
  if (special.size() != ciphertext_primes_ || !std::ranges::is_sorted(special) || special.front() < 1 ||
      special.back() > all_special)
    base::refuse("modulus chain: the numbers of special primes of {} levels are not 1 to {} and rising",
                 ciphertext_primes_, all_special);
  level_special_.assign(special.begin(), special.end());
  special_.resize(all_special);
  for (std::size_t row = 0; row < ciphertext_primes_; ++row) {
    const ring::Modulus& q = modulus(row);
    std::uint64_t product = 1;
    for (std::size_t k = 0; k < all_special; ++k) {
      product = q.mul(product, q.reduce(modulus(ciphertext_primes_ + k).value()));
      special_[k].product.push_back(product);
      special_[k].inverse.push_back(q.inverse(product));
    }
    const std::uint64_t all = special_.back().inverse[row];
    for (Special& first : special_) first.share.push_back(q.mul(first.product[row], all));
  }
  for (const std::size_t count : level_special_) {
    if (special_[count - 1].divide) continue;
    std::vector<ring::Modulus> dropped, kept;
    for (std::size_t k = 0; k < count; ++k) dropped.push_back(modulus(ciphertext_primes_ + k));
    for (std::size_t row = 0; row < ciphertext_primes_; ++row) kept.push_back(modulus(row));
    special_[count - 1].divide.emplace(std::move(dropped), std::move(kept));
  }
  levels_.resize(ciphertext_primes_);
  base::parallel_for(0, levels_.size(),
                     [&](std::size_t level) { levels_[level] = make_level(static_cast<int>(level)); });
}

std::vector<std::uint64_t> ModulusChain::special_values(int level) const {
  std::vector<std::uint64_t> values;
  for (std::size_t k = 0; k < special_primes(level); ++k) values.push_back(modulus(ciphertext_primes_ + k).value());
  return values;
}

std::size_t ModulusChain::digits(int level) const {
  const auto first_above = std::ranges::lower_bound(digit_first_, rows(level));
  return static_cast<std::size_t>(first_above - digit_first_.begin());
}

std::size_t ModulusChain::digit_last(int level, std::size_t digit) const {
  return std::min(digit_first(digit + 1), rows(level));
}

std::size_t ModulusChain::digit_of(std::size_t row) const {
  const auto first_above = std::ranges::upper_bound(digit_first_, row);
  return static_cast<std::size_t>(first_above - digit_first_.begin()) - 1;
}

ModulusChain::Level ModulusChain::make_level(int level) const {
  Level result;
  const auto top = static_cast<std::size_t>(level);
  for (std::size_t digit = 0; decomposes_ == Decomposes::all && digit < digits(level); ++digit) {
    std::vector<ring::Modulus> from, to;
    std::vector<std::uint64_t> scale;
    for (std::size_t row = 0; row < extended_rows(level); ++row) {
      const bool own = row >= digit_first(digit) && row < digit_last(level, digit);
      (own ? from : to).push_back(modulus(prime_of(level, row)));
      if (own && spares(level)) scale.push_back(digit_factor(level, row));
    }
    result.mod_up.emplace_back(std::move(from), std::move(to), base::active_isa(), scale);
  }
  std::vector<ring::Modulus> dropped{modulus(top)}, kept;
  for (std::size_t k = 0; k < special_primes(level); ++k) dropped.push_back(modulus(ciphertext_primes_ + k));
  for (std::size_t row = 0; row < top; ++row) {
    const ring::Modulus& q = modulus(row);
    kept.push_back(q);
    result.rescale_factor.push_back(q.inverse(q.reduce(modulus(top).value())));
    result.divide_rescale_factor.push_back(q.mul(result.rescale_factor.back(), divide_factor(level, row)));
  }
  if (level > 0) result.divide_rescale.emplace(std::move(dropped), std::move(kept));
  return result;
}

}  // namespace tacit::scheme::rlwe
