#include "base/random.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/cipher/cipher.h"
#include "base/entropy.h"
#include "base/error.h"
#include "base/secret_memory.h"

namespace tacit::base {

namespace {
Seed drawn(Entropy use) {
  Seed seed;
  if (!draw_entropy(seed, use)) throw Error("the operating system gave no entropy; no key or ciphertext was made");
  return seed;
}

/// The stream's number, then a block counter from 0.
StreamCipher::Counter nonce_of(std::uint64_t stream) {
  static_assert(std::endian::native == std::endian::little, "streams are defined little-endian");
  StreamCipher::Counter nonce{};
  std::memcpy(nonce.data(), &stream, sizeof stream);
  return nonce;
}
}  // namespace

Seed system_seed() { return drawn(Entropy::secret); }
Seed public_seed() { return drawn(Entropy::published); }

void zeroise(void* data, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  std::memset(data, 0, bytes);
  // What follows may read the memory, as far as the compiler knows.
  __asm__ volatile("" : : "r"(data) : "memory");
}

struct Csprng::Impl {
  static constexpr std::size_t kWords = 512;
  static void* operator new(std::size_t bytes) { return allocate_secret(bytes); }
  static void operator delete(void* impl, std::size_t bytes) { deallocate_secret(impl, bytes); }
  std::unique_ptr<StreamCipher> cipher;
  std::uint64_t buffer[kWords];
  std::size_t used = kWords;
};

Csprng::Csprng(const Seed& seed, std::uint64_t stream) : impl_(new Impl) {
  impl_->cipher = ciphers().stream(seed, nonce_of(stream));
}

void Csprng::begin_stream(std::uint64_t stream) {
  impl_->cipher->restart(nonce_of(stream));
  zeroise(impl_->buffer, sizeof impl_->buffer);
  impl_->used = Impl::kWords;
}

Csprng Csprng::from_system() {
  Seed seed = system_seed();
  Csprng random(seed);
  zeroise(seed.data(), seed.size());
  return random;
}

Csprng::~Csprng() = default;
Csprng::Csprng(Csprng&&) noexcept = default;

std::uint64_t Csprng::next() {
  if (impl_->used == Impl::kWords) {
    impl_->cipher->fill(impl_->buffer);
    impl_->used = 0;
  }
  return std::exchange(impl_->buffer[impl_->used++], 0);
}

void Csprng::fill(std::span<std::uint64_t> words) {
  std::size_t i = 0;
  while (i < words.size() && impl_->used < Impl::kWords) words[i++] = next();
  const std::size_t whole = (words.size() - i) / Impl::kWords * Impl::kWords;
  if (whole > 0) impl_->cipher->fill(words.subspan(i, whole));
  for (i += whole; i < words.size(); ++i) words[i] = next();
}

std::uint64_t Csprng::below(std::uint64_t bound) {
  TACIT_ASSERT(bound > 0);
  const std::uint64_t mask = bound <= 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(bound - 1);
  for (;;) {
    const std::uint64_t word = next() & mask;
    if (word < bound) return word;
  }
}

}  // namespace tacit::base
