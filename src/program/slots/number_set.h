#pragma once

#include <cstdint>
#include <vector>

namespace tacit::slots {

/// A set of numbers below a power of two, 2^0 to 2^40, a bit each. Whole words are changed at once, so that questions
/// about the binary digits of all numbers take little more than reading the words. Not thread safe.
class NumberSet {
 public:
  /// Is empty, for numbers below 2^`digits`.
  explicit NumberSet(int digits);

  /// Includes a number below 2^digits().
  void insert(std::int64_t number) {
    words_[static_cast<std::size_t>(number >> kLogWordBits)] |= std::uint64_t{1} << (number & (kWordBits - 1));
  }
  /// Returns true if the set has the number, which must be below 2^digits().
  bool contains(std::int64_t number) const {
    return (words_[static_cast<std::size_t>(number >> kLogWordBits)] >> (number & (kWordBits - 1)) & 1) != 0;
  }
  /// Returns how many numbers the set has.
  std::int64_t size() const;
  /// Returns the numbers in rising order.
  std::vector<std::int64_t> numbers() const;
  int digits() const { return digits_; }

  /// Replaces this set by the sums of a number of `from` and `by`. They have one digit more. `by` is 0 to 2^digits - 1
  /// of `from`, which must be another set.
  void assign_sums(const NumberSet& from, std::int64_t by);
  /// Leaves a digit out of every number; digit 0 has the value 1. Higher digits move down.
  void leave_out(int digit);
  /// Leaves out the digits [low, high).
  void leave_out(int low, int high);

 private:
  static constexpr int kLogWordBits = 6, kWordBits = 64;
  static std::size_t words_of(int digits) {
    return digits <= kLogWordBits ? 1 : std::size_t{1} << (digits - kLogWordBits);
  }

  int digits_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tacit::slots
