#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "app/service/refusal.h"

namespace tacit::app::service {

/// Where a request ends, by its head: its line and its headers, with the empty line after them. The HTTP library is
/// lenient with heads, and a proxy before this server may read such a head differently.
struct RequestFraming {
  std::uint64_t body_bytes = 0;
  std::optional<Refusal> refusal;  ///< nobody can say where the request ends: its connection must be closed
};

/// Refuses every Transfer-Encoding, a Content-Length that is not one number in decimal digits, and heads that RFC 9112
/// does not allow: lines that end in another way than CR LF, folded lines, control characters, and what is no token
/// followed by a colon.
RequestFraming framing_of(std::string_view head);

}  // namespace tacit::app::service
