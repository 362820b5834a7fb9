#include "base/ed25519.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

std::string_view target_name() { return "signer_pem"; }

std::vector<Bytes> seeds() {
  return {
      bytes_of("-----BEGIN PUBLIC KEY-----\n"
               "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n"
               "-----END PUBLIC KEY-----\n")};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// A signer has the same name each time, and nothing is signed by nobody.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const base::SignerId signer = base::signer_from_pem(file.path());
  require(base::signer_from_pem(file.path()) == signer, "a key reads the same twice");
  base::Signature ones{};
  ones.fill(1);
  require(!base::verifies(signer, {}, ones), "a signature of no one is refused");
}

}  // namespace tacit::fuzz
