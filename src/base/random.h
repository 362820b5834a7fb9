#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace tacit::base {

/// 32 bytes from which a stream is expanded.
using Seed = std::array<std::uint8_t, 32>;

/// Returns a seed for secrets from the operating system's entropy source. Throws Error if there is none.
Seed system_seed();
/// Returns a seed that may be published, such as that of a key's uniform half or of a file's name. It comes from a
/// separate generator: published bytes are never output of the generator of secrets. Throws Error as above.
Seed public_seed();

/// Overwrites memory in a way the compiler may not remove.
void zeroise(void* data, std::size_t bytes) noexcept;

/// A cryptographically secure stream of words: AES-256-CTR (Ciphers) with a seed as its key. The 64-bit `stream` number
/// in the nonce separates domains. The same (seed, stream) gives the same words on every machine. Not thread safe: use
/// one generator per thread. Words not yet delivered are in secret memory (secret_memory.h). Ciphers hold the key
/// schedule and zeroise it on destruction.
class Csprng {
 public:
  explicit Csprng(const Seed& seed, std::uint64_t stream = 0);
  /// Returns a stream for secrets from a fresh seed of the operating system. No copy of the seed stays in memory.
  static Csprng from_system();
  ~Csprng();
  Csprng(Csprng&&) noexcept;

  /// Continues with the first words of another stream of the same seed. A new generator would give the same words, but
  /// need new memory.
  void begin_stream(std::uint64_t stream);

  std::uint64_t next();
  void fill(std::span<std::uint64_t> words);
  /// Returns a uniform number in [0, bound) without bias (rejection). `bound` > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::base
