#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/integers/program.h"

namespace tacit::integers {

/// The whole numbers of a linear operator as a list, row after row. Readings multiply by them. Immutable.
class WeightRows {
 public:
  /// Throws InternalError if an entry is not a whole number of 32 bits.
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

/// Returns the number of weights of an instruction without holding them, 0 if it is not linear. Throws InternalError as
/// WeightRows does, and for more than `most` weights.
std::uint64_t count_weights(const Operation& operation, std::uint64_t most);

/// Returns the rows of every term of a linear instruction; none for others.
std::vector<WeightRows> weights_of(const Operation& operation);

}  // namespace tacit::integers
