#include "program/slots/number_set.h"

#include <algorithm>
#include <bit>

#include "base/vectorised.h"

namespace tacit::slots {
namespace {

using Word = std::uint64_t;

/// By digit of a bit's place: the places where it is 0.
constexpr Word kZeroDigit[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                               0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
constexpr int kLastDigit = 5;

/// Joins the bits whose places differ in one digit only. The results are the lower half of the word.
Word joined(Word word, int digit) {
  word = (word | word >> (1 << digit)) & kZeroDigit[digit];
  for (int gap = digit; gap < kLastDigit; ++gap) word = (word | word >> (1 << gap)) & kZeroDigit[gap + 1];
  return word;
}

TACIT_VECTORISED void join_words(const Word* from, std::size_t words, Word* to) {
  for (std::size_t w = 0; w < words; ++w) to[w] = from[w] | from[w + words];
}

}  // namespace

NumberSet::NumberSet(int digits) : digits_(digits), words_(words_of(digits)) {}

std::int64_t NumberSet::size() const {
  std::int64_t count = 0;
  for (const Word word : words_) count += std::popcount(word);
  return count;
}

std::vector<std::int64_t> NumberSet::numbers() const {
  std::vector<std::int64_t> result;
  for (std::size_t w = 0; w < words_.size(); ++w)
    for (Word left = words_[w]; left != 0; left &= left - 1)
      result.push_back(static_cast<std::int64_t>(w) * kWordBits + std::countr_zero(left));
  return result;
}

void NumberSet::assign_sums(const NumberSet& from, std::int64_t by) {
  digits_ = from.digits_ + 1;
  words_.assign(words_of(digits_), 0);
  const auto first = static_cast<std::size_t>(by >> kLogWordBits);
  const auto shift = static_cast<int>(by & (kWordBits - 1));
  for (std::size_t w = 0; w < from.words_.size(); ++w) {
    words_[w + first] |= from.words_[w] << shift;
    if (shift > 0 && w + first + 1 < words_.size()) words_[w + first + 1] |= from.words_[w] >> (kWordBits - shift);
  }
}

void NumberSet::leave_out(int digit) {
  --digits_;
  if (digit > kLastDigit) {
    const std::size_t block = std::size_t{1} << (digit - kLogWordBits);
    for (std::size_t w = 0; 2 * w < words_.size(); w += block)
      join_words(words_.data() + 2 * w, block, words_.data() + w);
  } else if (words_.size() == 1) {
    words_[0] = joined(words_[0], digit);
  } else {
    for (std::size_t w = 0; 2 * w < words_.size(); ++w)
      words_[w] = joined(words_[2 * w], digit) | joined(words_[2 * w + 1], digit) << (kWordBits / 2);
  }
  words_.resize(words_of(digits_));
}

void NumberSet::leave_out(int low, int high) {
  for (int digit = high; digit > low; --digit) leave_out(digit - 1);  // from the top, where a digit joins whole words
}

}  // namespace tacit::slots
