#include "merkle/digest.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::merkle {

std::string hexadecimal(const Digest& digest) {
  std::string text;
  for (const std::uint64_t word : digest.words)
    for (int byte = 0; byte < 8; ++byte) text += fmt::format("{:02x}", word >> 8 * byte & 0xff);
  return text;
}

Digest digest_from_hexadecimal(std::string_view text, std::string_view what) {
  Digest digest;
  if (text.size() != 64) base::refuse("{}: a digest is 64 hexadecimal digits", what);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    int value = -1;
    if (c >= '0' && c <= '9') value = c - '0';
    if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
    if (value < 0) base::refuse("{}: a digest is 64 hexadecimal digits", what);
    const std::size_t shift = 8 * (i / 2 % 8) + (i % 2 == 0 ? 4 : 0);
    digest.words[i / 16] |= static_cast<std::uint64_t>(value) << shift;
  }
  if (!is_canonical(digest)) base::refuse("{}: a word of the digest is not below 2^64 - 2^32 + 1", what);
  return digest;
}

}  // namespace tacit::merkle
