#include "layout/seen_diagonals.h"

#include <bit>
#include <utility>

#include "base/vectorised.h"

namespace tacit::layout {
namespace {

using Word = std::uint64_t;

constexpr Index kMostBits = Index{1} << 30;
constexpr int kWordBits = 64;

TACIT_VECTORISED void include(const Word* from, std::size_t words, Word* to) {
  for (std::size_t w = 0; w < words; ++w) to[w] |= from[w];
}

/// to[w] includes the bits [64 w - shift, 64 w - shift + 64) of `from`, which starts a word before its first bit. The
/// shift is 1 to 63.
TACIT_VECTORISED void include_shifted(const Word* from, std::size_t words, int shift, Word* to) {
  for (std::size_t w = 0; w < words; ++w) to[w] |= from[w + 1] << shift | from[w] >> (kWordBits - shift);
}

/// A set of numbers below a power of two, in bits. It rotates them into other sets.
class Rotated {
 public:
  /// `modulus` is the bound of the numbers.
  explicit Rotated(Index modulus) : modulus_(modulus) {}

  void take(const std::vector<Word>& bits) {
    words_ = bits.size();
    numbers_.clear();
    std::size_t count = 0;
    for (const Word word : bits) count += static_cast<std::size_t>(std::popcount(word));
    one_by_one_ = modulus_ < kWordBits || count < words_ / kWordsPerNumber;
    if (one_by_one_) {
      for (std::size_t w = 0; w < words_; ++w)
        for (Word left = bits[w]; left != 0; left &= left - 1)
          numbers_.push_back(static_cast<Index>(w) * kWordBits + std::countr_zero(left));
    } else {
      bits_.assign(1, bits.back());
      bits_.insert(bits_.end(), bits.begin(), bits.end());
    }
  }

  /// Includes the numbers plus `by`, modulo the bound.
  void add_to(Index by, std::vector<Word>& to) const {
    if (to.empty()) to.resize(words_);
    if (one_by_one_) {
      for (const Index number : numbers_) {
        const auto sum = static_cast<std::size_t>((number + by) & (modulus_ - 1));
        to[sum / kWordBits] |= Word{1} << (sum % kWordBits);
      }
      return;
    }
    const auto first = static_cast<std::size_t>(by / kWordBits);
    const int shift = static_cast<int>(by % kWordBits);
    include_words(0, words_ - first, shift, to.data() + first);
    include_words(words_ - first, first, shift, to.data());
  }

 private:
  /// Words that are rotated in the time that one number takes.
  static constexpr std::size_t kWordsPerNumber = 4;

  void include_words(std::size_t first, std::size_t words, int shift, Word* to) const {
    if (shift == 0)
      include(bits_.data() + 1 + first, words, to);
    else
      include_shifted(bits_.data() + first, words, shift, to);
  }

  Index modulus_;
  std::size_t words_ = 0;
  bool one_by_one_ = false;
  std::vector<Index> numbers_;  // if they are added one by one
  std::vector<Word> bits_;      // else, after a copy of the last word
};

}  // namespace

SeenDiagonals::SeenDiagonals(const LinearMap& map, const DiagonalSet& set)
    : inputs_(map.in.ciphertexts()),
      modulus_(set.modulus),
      listed_(map.out.ciphertexts() * inputs_ > kMostBits / modulus_),
      words_(static_cast<std::size_t>((modulus_ + kBits - 1) / kBits)),
      blocks_(listed_ ? 0 : static_cast<std::size_t>(map.out.ciphertexts() * inputs_)) {}

void SeenDiagonals::merge(SeenDiagonals&& other) {
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (blocks_[b].empty())
      blocks_[b] = std::move(other.blocks_[b]);
    else
      include(other.blocks_[b].data(), other.blocks_[b].size(), blocks_[b].data());
  for (const Index place : other.list_.sorted()) list_.add(place);
}

void SeenDiagonals::merge_moved(SeenDiagonals& from, std::span<const DiagonalPlace> steps) {
  Rotated rotated(modulus_);
  for (std::size_t b = 0; b < from.blocks_.size(); ++b) {
    if (from.blocks_[b].empty()) continue;
    rotated.take(from.blocks_[b]);
    for (const DiagonalPlace& step : steps)
      rotated.add_to(step.diagonal, blocks_[b + static_cast<std::size_t>(step.out * inputs_ + step.in)]);
  }
  for (const Index place : from.list_.sorted())
    for (const DiagonalPlace& step : steps)
      list_.add((place / modulus_ + step.out * inputs_ + step.in) * modulus_ +
                ((place + step.diagonal) & (modulus_ - 1)));
}

void SeenDiagonals::count(DiagonalSet& set) {
  std::vector<Word> any(words_);
  for (const auto& bits : blocks_) {
    set.blocks += bits.empty() ? 0 : 1;
    for (const Word word : bits) set.count.products += std::popcount(word);
    include(bits.data(), bits.size(), any.data());
  }
  const std::vector<Index>& list = list_.sorted();
  set.count.products += static_cast<Index>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    set.blocks += i == 0 || list[i] / modulus_ != list[i - 1] / modulus_ ? 1 : 0;
    any[static_cast<std::size_t>(list[i] % modulus_ / kBits)] |= Word{1} << (list[i] % modulus_ % kBits);
  }
  for (std::size_t w = 0; w < words_; ++w)
    for (Word left = any[w]; left != 0; left &= left - 1)
      set.diagonals.insert(set.diagonals.end(), static_cast<Index>(w) * kBits + std::countr_zero(left));
}

void SeenDiagonals::list_inputs(std::vector<std::vector<Index>>& of_outputs) {
  const auto add = [&](Index block) {
    std::vector<Index>& inputs = of_outputs[static_cast<std::size_t>(block / inputs_)];
    if (inputs.empty() || inputs.back() != block % inputs_) inputs.push_back(block % inputs_);
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (!blocks_[b].empty()) add(static_cast<Index>(b));
  for (const Index place : list_.sorted()) add(place / modulus_);
}

}  // namespace tacit::layout
