#include <algorithm>
#include <bit>
#include <cstring>

#include "base/cipher/cipher.h"
#include "base/cipher/own_sha256.h"
#include "base/cipher/sliced_aes.h"
#include "base/secret_memory.h"
#include "base/wipe.h"

namespace tacit::base {
namespace {

std::uint64_t swapped(std::uint64_t word) {
  std::uint64_t result = 0;
  for (int i = 0; i < 8; ++i) result = result << 8 | (word >> (8 * i) & 0xFF);
  return result;
}

class OwnStream final : public StreamCipher {
 public:
  static void* operator new(std::size_t bytes) { return allocate_secret(bytes); }
  static void operator delete(void* stream, std::size_t bytes) { deallocate_secret(stream, bytes); }

  OwnStream(const Key& key, const Counter& first) : aes_(key) { restart(first); }
  void restart(const Counter& first) override {
    std::memcpy(&high_, first.data(), sizeof high_);
    std::memcpy(&low_, first.data() + sizeof high_, sizeof low_);
    high_ = swapped(high_);
    low_ = swapped(low_);
  }
  void fill(std::span<std::uint64_t> words) override {
    while (!words.empty()) {
      const std::size_t blocks = std::min(SlicedAes::kBlocks, words.size() / 2);
      for (std::size_t block = 0; block < SlicedAes::kBlocks; ++block) {
        const std::uint64_t low = low_ + block;
        batch_[2 * block] = swapped(high_ + (low < low_ ? 1 : 0));
        batch_[2 * block + 1] = swapped(low);
      }
      aes_.encrypt(batch_);
      std::copy_n(batch_.begin(), 2 * blocks, words.begin());
      words = words.subspan(2 * blocks);
      if ((low_ += blocks) < blocks) ++high_;
    }
    wipe(batch_);
  }

 private:
  SlicedAes aes_;
  std::array<std::uint64_t, SlicedAes::kWords> batch_{};
  std::uint64_t high_ = 0, low_ = 0;
};

class OwnBlock final : public BlockCipher {
 public:
  explicit OwnBlock(const Key& key) : aes_(key) {}
  void encrypt(std::span<std::uint64_t> words) override {
    while (words.size() >= SlicedAes::kWords) {
      aes_.encrypt(words.first<SlicedAes::kWords>());
      words = words.subspan(SlicedAes::kWords);
    }
    if (words.empty()) return;
    std::array<std::uint64_t, SlicedAes::kWords> batch{};
    std::ranges::copy(words, batch.begin());
    aes_.encrypt(batch);
    std::copy_n(batch.begin(), words.size(), words.begin());
  }

 private:
  SlicedAes aes_;
};

constexpr Ciphers kOwn{
    "Tacit",
    [](const StreamCipher::Key& key, const StreamCipher::Counter& first) -> std::unique_ptr<StreamCipher> {
      return std::unique_ptr<StreamCipher>(new OwnStream(key, first));
    },
    [](const BlockCipher::Key& key) -> std::unique_ptr<BlockCipher> { return std::make_unique<OwnBlock>(key); },
    []() -> std::unique_ptr<Hash> { return std::make_unique<OwnSha256>(); }};

}  // namespace

const Ciphers& own_ciphers() { return kOwn; }

}  // namespace tacit::base
