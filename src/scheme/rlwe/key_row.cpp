#include "scheme/rlwe/key_row.h"

#include "base/error.h"
#include "ring/limb.h"

namespace tacit::scheme::rlwe {

KeyRow::KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row)
    : terms_(digits), q_(chain.modulus(chain.prime_of(level, row))) {
  for (std::size_t d = 0; d < digits; ++d) {
    rows_.push_back(key.b(d, level, row));
    if (key.seeded()) {
      uniform_.push_back(key.a(chain, d, level, row));
    } else {
      held_.push_back(key.held_a(d, level, row));
    }
  }
}

void KeyRow::multiply(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits, const More& more,
                      std::uint64_t* out0, std::uint64_t* out1, std::span<const std::uint64_t* const> next,
                      const ring::limb::AffineMap* strip) {
  if (!held_.empty()) {
    if (strip != nullptr) throw base::InternalError("a key with two held halves was followed by an automorphism");
    return multiply_held(at, count, digits, more, {out0, out1});
  }
  for (std::size_t d = 0; d < terms_.size(); ++d) terms_[d] = {digits[d], rows_[d] + at, &uniform_[d]};
  ring::uniform_dot_pair(out0, out1, terms_, more, at, count, q_, next, strip);
}

void KeyRow::multiply_held(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits,
                           const More& more, std::array<std::uint64_t*, 2> out) const {
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<ring::limb::FactorRow> left;
    std::vector<const std::uint64_t*> right;
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      left.push_back({digits[d]});
      right.push_back((half == 0 ? rows_ : held_)[d] + at);
    }
    for (const ring::ProductTerm& term : more[half]) {
      left.push_back(term.left);
      right.push_back(term.right);
    }
    ring::limb::dot(out[half], left, right, count, q_);
    ring::limb::multiply_scalar(out[half], out[half], q_.words().two52_inverse, count, q_);
  }
}

void KeyRow::append_held(std::size_t at, std::vector<const std::uint64_t*>& runs) const {
  for (const auto* half : {&rows_, &held_})
    for (const std::uint64_t* row : *half) runs.push_back(row + at);
}

}  // namespace tacit::scheme::rlwe
