#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheme/tfhe/context.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// A function from messages in [0, 2^bits) to the torus, or several functions that share a bootstrap. It is held as the
/// polynomial that a blind rotation turns. An argument with the bit of padding set gives minus the value of the
/// argument without it. Immutable, thread safe.
class LookupTable {
 public:
  /// Takes the values of each function. There may be at most 2^log_tables functions, by the parameter set (Chillotti et
  /// al. 2021, "Improved programmable bootstrapping", section 3: many tables). A function has 2^bits values, one per
  /// message. It may have a larger power of two. Boxes are then smaller than the noise allows, and an argument may take
  /// the value of the neighbouring box. Throws InputError on other counts.
  LookupTable(const Context& context, std::span<const std::vector<Torus>> functions);
  /// Makes one function from messages to integers modulo 2^(bits + 1).
  static LookupTable of(const Context& context, const std::function<std::int64_t(std::int64_t)>& function);

  const params::ParameterHash& parameters() const { return parameters_; }
  std::size_t functions() const { return functions_; }
  /// Returns log2 of the tables that there is room for: rotations are multiples of 2^log_room.
  unsigned log_room() const { return log_room_; }
  /// Returns coefficients c, c + E, c + 2 E, ... of the extended polynomial: N words.
  const Torus* component(std::size_t c) const { return words_.data() + c * polynomial_; }

 private:
  params::ParameterHash parameters_;
  std::size_t functions_ = 0, polynomial_ = 0;
  unsigned log_room_ = 0;
  base::AlignedVector<Torus> words_;
};

}  // namespace tacit::scheme::tfhe
