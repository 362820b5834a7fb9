#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/integers/program.h"

namespace tacit::integers {

/// The whole numbers of a linear operator as a list, row after row: what readings multiply by. Immutable.
class WeightRows {
 public:
  /// Throws InternalError where an entry is no whole number of 32 bits.
  explicit WeightRows(const layout::LinearOperator& op);

  struct Row {
    std::span<const std::uint32_t> columns;
    std::span<const std::int32_t> weights;
  };
  Row row(std::size_t index) const {
    const std::size_t begin = begin_[index], count = begin_[index + 1] - begin;
    return {{columns_.data() + begin, count}, {weights_.data() + begin, count}};
  }
  std::size_t rows() const { return begin_.size() - 1; }
  std::size_t entries() const { return columns_.size(); }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::int32_t> weights_;
};

/// How many weights an instruction has, none of them held: 0 where it is not linear. Throws InternalError as
/// WeightRows, and for more than `most`.
std::uint64_t count_weights(const Operation& operation, std::uint64_t most);

/// Of every term of a linear instruction; none of others.
std::vector<WeightRows> weights_of(const Operation& operation);

}  // namespace tacit::integers
