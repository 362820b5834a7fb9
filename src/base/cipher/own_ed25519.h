#pragma once

#include <cstddef>
#include <span>

#include "base/ed25519.h"

namespace tacit::base {

/// Returns true if the signer made this signature of this message (RFC 8032, section 5.1.7), in plain C++. It compares
/// R with S B - k A and does not multiply by the cofactor, as OpenSSL does. All its inputs are public: its time depends
/// on them.
bool own_verifies(const SignerId& signer, std::span<const std::byte> message, const Signature& signature);

}  // namespace tacit::base
