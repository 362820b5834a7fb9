#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/aligned.h"
#include "ring/base_converter.h"
#include "ring/modulus.h"

/// Primes and words for this room's tests.
namespace tacit::ring::testing {

/// Miller and Rabin with the first twelve primes as bases: exact below 2^64.
inline bool is_prime(std::uint64_t n) {
  constexpr std::uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (const std::uint64_t p : kBases)
    if (n % p == 0) return n == p;
  const Modulus q(n);
  std::uint64_t odd = n - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  for (const std::uint64_t base : kBases) {
    std::uint64_t x = q.pow(base, odd);
    if (x == 1 || x == n - 1) continue;
    int round = 1;
    for (; round < twos && x != n - 1; ++round) x = q.mul(x, x);
    if (x != n - 1) return false;
  }
  return true;
}

/// The `count` largest primes below `bound` that are 1 mod `step`.
inline std::vector<Modulus> largest_primes_below(std::uint64_t bound, std::uint64_t step, std::size_t count) {
  std::vector<Modulus> primes;
  for (std::uint64_t q = (bound - 2) / step * step + 1; primes.size() < count; q -= step)
    if (is_prime(q)) primes.emplace_back(q);
  return primes;
}

/// The `count` largest primes of exactly `bits` bits that are 1 mod `step`.
inline std::vector<Modulus> largest_primes(int bits, std::uint64_t step, std::size_t count) {
  return largest_primes_below(std::uint64_t{1} << bits, step, count);
}

/// The smallest prime of exactly `bits` bits that is 1 mod `step`.
inline Modulus smallest_prime(int bits, std::uint64_t step) {
  std::uint64_t q = ((std::uint64_t{1} << (bits - 1)) / step + 1) * step + 1;
  while (!is_prime(q)) q += step;
  return Modulus(q);
}

/// Words in [0, q): random, with 0, 1, q / 2 and q - 1 mixed in.
inline base::AlignedVector<std::uint64_t> words(std::size_t n, const Modulus& q, std::mt19937_64& random) {
  base::AlignedVector<std::uint64_t> result(n);
  for (std::uint64_t& word : result) {
    const std::uint64_t draw = random();
    switch (draw >> 60) {
      case 0: word = 0; break;
      case 1: word = q.value() - 1; break;
      case 2: word = q.value() / 2 + (draw & 1); break;
      case 3: word = 1; break;
      default: word = draw % q.value();
    }
  }
  return result;
}

/// Rows of n words modulo the converter's sources, converted to its targets and reduced to [0, q).
inline std::vector<base::AlignedVector<std::uint64_t>> converted(
    const BaseConverter& converter, const std::vector<base::AlignedVector<std::uint64_t>>& source, std::size_t n) {
  std::vector<const std::uint64_t*> src;
  for (const auto& row : source) src.push_back(row.data());
  std::vector<base::AlignedVector<std::uint64_t>> result(converter.to().size(), base::AlignedVector<std::uint64_t>(n));
  std::vector<std::uint64_t*> dst;
  for (auto& row : result) dst.push_back(row.data());
  base::AlignedVector<std::uint64_t> prepared(converter.prepared_words(n));
  converter.prepare(src, prepared.data(), n);
  converter.convert_prepared(prepared.data(), 0, dst, n);
  for (std::size_t k = 0; k < result.size(); ++k)
    for (std::uint64_t& word : result[k]) {
      const std::uint64_t q = converter.to()[k].value();
      if (word >= 2 * q) word = ~std::uint64_t{0};  // not what is promised
      if (word >= q && word < 2 * q) word -= q;
    }
  return result;
}

}  // namespace tacit::ring::testing
