#include "scheme/ckks/encoder.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/error.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/integer_polynomial.h"

namespace tacit::scheme::ckks {
namespace {

using Complex = std::complex<double>;

/// Coefficients of the polynomial whose slots are `slots` times `scale`; `slots` is overwritten. An element of the
/// conjugate-invariant ring is one of the ordinary ring of twice its degree with real slots, of which half the
/// coefficients say all.
std::vector<double> coefficients(const ring::Embedding& embedding, bool real_slots, std::span<Complex> slots,
                                 double scale) {
  embedding.slots_to_coefficients(slots);
  const std::size_t half = slots.size();
  if (real_slots) {
    std::vector<double> result(half);
    for (std::size_t i = 0; i < half; ++i) result[i] = slots[i].real() * scale;
    return result;
  }
  std::vector<double> result(2 * half);
  for (std::size_t i = 0; i < half; ++i) {
    result[i] = slots[i].real() * scale;
    result[i + half] = slots[i].imag() * scale;
  }
  return result;
}

void check_magnitude(const Context& context, const IntegerPolynomial& integers, int level) {
  if (const double modulus = context.parameters().log2_q(level); integers.log2_magnitude() + 1 >= modulus)
    base::refuse(
        "encode: value * scale reaches 2^{:.1f}, but at level {} only 2^{:.1f} fits; lower the scale or "
        "the values, or encode at a higher level",
        integers.log2_magnitude(), level, modulus - 1);
}

CompactPlaintext compact_slots(const Context& context, std::span<Complex> slots, int level, double scale) {
  std::vector<double> values = coefficients(context.embedding(), context.parameters().real_slots(), slots, scale);
  const base::WipedAtExit wiped(values);
  CompactPlaintext result{
      .integers = IntegerPolynomial(values), .level = level, .scale = scale, .parameters = context.parameters().hash()};
  check_magnitude(context, result.integers, level);
  return result;
}

void check_real(const Context&, std::span<const double>, const char*) {}
void check_real(const Context& context, std::span<const Complex> values, const char* operation) {
  if (!context.parameters().real_slots()) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].imag() != 0)
      base::refuse(
          "{}: value {} has an imaginary part, and the slots of the parameter set '{}' are real; use one "
          "with complex slots",
          operation, i, context.parameters().literal().name);
}

template <class T>
CompactPlaintext compact_values(const Context& context, std::span<const T> values, int level, double scale) {
  check_level(context, level, "encode");
  check_scale(scale, "encode");
  const std::size_t slots = context.parameters().slots();
  if (values.size() > slots) base::refuse("encode: {} values do not fit {} slots", values.size(), slots);
  check_real(context, values, "encode");
  std::vector<Complex> padded(slots);
  const base::WipedAtExit wiped(padded);
  std::copy(values.begin(), values.end(), padded.begin());
  return compact_slots(context, padded, level, scale);
}

}  // namespace

Plaintext Encoder::encode(std::span<const double> values, int level, double scale) const {
  return expand(compact_values(*context_, values, level, scale));
}

Plaintext Encoder::encode(std::span<const Complex> values, int level, double scale) const {
  return expand(compact_values(*context_, values, level, scale));
}

CompactPlaintext Encoder::compact(std::span<const double> values, int level, double scale) const {
  return compact_values(*context_, values, level, scale);
}

Plaintext Encoder::expand(const CompactPlaintext& plaintext) const {
  if (plaintext.parameters != context_->parameters().hash())
    throw base::KeyMismatch("expand: the plaintext is of another parameter set than " +
                            context_->parameters().literal().name);
  const rlwe::ModulusChain& chain = context_->chain();
  Plaintext result{.poly = ring::NttPoly(chain.n(), rlwe::ModulusChain::rows(plaintext.level)),
                   .level = plaintext.level,
                   .scale = plaintext.scale,
                   .parameters = plaintext.parameters};
  base::parallel_for(0, result.poly.limbs(), [&](std::size_t row) {
    plaintext.integers.reduce(result.poly.limb_span(row), chain.modulus(row));
    chain.ntt(row).forward(result.poly.limb(row));
  });
  return result;
}

std::vector<Complex> Encoder::decode(const Plaintext& plaintext) const {
  check(*context_, plaintext, "decode");
  const rlwe::ModulusChain& chain = context_->chain();
  const std::size_t n = chain.n(), rows = rlwe::ModulusChain::rows(plaintext.level);
  ring::CoefficientPoly poly(n, rows);
  base::parallel_for(0, rows, [&](std::size_t row) {
    std::copy_n(plaintext.poly.limb(row), n, poly.limb(row));
    chain.ntt(row).inverse(poly.limb(row));
  });
  std::vector<const std::uint64_t*> limbs;
  std::vector<ring::Modulus> primes;
  for (std::size_t row = 0; row < rows; ++row) {
    limbs.push_back(poly.limb(row));
    primes.push_back(chain.modulus(row));
  }
  std::vector<double> values(n);
  const base::WipedAtExit wiped(values);
  centred_to_double(limbs, primes, values);
  poly.wipe();
  std::vector<Complex> slots(context_->parameters().slots());
  const std::size_t half = slots.size();
  if (context_->parameters().real_slots()) {
    slots[0] = values[0] / plaintext.scale;
    for (std::size_t i = 1; i < half; ++i) slots[i] = Complex(values[i], -values[half - i]) / plaintext.scale;
  } else {
    for (std::size_t i = 0; i < half; ++i) slots[i] = Complex(values[i], values[i + half]) / plaintext.scale;
  }
  context_->embedding().coefficients_to_slots(slots);
  if (context_->parameters().real_slots())
    for (Complex& slot : slots) slot = slot.real();  // what is left of the other part is rounding
  return slots;
}

namespace {

/// Coefficients of a polynomial that X -> X^-1 leaves as it is, of numbers that are so but for rounding.
void mirror(std::vector<double>& coefficients) {
  const std::size_t n = coefficients.size();
  for (std::size_t i = 1; i < n / 2; ++i) coefficients[n - i] = -coefficients[i];
  coefficients[n / 2] = 0;
}

/// The rows of a diagonal of one period, rotated back by a giant step. Slots that repeat are those of a polynomial in a
/// power of X: where they are few, its transforms are as small.
template <class T>
DiagonalMatrix::Diagonal encode_diagonal(const Context& context, const rlwe::ModulusChain& chain,
                                         const std::vector<T>& diagonal, std::int64_t giant, int level, double scale) {
  constexpr std::size_t kLeastSlots = 4;  // of which the coefficients fill a vector
  const std::size_t period = diagonal.size(), slots = context.parameters().slots();
  const bool real_slots = context.parameters().real_slots(), few = !real_slots && period < slots;
  std::vector<Complex> values(few ? std::max(period, kLeastSlots) : slots);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[(k + static_cast<std::size_t>(giant)) % values.size()] = diagonal[k % period];
  const std::size_t words = chain.n() / slots * values.size(), distinct = chain.n() / slots * period;
  std::vector<double> numbers = coefficients(context.embedding(), real_slots, values, scale);
  const bool mirrored = std::is_same_v<T, double> && DiagonalMatrix::mirrors(context.parameters());
  if (mirrored) mirror(numbers);
  const IntegerPolynomial integers(numbers);
  check_magnitude(context, integers, level);
  const std::size_t rows = chain.extended_rows(level), kept = mirrored ? distinct / 2 : distinct;
  DiagonalMatrix::Diagonal result{chain.n() / distinct, ring::NttPoly(kept, rows)};
  base::AlignedVector<std::uint64_t> row_words(words);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t prime = chain.prime_of(level, row);
    integers.reduce(row_words, chain.modulus(prime));
    if (few) {
      chain.ntt(prime).forward_repeating(row_words);
    } else {
      chain.ntt(prime).forward(row_words.data());
    }
    for (std::size_t k = 0; k < kept; ++k) result.rows.limb(row)[k] = row_words[k * (words / distinct)];
  }
  return result;
}

template <class T>
DiagonalMatrix encode_matrix(const Context& context, std::span<const params::DiagonalStep> steps,
                             std::span<const std::vector<T>> diagonals, int level, double in_scale, double target_scale,
                             const rlwe::ModulusChain& chain) {
  check_level(context, level, "linear map");
  check_scale(in_scale, "linear map");
  check_scale(target_scale, "linear map");
  if (level < 1) throw base::InputError("linear map: it consumes one level, so its input must be at level 1 or above");
  if (steps.size() != diagonals.size())
    base::refuse("linear map: {} diagonals for {} steps of the schedule", diagonals.size(), steps.size());
  const auto slots = static_cast<std::int64_t>(context.parameters().slots());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    check_real(context, std::span<const T>(diagonals[i]), "linear map");
    const auto& [diagonal, baby, giant] = steps[i];
    for (const std::int64_t rotation : {diagonal, baby, giant})
      if (rotation < 0 || rotation >= slots)
        base::refuse("linear map: step {} has a rotation of {}, outside 0 to {}", i, rotation, slots - 1);
    if ((baby + giant) % slots != diagonal)
      base::refuse("linear map: step {}: baby {} + giant {} is not the diagonal {}", i, baby, giant, diagonal);
    const std::size_t size = diagonals[i].size();
    if (size != 0 && (!std::has_single_bit(size) || size > static_cast<std::size_t>(slots)))
      base::refuse("linear map: diagonal {} has {} values; a power of two up to {} slots, or none, is expected",
                   diagonal, size, slots);
  }
  const auto last_prime = static_cast<double>(chain.modulus(static_cast<std::size_t>(level)).value());
  const double scale = target_scale / in_scale * last_prime;
  std::vector<DiagonalMatrix::Diagonal> encoded(steps.size());
  base::parallel_for(0, steps.size(), [&](std::size_t i) {
    if (!diagonals[i].empty()) encoded[i] = encode_diagonal(context, chain, diagonals[i], steps[i].giant, level, scale);
  });
  return {.steps = {steps.begin(), steps.end()},
          .diagonals = std::move(encoded),
          .level = level,
          .in_scale = in_scale,
          .target_scale = target_scale,
          .mirrored = std::is_same_v<T, double> && DiagonalMatrix::mirrors(context.parameters()),
          .special_primes = chain.special_values(level),
          .parameters = context.parameters().hash()};
}

}  // namespace

DiagonalMatrix Encoder::encode_diagonals(std::span<const params::DiagonalStep> steps,
                                         std::span<const std::vector<double>> diagonals, int level, double in_scale,
                                         double target_scale, const params::RotationPrimes& rotation_primes) const {
  check_level(*context_, level, "linear map");  // before a chain is made for it
  return encode_matrix(*context_, steps, diagonals, level, in_scale, target_scale,
                       context_->rotation_chain(rotation_primes.at(level)));
}

DiagonalMatrix Encoder::encode_diagonals(std::span<const params::DiagonalStep> steps,
                                         std::span<const std::vector<Complex>> diagonals, int level, double in_scale,
                                         double target_scale, const params::RotationPrimes& rotation_primes) const {
  check_level(*context_, level, "linear map");  // before a chain is made for it
  return encode_matrix(*context_, steps, diagonals, level, in_scale, target_scale,
                       context_->rotation_chain(rotation_primes.at(level)));
}

DiagonalMatrix Encoder::encode_raised_diagonals(std::span<const params::DiagonalStep> steps,
                                                std::span<const std::vector<Complex>> diagonals, int level,
                                                double in_scale, double target_scale) const {
  return encode_matrix(*context_, steps, diagonals, level, in_scale, target_scale, context_->raising_chain());
}

}  // namespace tacit::scheme::ckks
