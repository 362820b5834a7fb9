#pragma once

#include "scheme/tfhe/context.h"
#include "scheme/tfhe/lwe_ciphertexts.h"

/// The refusals that every operation shares; `operation` begins the message.
namespace tacit::scheme::tfhe {

/// Throws KeyMismatch if the object was made under another parameter set.
void check_parameters(const Context& context, const params::ParameterHash& hash, const char* operation,
                      const char* object);
/// Throws InputError if the parameter set is for sums alone.
void check_looks_up(const Context& context, const char* operation);
/// Checks parameters and dimension, for both kinds of words.
template <class Word>
void check(const Context& context, const LweBatch<Word>& ciphertexts, const char* operation);

}  // namespace tacit::scheme::tfhe
