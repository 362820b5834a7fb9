#include "base/ed25519.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/cipher/own_ed25519.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::base {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// RFC 8032, section 7.1, test 1, with the key in the form of RFC 8410.
constexpr const char* kPrivate =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kPublic =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";
// Made by `openssl genpkey -algorithm ed25519 -aes256 -pass pass:secret`.
constexpr const char* kEncrypted =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgmCud7zFdK/QICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGPvPW8fLX0JY0EDKS6X9MoEQK++\n"
    "ceMmUxo9GzaPc/6rwOXzliV+zFl3rshOIyXI0am04JfJSyt3DkVI4JWGoClmu8Zw\n"
    "vkkDUJojzbzSXhHzse8=\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";
constexpr const char* kSigner = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
constexpr const char* kSignature =
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

class Ed25519 : public testing::Test {
 protected:
  std::filesystem::path file(const char* name, const std::string& content) const {
    write_file(folder_.path() / name, content);
    return folder_.path() / name;
  }
  TemporaryFolder folder_;
};

TEST_F(Ed25519, SignsAsPublished) {
  const SigningKey key = SigningKey::from_pem(file("key.pem", kPrivate));
  EXPECT_EQ(hexadecimal(key.signer()), kSigner);
  EXPECT_EQ(hexadecimal(signer_from_pem(file("pub.pem", kPublic))), kSigner);
  const Signature signature = key.sign({});
  EXPECT_EQ(hexadecimal(signature), kSignature);
  EXPECT_TRUE(verifies(key.signer(), {}, signature));
}

TEST_F(Ed25519, AnotherMessageSignatureOrSignerDoesNotVerify) {
  const SigningKey key = SigningKey::from_pem(file("key.pem", kPrivate));
  const std::string text = "a message";
  const auto message = std::as_bytes(std::span(text));
  const Signature signature = key.sign(message);
  EXPECT_TRUE(verifies(key.signer(), message, signature));
  EXPECT_FALSE(verifies(key.signer(), message.first(8), signature));
  Signature other = signature;
  other[40] ^= 1;
  EXPECT_FALSE(verifies(key.signer(), message, other));
  SignerId stranger = key.signer();
  stranger[5] ^= 1;
  EXPECT_FALSE(verifies(stranger, message, signature));
}

TEST_F(Ed25519, OtherFilesAreRefusedByName) {
  const auto refuses = [](const auto& read) {
    EXPECT_THAT(read, ThrowsMessage<InputError>(AllOf(HasSubstr(".pem"), HasSubstr("openssl"))));
  };
  refuses([&] { SigningKey::from_pem(file("public.pem", kPublic)); });
  refuses([&] { signer_from_pem(file("private.pem", kPrivate)); });
  refuses([&] { SigningKey::from_pem(file("empty.pem", "")); });
  EXPECT_THROW(SigningKey::from_pem(folder_.path() / "absent.pem"), InputError);
}

TEST_F(Ed25519, AKeyUnderAPassphraseIsRefusedAndNobodyIsAsked) {
  EXPECT_THAT([&] { SigningKey::from_pem(file("encrypted.pem", kEncrypted)); },
              ThrowsMessage<InputError>(HasSubstr("no private key of Ed25519 in PEM, without a passphrase")));
}

// Our own check, of clients without OpenSSL, against OpenSSL's on signatures, altered ones and arbitrary bytes.
TEST_F(Ed25519, OurOwnCheckAgreesWithOpenSsl) {
  const SigningKey key = SigningKey::from_pem(file("key.pem", kPrivate));
  std::mt19937_64 random(3);
  const auto bit = [&](std::size_t bytes) { return random() % (8 * bytes); };
  const auto flip = [](auto& bytes, std::size_t at) {
    bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1u << (at % 8));
  };
  for (std::size_t length : {0, 1, 47, 48, 63, 64, 111, 112, 127, 128, 300}) {
    std::vector<std::byte> message(length);
    for (std::byte& byte : message) byte = static_cast<std::byte>(random());
    const Signature signature = key.sign(message);
    EXPECT_TRUE(own_verifies(key.signer(), message, signature)) << length;
    for (int i = 0; i < 4; ++i) {
      Signature altered = signature;
      flip(altered, bit(64));
      EXPECT_FALSE(own_verifies(key.signer(), message, altered));
      SignerId other = key.signer();
      flip(other, bit(32));
      EXPECT_EQ(own_verifies(other, message, signature), verifies(other, message, signature));
      for (std::uint8_t& byte : other) byte = static_cast<std::uint8_t>(random());
      EXPECT_EQ(own_verifies(other, message, signature), verifies(other, message, signature));
    }
    if (length == 0) continue;
    message[length / 2] ^= std::byte{1};
    EXPECT_FALSE(own_verifies(key.signer(), message, signature)) << length;
  }
  // S plus the order of the base point: the same number modulo the order, and refused.
  Signature large = key.sign({});
  constexpr std::array<std::uint8_t, 16> kLowOrder{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                                   0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += large[32 + i] + (i < 16 ? kLowOrder[i] : i == 31 ? 0x10u : 0u);
    large[32 + i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
  EXPECT_FALSE(verifies(key.signer(), {}, large));
  EXPECT_FALSE(own_verifies(key.signer(), {}, large));
}

}  // namespace
}  // namespace tacit::base
