#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace tacit::base {

/// 32 bytes from which a stream is expanded.
using Seed = std::array<std::uint8_t, 32>;

/// A seed for secrets, from the operating system's entropy source. Throws Error if there is none.
Seed system_seed();
/// A seed that everybody may see, like that of a key's uniform half or the name of a file: from a generator beside the
/// one of secrets, so that what is published never was part of its output. Throws Error as above.
Seed public_seed();

/// Overwrites memory in a way the compiler may not remove.
void zeroise(void* data, std::size_t bytes) noexcept;

/// A cryptographically secure stream of words: AES-256-CTR (OpenSSL) keyed with a seed, with a 64-bit `stream` number
/// in the nonce for domain separation. The same (seed, stream) gives the same words on every machine.
/// Not thread safe: one generator a thread. The words that wait lie in secret memory (secret_memory.h). The key
/// schedule is the library's, which zeroises it on destruction.
class Csprng {
 public:
  explicit Csprng(const Seed& seed, std::uint64_t stream = 0);
  /// For secrets: a stream from a fresh seed of the operating system, of which no copy stays in memory.
  static Csprng from_system();
  ~Csprng();
  Csprng(Csprng&&) noexcept;

  /// Goes on with the first words of another stream of the same seed: what a new generator would give, without its
  /// memory.
  void begin_stream(std::uint64_t stream);

  std::uint64_t next();
  void fill(std::span<std::uint64_t> words);
  /// Uniform in [0, bound) without bias (rejection). `bound` > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::base
