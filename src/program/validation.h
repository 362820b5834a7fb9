#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace tacit::program {

/// Index of a value of a program: the instruction that made it.
using ValueId = std::uint32_t;

/// What a value is in the network that it was compiled from: element e of the tensor is
/// (value[e] - offset) / factors[e].
struct Meaning {
  std::string tensor;              ///< of the model; empty: the value is no tensor of the model
  std::vector<double> factors{1};  ///< one for all elements, or one each
  double offset = 0;
};

/// How closely a validation looks.
enum class Detail : std::uint8_t {
  network,      ///< the exact operators of the model on the tensors of the operands; tensor elements are compared
  vector,       ///< the clear reading of the instruction; tensor elements are compared
  instruction,  ///< the clear reading of the instruction; slots are compared, padding and copies included
};

/// Compares a named value with the message of its operator on the messages of its operands: the first `length` elements
/// (or slots) must agree within 10^epsilon, in units of the model's tensor (Detail::network) or of the value. Makes no
/// value; a program computes the same bits without it. Only a run that is watched by somebody with the secret key
/// carries it out. The published form of the idea is the VALIDATE statement of the ANT-ACE compiler.
struct Validate {
  ValueId value = 0;
  Detail detail = Detail::instruction;
  layout::Index length = 0;
  double epsilon = 0;
  std::vector<ValueId> arguments{};          ///< what the message function reads
  Meaning meaning{};                         ///< of the value, for Detail::network
  std::vector<Meaning> argument_meanings{};  ///< of the arguments, for Detail::network
};

/// "nn", "vector" or "instruction"; and back.
const char* name(Detail detail);
std::optional<Detail> detail_named(std::string_view name);

/// 10^epsilon must be a tolerance that doubles can hold a difference to.
inline constexpr double kLowestEpsilon = -15, kHighestEpsilon = 15;

}  // namespace tacit::program
