#pragma once

#include <span>

#include "runtime/artefact.h"

namespace tacit::app::service {

/// Checks the first bytes of a body. They must begin with a header of this kind, and a body that is too short for a
/// header is refused. Throws Refusal. For a secret key the sentence states that it was not stored. Call it before any
/// byte is written to disk.
void require_kind(std::span<const char> start, runtime::ArtefactKind wanted);

/// Does the same check if more bytes will follow. Bytes that are too short to name their kind are compared with the
/// bytes that every kind begins with.
void require_beginning_of_kind(std::span<const char> start, runtime::ArtefactKind wanted);

/// Refuses a secret key of any kind that begins a body, for addresses that take several kinds. Throws Refusal also for
/// bytes that begin neither an artefact nor a receipt. Call it before any byte is written to disk.
void require_no_secret(std::span<const char> start);

}  // namespace tacit::app::service
