#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace tacit::program {

/// The index of a value of a program: the instruction that made it.
using ValueId = std::uint32_t;

/// The meaning of a value in the network that it was compiled from. Element e of the tensor is (value[e] - offset) /
/// factors[e].
struct Meaning {
  std::string tensor;              ///< tensor of the model; empty: the value is no tensor of the model
  std::vector<double> factors{1};  ///< one for all elements, or one per element
  double offset = 0;
};

/// The depth of a validation.
enum class Detail : std::uint8_t {
  network,      ///< the exact operators of the model on the tensors of the operands; tensor elements are compared
  vector,       ///< the clear reading of the instruction; tensor elements are compared
  instruction,  ///< the clear reading of the instruction; slots are compared, padding and copies included
};

/// Compares a named value with the message of its operator on the messages of its operands. The first `length` elements
/// (or slots) must agree within 10^epsilon, in units of the model's tensor (Detail::network) or of the value. It makes
/// no value: a program computes the same bits without it. Only a run with a watcher that has the secret key executes
/// it. The published form of the idea is the VALIDATE statement of the ANT-ACE compiler.
struct Validate {
  ValueId value = 0;
  Detail detail = Detail::instruction;
  layout::Index length = 0;
  double epsilon = 0;
  std::vector<ValueId> arguments{};          ///< values that the message function reads
  Meaning meaning{};                         ///< meaning of the value, for Detail::network
  std::vector<Meaning> argument_meanings{};  ///< meanings of the arguments, for Detail::network
};

/// Return "nn", "vector" or "instruction" for a detail, and the reverse.
const char* name(Detail detail);
std::optional<Detail> detail_named(std::string_view name);

/// The bounds of epsilon: doubles can hold a difference to the tolerance 10^epsilon.
inline constexpr double kLowestEpsilon = -15, kHighestEpsilon = 15;

}  // namespace tacit::program
