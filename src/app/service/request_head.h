#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "app/service/refusal.h"

namespace tacit::app::service {

/// The end of a request, derived from its head: the line, the headers and the empty line after them. The HTTP library
/// is lenient with heads. A proxy before this server may read a malformed head differently.
struct RequestFraming {
  std::uint64_t body_bytes = 0;
  std::optional<Refusal> refusal;  ///< set if the end of the request is ambiguous; its connection must be closed
};

/// Derives the end of a request from its head. Refuses every Transfer-Encoding, and a Content-Length that is not one
/// number in decimal digits. Refuses heads that RFC 9112 does not allow:
/// - lines that do not end in CR LF, and folded lines;
/// - control characters;
/// - header names that are no token followed by a colon.
RequestFraming framing_of(std::string_view head);

}  // namespace tacit::app::service
