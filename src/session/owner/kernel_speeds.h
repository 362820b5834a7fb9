#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "ring/modulus.h"

namespace tacit::session {

/// Times of the kernels of the ring, in nanoseconds per word, if several threads share the words.
struct KernelSpeeds {
  double transform = 0;   ///< per stage: transforms of 2^14 words modulo a prime of 50 bits, in the caches
  double conversion = 0;  ///< per pair of primes: base conversions from twelve primes to twelve, in the caches
  double key = 0;         ///< per product: sums of two products with rows of keys, half of them expanded from a seed
  double product = 0;     ///< per product: sums of eight products with rows that come from memory
  double read = 0;        ///< reading in order from memory
  double embedding = 0;   ///< per slot and stage, not per word: embeddings of 2^14 slots, in the caches
  double touch = 0;       ///< first writing, in memory that the system has just provided
};

/// Measures on `threads` threads (1 or more) at the same time, each by itself. A speed is the first decile of its
/// timings. The speed of fresh memory is the least of four blocks. Takes half a second, and 64 MiB of memory in all, or
/// 1 MiB per thread if that is more. There should be a processor for each thread. Throws std::bad_alloc and
/// std::system_error if memory or threads are missing.
KernelSpeeds measure_kernels(int threads);

/// Returns words in [0, q) to time kernels on, the same in every run. `words` is a multiple of 8.
base::AlignedVector<std::uint64_t> operands(std::size_t words, const ring::Modulus& q);
/// Returns the seconds per word and stage of a transform of 2^log_n words and its inverse, modulo a prime of `bits`
/// bits.
double seconds_of_transforms(int log_n, int bits, double budget_seconds);
/// Returns the seconds per word and pair of primes of a base conversion.
double seconds_of_conversions(double budget_seconds);
/// Reads words in order.
void read_words(std::span<const std::uint64_t> words);

}  // namespace tacit::session
