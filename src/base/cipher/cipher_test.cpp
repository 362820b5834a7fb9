#include "base/cipher/cipher.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/cipher/own_sha256.h"
#include "base/random.h"

namespace tacit::base {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& digits) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <class Array>
Array array_of(const std::string& digits) {
  Array array{};
  const std::vector<std::uint8_t> bytes = bytes_of(digits);
  std::memcpy(array.data(), bytes.data(), array.size());
  return array;
}

std::string digits_of(std::span<const std::uint64_t> words) {
  return hexadecimal({reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()});
}

std::vector<std::uint64_t> random_words(std::size_t count) {
  Csprng random(Seed{9}, count);
  std::vector<std::uint64_t> words(count);
  random.fill(words);
  return words;
}

/// The implementation of this build and our own.
class EitherCiphers : public ::testing::TestWithParam<const Ciphers*> {};
INSTANTIATE_TEST_SUITE_P(All, EitherCiphers, ::testing::Values(&ciphers(), &own_ciphers()),
                         [](const auto& one) { return std::string(one.param->name); });

TEST_P(EitherCiphers, EncryptTheBlockOfFips197) {
  const auto cipher = GetParam()->block(array_of<BlockCipher::Key>("000102030405060708090a0b0c0d0e0f"));
  std::vector<std::uint64_t> words(2);
  std::memcpy(words.data(), bytes_of("00112233445566778899aabbccddeeff").data(), 16);
  cipher->encrypt(words);
  EXPECT_EQ(digits_of(words), "69c4e0d86a7b0430d8cdb78070b4c55a");
}

TEST_P(EitherCiphers, StreamTheBlocksOfSp80038a) {
  const auto cipher = GetParam()->stream(
      array_of<StreamCipher::Key>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
      array_of<StreamCipher::Counter>("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
  std::vector<std::uint64_t> words(8);
  cipher->fill(words);
  EXPECT_EQ(digits_of(words),
            "0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94"
            "1bc12c9c01610d5d0d8bd6a3378eca622956e1c8693536b1bee99c73a31576b6");
}

TEST_P(EitherCiphers, HashTheMessagesOfFips180) {
  const auto hashed = [](const std::string& text) {
    const auto hash = GetParam()->sha256();
    hash->update(std::as_bytes(std::span(text)));
    return hexadecimal(hash->finish());
  };
  EXPECT_EQ(hashed(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashed("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashed("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashed(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(OwnCiphers, GiveTheBlocksOfTheOthers) {
  for (const std::size_t words : {2, 254, 256, 258, 2048}) {
    std::vector<std::uint64_t> own = random_words(words), other = own;
    const auto key = array_of<BlockCipher::Key>("ff07060504030201f0e0d0c0b0a09080");
    own_ciphers().block(key)->encrypt(own);
    ciphers().block(key)->encrypt(other);
    EXPECT_EQ(own, other) << words;
  }
}

TEST(OwnCiphers, GiveTheStreamsOfTheOthersInPiecesOfAnyLength) {
  const auto key = array_of<StreamCipher::Key>("00ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e");
  // A counter that carries into its upper half.
  const auto first = array_of<StreamCipher::Counter>("00000000000000fffffffffffffffff9");
  const auto own = own_ciphers().stream(key, first), other = ciphers().stream(key, first);
  for (const std::size_t words : {2, 512, 6, 256, 1024, 30, 4096}) {
    std::vector<std::uint64_t> a(words), b(words);
    own->fill(a);
    other->fill(b);
    ASSERT_EQ(a, b) << words;
  }
  own->restart(first);
  other->restart(first);
  std::vector<std::uint64_t> a(512), b(512);
  own->fill(a);
  other->fill(b);
  EXPECT_EQ(a, b);
}

TEST(OwnCiphers, HashAsTheOthersWhereverPiecesEnd) {
  const std::vector<std::uint64_t> words = random_words(64);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(words));
  for (std::size_t size = 0; size <= 200; ++size)
    for (const std::size_t cut : {size / 3, size / 2, size}) {
      OwnSha256 own;
      own.update(bytes.first(cut));
      own.update(bytes.subspan(cut, size - cut));
      ASSERT_EQ(own.finish(), sha256(bytes.first(size))) << size << " " << cut;
    }
}

}  // namespace
}  // namespace tacit::base
