#pragma once

#include "layout/layout.h"
#include "params/ckks_parameters.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// Returns log2 g of the thin ciphertexts (scheme/ckks/subring.h) that hold results in this layout. Two copies of every
/// element are left where there are several, because the client compares them. 1,024 coefficients are left at least,
/// from which it estimates the noise.
int answer_gap(const params::CkksParameters& parameters, const layout::Layout& layout);

/// Returns results in this layout as thin ciphertexts. They decrypt to the means of the copies.
CiphertextArray small_answer(const scheme::ckks::Context& context, const layout::Layout& layout,
                             CiphertextArray results);

}  // namespace tacit::runtime
