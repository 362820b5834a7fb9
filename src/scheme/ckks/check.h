#pragma once

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"

/// The refusals that every operation shares; `operation` begins the message.
namespace tacit::scheme::ckks {

/// Throws KeyMismatch if the object was made under another parameter set.
void check_parameters(const Context& context, const params::ParameterHash& hash, const char* operation,
                      const char* object);
/// Throws InputError unless 0 <= level <= max_level.
void check_level(const Context& context, int level, const char* operation);
/// Throws InputError unless the scale is finite and positive.
void check_scale(double scale, const char* operation);
/// Checks parameters, level, scale and shape.
void check(const Context& context, const Ciphertext& ciphertext, const char* operation);
void check(const Context& context, const Plaintext& plaintext, const char* operation);
/// Throws InputError unless the levels agree, and the scales agree to 2^-30.
void check_same_level(int a, int b, const char* operation);
void check_same_scale(double a, double b, const char* operation);
/// Throws InputError unless a level is left to consume.
void check_rescalable(int level, const char* operation);

}  // namespace tacit::scheme::ckks
