#include "app/service/token_file.h"
#include "base/error.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

namespace {

/// The token whose SHA-256 the seeds hold for ben (FIPS 180-4).
constexpr std::string_view kToken = "abc";
constexpr std::string_view kDigest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

std::string_view target_name() { return "token_file"; }

std::vector<Bytes> seeds() {
  const std::string ben = "ben " + std::string(kDigest) + "\n", anna = "anna " + std::string(64, '0') + "\n";
  return {bytes_of("# Who may use the service.\n" + anna + ben), bytes_of("\n" + ben), bytes_of(ben + anna + ben)};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// A token is known only where its digest stands in the file, and its name is one.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const app::service::TokenFile tokens(file.path());
  const auto name = tokens.name_of("Bearer " + std::string(kToken));
  std::string text(text_of(bytes));
  for (char& c : text) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  require(!name || text.find(kDigest) != std::string::npos, "a token is known by its digest");
  require(!name || (!name->empty() && name->size() <= 64), "a client has a name");
  require(!tokens.name_of("Bearer ") && !tokens.name_of("Bearer " + std::string(kDigest)),
          "other tokens are not known");
}

}  // namespace tacit::fuzz
