#include "mutate_bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace tacit::fuzz {
namespace {

using Offset = Bytes::difference_type;

Bytes::iterator at(Bytes& bytes, std::size_t offset) { return bytes.begin() + static_cast<Offset>(offset); }

/// A stretch of bytes; short ones are as likely as long ones.
struct Stretch {
  std::size_t begin, size;
};
Stretch stretch_of(const Bytes& bytes, Random& random) {
  const std::size_t begin = random.below(bytes.size() + 1), rest = bytes.size() - begin;
  return {begin, std::min(rest, random.below((std::size_t{1} << random.below(14)) + 1))};
}

void insert(Bytes& bytes, std::size_t where, const Bytes& what) {
  const std::size_t room = kMostBytes - std::min(kMostBytes, bytes.size());
  bytes.insert(at(bytes, where), what.begin(), what.begin() + static_cast<Offset>(std::min(room, what.size())));
}

Bytes copy(const Bytes& bytes, Stretch stretch) {
  const auto begin = bytes.begin() + static_cast<Offset>(stretch.begin);
  return {begin, begin + static_cast<Offset>(stretch.size)};
}

/// Integers at which sizes, signs and formats change.
std::uint64_t extreme(Random& random) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  const std::uint64_t power = std::uint64_t{1} << random.below(64);
  const std::uint64_t values[] = {0, 1, kOnes, power, power - 1, power + 1, ~power + 1, random.below(300)};
  return random.pick(values);
}

double extreme_real(Random& random) {
  using Limits = std::numeric_limits<double>;
  constexpr double kValues[] = {0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                1e-9,
                                1e9,
                                -1e18,
                                1e38,
                                1e300,
                                0x1p53,
                                Limits::max(),
                                Limits::min(),
                                Limits::denorm_min(),
                                Limits::infinity(),
                                Limits::quiet_NaN()};
  return random.pick(kValues);
}

void overwrite(Bytes& bytes, std::uint64_t value, std::size_t size, Random& random) {
  if (bytes.size() < size) return;
  // Fields mostly lie at multiples of their size.
  std::size_t where = random.below(bytes.size() - size + 1);
  if (random.one_in(2)) where -= where % 4;
  std::memcpy(bytes.data() + where, &value, size);
}

void change(Bytes& bytes, const Bytes& other, Random& random) {
  constexpr std::size_t kSizes[] = {1, 2, 4, 8};
  switch (random.below(12)) {
    case 0:
      if (!bytes.empty()) random.pick(bytes) ^= static_cast<std::uint8_t>(1u << random.below(8));
      break;
    case 1:
      if (!bytes.empty()) random.pick(bytes) = static_cast<std::uint8_t>(random.word());
      break;
    case 2: overwrite(bytes, extreme(random), random.pick(kSizes), random); break;
    case 3: overwrite(bytes, std::bit_cast<std::uint64_t>(extreme_real(random)), 8, random); break;
    case 4: {  // a step of an integer
      const std::size_t size = random.pick(kSizes);
      if (bytes.size() < size) break;
      const std::size_t where = random.below(bytes.size() - size + 1);
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + where, size);
      value += random.below(9) - 4;
      std::memcpy(bytes.data() + where, &value, size);
      break;
    }
    case 5: bytes.resize(random.below(bytes.size() + 1)); break;
    case 6: {
      const Stretch gone = stretch_of(bytes, random);
      bytes.erase(at(bytes, gone.begin), at(bytes, gone.begin + gone.size));
      break;
    }
    case 7: insert(bytes, random.below(bytes.size() + 1), copy(bytes, stretch_of(bytes, random))); break;
    case 8: insert(bytes, random.below(bytes.size() + 1), copy(other, stretch_of(other, random))); break;
    case 9: {
      const Bytes from = copy(other, stretch_of(other, random));
      const std::size_t where = random.below(bytes.size() + 1);
      std::copy_n(from.begin(), std::min(from.size(), bytes.size() - where), at(bytes, where));
      break;
    }
    case 10: {
      Bytes value(random.pick(kSizes));
      const std::uint64_t number = extreme(random);
      std::memcpy(value.data(), &number, value.size());
      insert(bytes, random.below(bytes.size() + 1), value);
      break;
    }
    default: {  // one stretch very many times
      if (!random.one_in(8)) break;
      const Bytes one = copy(bytes, stretch_of(bytes, random));
      Bytes many;
      const std::size_t most = std::size_t{1} << random.below(21);
      while (!one.empty() && many.size() + one.size() <= most) many.insert(many.end(), one.begin(), one.end());
      insert(bytes, random.below(bytes.size() + 1), many);
    }
  }
}

bool separates(std::uint8_t byte) { return std::strchr(" ,;:{}[]()|\"\n", byte) != nullptr; }

/// From a separator to the next one.
Stretch token_of(const Bytes& text, Random& random) {
  const std::size_t begin = random.below(text.size() + 1);
  std::size_t first = begin, last = begin;
  while (first > 0 && !separates(text[first - 1])) --first;
  while (last < text.size() && !separates(text[last])) ++last;
  return {first, last - first};
}

void replace(Bytes& text, Stretch old, const Bytes& by) {
  text.erase(at(text, old.begin), at(text, old.begin + old.size));
  insert(text, old.begin, by);
}

void change_text(Bytes& text, const Bytes& other, Random& random) {
  constexpr const char* kWords[] = {"0",
                                    "1",
                                    "-1",
                                    "2",
                                    "7",
                                    "16",
                                    "31",
                                    "64",
                                    "65536",
                                    "1e9",
                                    "-0.5",
                                    "1e400",
                                    "null",
                                    "true",
                                    "false",
                                    "\"x\"",
                                    "[]",
                                    "{}",
                                    "[1,2]",
                                    "any",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "18446744073709551616",
                                    "2147483648",
                                    "",
                                    "nan",
                                    "\\u0000"};
  constexpr const char* kBrackets[][2] = {{"[", "]"}, {"{\"a\":", "}"}, {"{", "}"}, {"(", ")"}};
  switch (random.below(8)) {
    case 0:
    case 1: replace(text, token_of(text, random), bytes_of(random.pick(kWords))); break;
    case 2: replace(text, token_of(text, random), copy(other, token_of(other, random))); break;
    case 3: {
      const Stretch gone = token_of(text, random);
      const std::size_t end = std::min(text.size(), gone.begin + gone.size + 1);
      text.erase(at(text, gone.begin), at(text, end));
      break;
    }
    case 4: {  // a number more or less
      const Stretch token = token_of(text, random);
      if (token.size == 0) break;
      std::uint8_t& digit = text[token.begin + random.below(token.size)];
      if (digit >= '0' && digit <= '9') digit = static_cast<std::uint8_t>('0' + random.below(10));
      break;
    }
    case 5: {
      if (!random.one_in(4)) break;
      const auto& [open, close] = random.pick(kBrackets);
      const std::size_t depth = std::size_t{1} << random.below(17);
      Bytes nested;
      for (const char* bracket : {open, close})
        for (std::size_t i = 0; i < depth; ++i)
          for (const char* c = bracket; *c != '\0'; ++c) nested.push_back(static_cast<std::uint8_t>(*c));
      replace(text, token_of(text, random), nested);
      break;
    }
    case 6: {  // a stretch between separators once more
      const Stretch a = token_of(text, random), b = token_of(text, random);
      const std::size_t begin = std::min(a.begin, b.begin);
      const std::size_t end = std::min(text.size(), std::max(a.begin + a.size, b.begin + b.size) + 1);
      insert(text, begin, copy(text, {begin, end - begin}));
      break;
    }
    default: change(text, other, random);
  }
}

}  // namespace

Bytes mutate_bytes(Bytes bytes, const Bytes& other, Random& random) {
  for (std::size_t left = 1 + random.below(4); left > 0; --left) change(bytes, other, random);
  return bytes;
}

Bytes mutate_text(Bytes text, const Bytes& other, Random& random) {
  for (std::size_t left = 1 + random.below(4); left > 0; --left) change_text(text, other, random);
  return text;
}

}  // namespace tacit::fuzz
