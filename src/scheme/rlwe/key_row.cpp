#include "scheme/rlwe/key_row.h"

namespace tacit::scheme::rlwe {

KeyRow::KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row)
    : terms_(digits), q_(chain.modulus(chain.prime_of(level, row))) {
  for (std::size_t d = 0; d < digits; ++d) {
    rows_.push_back(key.b(d, level, row));
    uniform_.push_back(key.a(chain, d, level, row));
  }
}

void KeyRow::multiply(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits, const More& more,
                      std::uint64_t* out0, std::uint64_t* out1, std::span<const std::uint64_t* const> next,
                      const ring::limb::AffineMap* strip) {
  for (std::size_t d = 0; d < terms_.size(); ++d) terms_[d] = {digits[d], rows_[d] + at, &uniform_[d]};
  ring::uniform_dot_pair(out0, out1, terms_, more, at, count, q_, next, strip);
}

void KeyRow::append_b(std::size_t at, std::vector<const std::uint64_t*>& runs) const {
  for (const std::uint64_t* row : rows_) runs.push_back(row + at);
}

}  // namespace tacit::scheme::rlwe
