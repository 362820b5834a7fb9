#include "scheme/ckks/check.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace tacit::scheme::ckks {

void check_parameters(const Context& context, const params::ParameterHash& hash, const char* operation,
                      const char* object) {
  if (hash != context.parameters().hash())
    throw base::KeyMismatch(fmt::format("{}: the parameter set of the {} is not '{}'", operation, object,
                                        context.parameters().literal().name));
}

void check_level(const Context& context, int level, const char* operation) {
  if (level < 0 || level > context.parameters().max_level())
    base::refuse("{}: level {} is outside 0 to {}", operation, level, context.parameters().max_level());
}

void check_scale(double scale, const char* operation) {
  if (!std::isfinite(scale) || scale <= 0) base::refuse("{}: the scale {} is not a positive number", operation, scale);
}

namespace {
void check_shape(const Context& context, const ring::NttPoly& poly, int level, const char* operation) {
  if (poly.n() != context.parameters().n() || poly.limbs() != rlwe::ModulusChain::rows(level))
    base::refuse("{}: a polynomial of {} limbs of {} words does not fit level {} of N = {}", operation, poly.limbs(),
                 poly.n(), level, context.parameters().n());
}
}  // namespace

void check(const Context& context, const Ciphertext& ciphertext, const char* operation) {
  check_parameters(context, ciphertext.parameters, operation, "ciphertext");
  check_level(context, ciphertext.level, operation);
  check_scale(ciphertext.scale, operation);
  check_shape(context, ciphertext.c0, ciphertext.level, operation);
  check_shape(context, ciphertext.c1, ciphertext.level, operation);
}

void check(const Context& context, const Plaintext& plaintext, const char* operation) {
  check_parameters(context, plaintext.parameters, operation, "plaintext");
  check_level(context, plaintext.level, operation);
  check_scale(plaintext.scale, operation);
  check_shape(context, plaintext.poly, plaintext.level, operation);
}

void check_same_level(int a, int b, const char* operation) {
  if (a != b)
    base::refuse("{}: the operands are at levels {} and {}; drop the higher one to the lower", operation, a, b);
}

void check_same_scale(double a, double b, const char* operation) {
  if (std::abs(a - b) > std::ldexp(std::abs(a), -30))
    base::refuse("{}: the operands have scales 2^{:.9f} and 2^{:.9f}; bring them to the same scale first", operation,
                 std::log2(a), std::log2(b));
}

void check_rescalable(int level, const char* operation) {
  if (level < 1)
    base::refuse("{}: it consumes one level and its operand is at level 0; use parameters with more levels", operation);
}

}  // namespace tacit::scheme::ckks
