#include "base/ed25519.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdio>

#include "base/error.h"

namespace tacit::base {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Digester = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* bytes_of(std::span<const std::byte> message) {
  return reinterpret_cast<const unsigned char*>(message.data());
}

EVP_PKEY* key_of(const std::shared_ptr<void>& key) { return static_cast<EVP_PKEY*>(key.get()); }

// OpenSSL would ask at the terminal for the passphrase of an encrypted key.
int no_passphrase(char*, int, int, void*) { return 0; }

template <class Read>
Key read_pem(const std::filesystem::path& path, const char* what, const char* way_out, const Read& read) {
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError(path.string() + ": cannot be opened");
  Key key(read(file.get(), nullptr, no_passphrase, nullptr), &EVP_PKEY_free);
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519)
    throw InputError(path.string() + ": no " + what + " of Ed25519 in PEM, without a passphrase; make one with " +
                     way_out);
  return key;
}

SignerId signer_of(EVP_PKEY* key) {
  SignerId id{};
  std::size_t size = id.size();
  if (EVP_PKEY_get_raw_public_key(key, id.data(), &size) != 1 || size != id.size())
    throw InternalError("OpenSSL gives no public key of an Ed25519 key");
  return id;
}

}  // namespace

SigningKey SigningKey::from_pem(const std::filesystem::path& path) {
  return SigningKey(
      read_pem(path, "private key", "openssl genpkey -algorithm ed25519 -out key.pem", PEM_read_PrivateKey));
}

SignerId SigningKey::signer() const { return signer_of(key_of(key_)); }

Signature SigningKey::sign(std::span<const std::byte> message) const {
  const Digester digester(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Signature signature{};
  std::size_t size = signature.size();
  if (!digester || EVP_DigestSignInit(digester.get(), nullptr, nullptr, nullptr, key_of(key_)) != 1 ||
      EVP_DigestSign(digester.get(), signature.data(), &size, bytes_of(message), message.size()) != 1 ||
      size != signature.size())
    throw InternalError("OpenSSL cannot sign with an Ed25519 key");
  return signature;
}

SignerId signer_from_pem(const std::filesystem::path& path) {
  return signer_of(
      read_pem(path, "public key", "openssl pkey -in key.pem -pubout -out pub.pem", PEM_read_PUBKEY).get());
}

bool verifies(const SignerId& signer, std::span<const std::byte> message, const Signature& signature) {
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, signer.data(), signer.size()), &EVP_PKEY_free);
  const Digester digester(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  return key && digester && EVP_DigestVerifyInit(digester.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(digester.get(), signature.data(), signature.size(), bytes_of(message), message.size()) == 1;
}

}  // namespace tacit::base
