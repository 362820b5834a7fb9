#include <openssl/evp.h>

#include <cstring>

#include "base/cipher/cipher.h"
#include "base/error.h"

namespace tacit::base {
namespace {

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

/// OpenSSL takes lengths as int.
void encrypt_in_place(EVP_CIPHER_CTX* context, std::span<std::uint64_t> words, const char* name) {
  constexpr std::size_t kMostWords = std::size_t{1} << 17;
  while (!words.empty()) {
    const std::size_t count = words.size() < kMostWords ? words.size() : kMostWords;
    auto* const bytes = reinterpret_cast<unsigned char*>(words.data());
    int written = 0;
    if (EVP_EncryptUpdate(context, bytes, &written, bytes, static_cast<int>(count * sizeof(std::uint64_t))) != 1)
      throw InternalError(std::string(name) + " failed");
    words = words.subspan(count);
  }
}

/// OpenSSL holds the key schedule and zeroises it on destruction.
class OpensslStream final : public StreamCipher {
 public:
  OpensslStream(const Key& key, const Counter& first) {
    if (!context_ || EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, key.data(), first.data()) != 1)
      throw InternalError("AES-256-CTR is not available");
  }
  void restart(const Counter& first) override {
    if (EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, nullptr, first.data()) != 1)
      throw InternalError("AES-256-CTR is not available");
  }
  void fill(std::span<std::uint64_t> words) override {
    std::memset(words.data(), 0, words.size_bytes());
    encrypt_in_place(context_.get(), words, "AES-CTR");
  }

 private:
  CipherContext context_{EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free};
};

class OpensslBlock final : public BlockCipher {
 public:
  explicit OpensslBlock(const Key& key) {
    if (!context_ || EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ecb(), nullptr, key.data(), nullptr) != 1)
      throw InternalError("AES-128 is not available");
  }
  void encrypt(std::span<std::uint64_t> words) override { encrypt_in_place(context_.get(), words, "AES-128"); }

 private:
  CipherContext context_{EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free};
};

class OpensslHash final : public Hash {
 public:
  OpensslHash() {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw InternalError("SHA-256 is not available");
  }
  void update(std::span<const std::byte> bytes) override {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw InternalError("SHA-256 failed");
  }
  Digest finish() override {
    Digest digest;
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) throw InternalError("SHA-256 failed");
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

constexpr Ciphers kOpenssl{
    "OpenSSL",
    [](const StreamCipher::Key& key, const StreamCipher::Counter& first) -> std::unique_ptr<StreamCipher> {
      return std::make_unique<OpensslStream>(key, first);
    },
    [](const BlockCipher::Key& key) -> std::unique_ptr<BlockCipher> { return std::make_unique<OpensslBlock>(key); },
    []() -> std::unique_ptr<Hash> { return std::make_unique<OpensslHash>(); }};

}  // namespace

const Ciphers& ciphers() { return kOpenssl; }

}  // namespace tacit::base
