#include "base/random.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/secret_memory.h"

namespace tacit::base {

namespace {
template <class Generator>
Seed drawn(const Generator& generator) {
  Seed seed;
  if (generator(seed.data(), static_cast<int>(seed.size())) != 1)
    throw Error("the operating system gave no entropy; no key or ciphertext was made");
  return seed;
}

/// The stream's number, then a block counter from 0.
std::array<unsigned char, 16> nonce_of(std::uint64_t stream) {
  std::array<unsigned char, 16> nonce{};
  std::memcpy(nonce.data(), &stream, sizeof stream);
  return nonce;
}
}  // namespace

Seed system_seed() { return drawn(RAND_priv_bytes); }
Seed public_seed() { return drawn(RAND_bytes); }

void zeroise(void* data, std::size_t bytes) noexcept { OPENSSL_cleanse(data, bytes); }

struct Csprng::Impl {
  static constexpr std::size_t kWords = 512;
  static void* operator new(std::size_t bytes) { return allocate_secret(bytes); }
  static void operator delete(void* impl, std::size_t bytes) { deallocate_secret(impl, bytes); }
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher{EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free};
  std::uint64_t buffer[kWords];
  std::size_t used = kWords;

  void generate(std::uint64_t* words, std::size_t count) {
    static_assert(std::endian::native == std::endian::little, "streams are defined little-endian");
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    auto* bytes = reinterpret_cast<unsigned char*>(words);
    std::size_t left = count * sizeof(std::uint64_t);
    std::memset(bytes, 0, left);
    while (left > 0) {
      const std::size_t chunk = left < kChunk ? left : kChunk;
      int written = 0;
      if (EVP_EncryptUpdate(cipher.get(), bytes, &written, bytes, static_cast<int>(chunk)) != 1)
        throw InternalError("AES-CTR failed");
      bytes += chunk;
      left -= chunk;
    }
  }
};

Csprng::Csprng(const Seed& seed, std::uint64_t stream) : impl_(new Impl) {
  if (impl_->cipher == nullptr ||
      EVP_EncryptInit_ex(impl_->cipher.get(), EVP_aes_256_ctr(), nullptr, seed.data(), nonce_of(stream).data()) != 1)
    throw InternalError("AES-256-CTR is not available");
}

void Csprng::begin_stream(std::uint64_t stream) {
  if (EVP_EncryptInit_ex(impl_->cipher.get(), nullptr, nullptr, nullptr, nonce_of(stream).data()) != 1)
    throw InternalError("AES-256-CTR is not available");
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
    impl_->generate(impl_->buffer, Impl::kWords);
    impl_->used = 0;
  }
  return std::exchange(impl_->buffer[impl_->used++], 0);
}

void Csprng::fill(std::span<std::uint64_t> words) {
  std::size_t i = 0;
  while (i < words.size() && impl_->used < Impl::kWords) words[i++] = next();
  const std::size_t whole = (words.size() - i) / Impl::kWords * Impl::kWords;
  if (whole > 0) impl_->generate(words.data() + i, whole);
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
