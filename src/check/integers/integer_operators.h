#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/network_messages.h"
#include "graph/quant/quantise.h"
#include "program/integers/program.h"
#include "scheme/tfhe/encryption.h"

namespace tacit::check {

/// The difference between one value and the operator of the model.
struct OperatorDifference {
  std::string operators;                ///< operators between the value and its operands
  double boxes = 0;                     ///< largest distance from the operator on the decrypted operands
  std::vector<std::size_t> failures{};  ///< elements that rounding does not explain
  std::vector<std::size_t> beyond{};    ///< of a sum: failures whose operator leaves the interval and wraps
};

/// Compares values on integers with the operators of the model, by the reference run. The reference run knows nothing
/// of weights, tables and bits, so a table of a wrong function cannot confirm itself. A distance is stated in boxes:
/// 2^-bits of the interval of the value. Rounding explains these distances:
/// - A sum is off by at most half of every operand's integer, because weights are whole numbers.
/// - A table may hold the operator's value at the middle of its argument's box, or of a neighbour of that box. A value
///   beyond the table's range counts as the nearer end. The distance is at most half an integer and the noise of a
///   bootstrap.
/// - A sum of tables that read whole numbers (trees) is off by at most half a step per table.
/// Some values come from several rounded tables: maxima, and products of two values. Their distance is stated and not
/// judged. Thread safe.
class IntegerOperators {
 public:
  /// `graph` has the tensors that `meanings` name, by value of `program`. All three must outlive this object.
  IntegerOperators(const graph::Graph& graph, const integers::Program& program,
                   std::span<const graph::quant::IntegerMeaning> meanings);

  /// Compares a value. The phases of this value and of all values before it are known. `bootstrap_reach` bounds the
  /// noise of a bootstrap, in turns of the torus. Returns none if the value is no tensor of the model.
  std::optional<OperatorDifference> compare(program::ValueId id,
                                            const std::vector<std::vector<scheme::tfhe::Torus>>& phases,
                                            double bootstrap_reach) const;

 private:
  using Numbers = std::vector<double>;
  using Phases = std::vector<std::vector<scheme::tfhe::Torus>>;
  /// The values with tensors from which a value is computed, and facts about the instructions between them.
  struct Operands {
    std::vector<program::ValueId> values{};
    bool direct = true;    ///< no instruction is between
    bool rounded = false;  ///< a table between rounds its argument
  };
  void find_operands(program::ValueId id, Operands& found) const;
  bool has_tensor(program::ValueId id) const { return meanings_[id].tensor != graph::kNoTensor; }
  const std::string& tensor(program::ValueId id) const { return graph_.tensors[meanings_[id].tensor].name; }
  /// `real` returns the number that an integer of an element means. `real_step` returns the difference between two
  /// integers that follow each other.
  double real(program::ValueId id, std::size_t element, double integer) const;
  /// Returns the tensor of integers. An element is the sum of its addends.
  Numbers reals(program::ValueId id, const Numbers& integers) const;
  double real_step(program::ValueId id, std::size_t element) const;
  Numbers message(program::ValueId id, const std::vector<program::ValueId>& from, const std::vector<Numbers>& of) const;
  void judge_table(program::ValueId id, const Phases& phases, const Numbers& values, double bootstrap_reach,
                   OperatorDifference& difference) const;
  /// Returns, by element, the largest effect of rounding on a sum of this step, in the sum's integers.
  Numbers rounding_of(const integers::Linear& linear, int step, const Phases& phases, bool of_tables) const;

  const graph::Graph& graph_;
  NetworkMessages messages_;
  const integers::Program& program_;
  std::span<const graph::quant::IntegerMeaning> meanings_;
};

}  // namespace tacit::check
