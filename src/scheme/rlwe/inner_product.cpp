#include "scheme/rlwe/inner_product.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace tacit::scheme::rlwe {

namespace {

/// The digits, if the key serves them.
const Digits& checked(const SwitchingKey& key, const Digits& digits) {
  if (key.level() < digits.level())
    throw base::InternalError("a switching key for level " + std::to_string(key.level()) + " was used at level " +
                              std::to_string(digits.level()));
  if (key.digits() < digits.count())
    throw base::InternalError("a switching key of " + std::to_string(key.digits()) + " digits was used for " +
                              std::to_string(digits.count()));
  return digits;
}

/// Words that are multiplied with the key at a time.
constexpr std::size_t kRun = 1024;

}  // namespace

InnerProduct::InnerProduct(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                           const std::array<Combination, 2>& add, std::size_t row)
    : digits_(&checked(key, digits)),
      q_(&chain.modulus(chain.prime_of(digits.level(), row))),
      row_(row),
      words_(chain.tiling().block_words),
      run_(std::min(kRun, words_)),
      last_(chain.n() - run_),
      left_(digits.count()),
      room_(std::make_shared<ScratchRows>(words_, digits.count())),
      key_(chain, key, digits.count(), digits.level(), row) {
  for (std::size_t d = 0; d < digits.count(); ++d)
    if (digits.hoisted() || digits.owns(d, row)) lying_.push_back(digits.row(d, row));
  if (row >= ModulusChain::rows(digits.level()) || (add[0].empty() && add[1].empty())) return;
  for (const Combination& sum : add)
    sum_.push_back(
        std::make_shared<RowSum>(*q_, sum, row, chain.special_product(digits.level(), row), RowDivisor::two52, run_));
}

void InnerProduct::operator()(std::size_t block, std::uint64_t* const* room, const std::uint64_t** values) {
  for (std::size_t d = 0; d < left_.size(); ++d) left_[d] = digits_->block(d, row_, block, (*room_)[d]);
  for (std::size_t k = 0; k < 2; ++k) values[k] = room[k];
  for (std::size_t in_block = 0; in_block < words_; in_block += run_) {
    const std::size_t at = block * words_ + in_block, next = std::min(at + run_, last_);
    next_.clear();
    for (const std::uint64_t* row : lying_) next_.push_back(row + next);
    key_.append_held(next, next_);
    for (const auto& sum : sum_) sum->append_rows(next, next_);
    KeyRow::More more;
    for (std::size_t k = 0; k < sum_.size(); ++k) more[k] = sum_[k]->terms(at, run_);
    key_.multiply(at, run_, left_, more, room[0] + in_block, room[1] + in_block, next_);
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k]->add_constant(room[k] + in_block, run_);
    for (const std::uint64_t*& words : left_) words += run_;
  }
}

}  // namespace tacit::scheme::rlwe
