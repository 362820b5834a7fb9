#include "scheme/rlwe/key_row.h"

namespace tacit::scheme::rlwe {

KeyRow::KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row)
    : b_(digits), a_(digits) {
  for (std::size_t d = 0; d < digits; ++d) {
    rows_.push_back(key.b(d, level, row));
    uniform_.push_back(key.a(chain, d, level, row));
  }
}

void KeyRow::read(std::size_t at, std::size_t count, ScratchRows& room, std::span<const std::uint64_t* const> next) {
  const std::size_t digits = rows_.size();
  for (std::size_t d = 0; d < digits; ++d) {
    const std::size_t from = d * next.size() / digits, to = (d + 1) * next.size() / digits;
    b_[d] = rows_[d] + at;
    uniform_[d].fill(at, {room[d], count}, next.subspan(from, to - from));
    a_[d] = room[d];
  }
}

void KeyRow::append_b(std::size_t at, std::vector<const std::uint64_t*>& runs) const {
  for (const std::uint64_t* row : rows_) runs.push_back(row + at);
}

}  // namespace tacit::scheme::rlwe
