#pragma once

#include <span>

#include "runtime/artefact.h"

namespace tacit::app::service {

/// What the first bytes of a body must be: a header of this kind, which the body is too short for or begins with.
/// Throws Refusal, and says of a secret key that it was not stored: whoever receives a body asks before the disk sees
/// it.
void require_kind(std::span<const char> start, runtime::ArtefactKind wanted);

/// The same where more bytes will follow: what is too short to name its kind is held to the bytes that every kind
/// begins with.
void require_beginning_of_kind(std::span<const char> start, runtime::ArtefactKind wanted);

}  // namespace tacit::app::service
