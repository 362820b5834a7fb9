#pragma once

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

namespace tacit::scheme::ckks {

/// Returns x times i, or times -i, exactly and without a level: a product by the monomial X^(N/2). Only rings with
/// complex slots have it.
Ciphertext times_i(const Context& context, Ciphertext x, bool negative = false);

}  // namespace tacit::scheme::ckks
