#include "scheme/tfhe/blind_rotation.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace tacit::scheme::tfhe {
namespace {

// Rows that are a power of two apart would share cache sets.
constexpr std::size_t kPadding = 16;

/// to = X^turns * from, 0 <= turns < 2n.
void turn(const Torus* from, std::size_t n, std::size_t turns, Torus* to) {
  const bool negative = turns >= n;
  const std::size_t shift = turns % n;
  const Torus sign = negative ? ~Torus{0} : 0;
  for (std::size_t i = 0; i < shift; ++i) to[i] = (from[n - shift + i] ^ ~sign) - ~sign;
  for (std::size_t i = shift; i < n; ++i) to[i] = (from[i - shift] ^ sign) - sign;
}

}  // namespace

std::size_t BlindRotation::bytes(const Context& context) {
  return context.extension() * (context.glwe() + 1) * context.polynomial() * sizeof(Torus);
}

BlindRotation::BlindRotation(const Context& context, std::size_t most_together)
    : context_(context),
      polynomial_(context.polynomial() + ring::NegacyclicFft::kGuard),
      component_((context.glwe() + 1) * polynomial_),
      words_(most_together * context.extension() * component_),
      kept_(component_) {
  const std::size_t rows = (context.glwe() + 1) * static_cast<std::size_t>(context.parameters().bootstrap().levels);
  const std::size_t stride = context.polynomial() + kPadding;
  values_.resize(rows * stride);
  for (std::size_t row = 0; row < rows; ++row) rows_.push_back(values_.data() + row * stride);
}

void BlindRotation::start(std::size_t i, const Rotations& rotation, const LookupTable& table) {
  const std::size_t n = context_.polynomial(), extension = context_.extension();
  const std::size_t turns = (2 * n * extension - rotation.body) % (2 * n * extension);
  for (std::size_t c = 0; c < extension; ++c) {
    Torus* const to = component(i, c);
    std::fill_n(to, context_.glwe() * polynomial_, 0);
    const std::size_t from = (c + extension - turns % extension) % extension;
    Torus* const body = to + context_.glwe() * polynomial_;
    turn(table.component(from), n, (turns + from - c) / extension % (2 * n), body);
    context_.fft().set_guard(body);
  }
}

void BlindRotation::step_component(const Torus* from, std::size_t turns, Torus* to, const double* bit,
                                   const double* next) {
  const std::size_t columns = context_.glwe() + 1;
  const params::Decomposition& digits = context_.parameters().bootstrap();
  const ring::DigitCut cut{static_cast<unsigned>(digits.base_log), static_cast<unsigned>(digits.levels)};
  for (std::size_t p = 0; p < columns; ++p)
    context_.fft().begin_digits(from + p * polynomial_, turns, to + p * polynomial_, cut,
                                rows_.data() + p * cut.levels);
  context_.fft().products(rows_, bit, std::span(rows_).first(columns), next);
  for (std::size_t p = 0; p < columns; ++p) {
    context_.fft().add_words(rows_[p], to + p * polynomial_);
    context_.fft().set_guard(to + p * polynomial_);
  }
}

void BlindRotation::step(std::size_t i, std::size_t turns, const double* bit, const double* next) {
  const std::size_t n = context_.polynomial(), extension = context_.extension();
  if (turns == 0) return;
  const std::size_t offset = turns % extension;
  // A component needs the old words of the one `offset` before it: they are gone through in that order, a cycle at a
  // time, and the first of a cycle, which the last one needs, is kept.
  const std::size_t cycles = std::gcd(offset, extension), length = extension / cycles;
  for (std::size_t first = 0; first < cycles; ++first) {
    if (length > 1) std::copy_n(component(i, first), component_, kept_.data());
    std::size_t c = first;
    for (std::size_t done = 0; done < length; ++done) {
      const std::size_t from = (c + extension - offset) % extension;
      const Torus* const old = length > 1 && from == first ? kept_.data() : component(i, from);
      step_component(old, (turns + from - c) / extension % (2 * n), component(i, c), bit, next);
      next = nullptr;
      c = from;
    }
  }
}

void BlindRotation::run(const BootstrapKey& key, std::span<const Rotations> rotations,
                        std::span<const LookupTable* const> tables) {
  TACIT_ASSERT(rotations.size() == tables.size());
  for (std::size_t i = 0; i < rotations.size(); ++i) start(i, rotations[i], *tables[i]);
  for (std::size_t b = 0; b < context_.small(); ++b)
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      const bool fetch = i + 1 == rotations.size() && b + 1 < context_.small();
      step(i, rotations[i].mask[b], key.bit(b), fetch ? key.bit(b + 1) : nullptr);
    }
}

void BlindRotation::extract(std::size_t i, std::size_t at, std::span<Torus> lwe) const {
  const std::size_t n = context_.polynomial(), k = context_.glwe(), extension = context_.extension();
  const Torus* const from = words_.data() + (i * extension + at % extension) * component_;
  const std::size_t x = at / extension;
  for (std::size_t u = 0; u < k; ++u)
    for (std::size_t j = 0; j < n; ++j)
      lwe[u * n + j] = j <= x ? from[u * polynomial_ + x - j] : 0 - from[u * polynomial_ + n + x - j];
  lwe[k * n] = from[k * polynomial_ + x];
}

}  // namespace tacit::scheme::tfhe
