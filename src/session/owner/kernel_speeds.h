#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "ring/modulus.h"

namespace tacit::session {

/// What the kernels of the ring take, in nanoseconds a word, where so many threads share the words.
struct KernelSpeeds {
  double transform = 0;   ///< and stage: transforms of 2^14 words modulo a prime of 50 bits, in the caches
  double conversion = 0;  ///< and pair of primes: base conversions from twelve primes to twelve, in the caches
  double key = 0;         ///< and product: sums of two products with rows of keys, half of them expanded from a seed
  double product = 0;     ///< and product: sums of eight products with rows that come from memory
  double read = 0;        ///< read in order from memory
  double embedding = 0;   ///< a slot, and stage: embeddings of 2^14 slots, in the caches
  double touch = 0;       ///< written for the first time, in memory that the system has just handed out
};

/// So many threads (1 and more) measure at the same time, each by itself. A speed is the first decile of its timings;
/// of fresh memory, the least of four blocks. Takes half a second and 64 MiB of memory, or one a thread. There should
/// be a processor for each. Throws std::bad_alloc and std::system_error where memory or threads are missing.
KernelSpeeds measure_kernels(int threads);

/// Words in [0, q) to time kernels on, the same in every run; `words` a multiple of 8.
base::AlignedVector<std::uint64_t> operands(std::size_t words, const ring::Modulus& q);
/// Seconds a word and stage of a transform of 2^log_n words and its inverse, modulo a prime of so many bits.
double seconds_of_transforms(int log_n, int bits, double budget_seconds);
/// Seconds a word and pair of primes of a base conversion.
double seconds_of_conversions(double budget_seconds);
/// Reads words in order.
void read_words(std::span<const std::uint64_t> words);

}  // namespace tacit::session
