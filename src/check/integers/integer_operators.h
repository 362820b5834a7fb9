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

/// What the operator of the model says of one value.
struct OperatorDifference {
  std::string operators;                ///< that lie between the value and what it is made of
  double boxes = 0;                     ///< largest distance from the operator on the decrypted operands
  std::vector<std::size_t> failures{};  ///< elements that no rounding explains
  std::vector<std::size_t> beyond{};    ///< of sums those of them whose operator leaves the interval, so that they wrap
};

/// Holds values on integers to the operators of the model, by the reference run: it knows nothing of weights, tables
/// and bits, so that a table of another function cannot confirm itself. A distance is stated in boxes: 2^-bits of the
/// interval that the value may take. It is held to what rounding explains:
/// - a sum is off by at most half of every operand's integer, for weights are whole numbers,
/// - a table holds the operator's value, or the end of what it holds, at the middle of the box that its argument lies
/// in, or of one beside it, to half
///   an integer and the noise of a bootstrap,
/// - sums of tables that read whole numbers (trees) are off by at most half a step a table.
/// Of values that several rounded tables make (maxima, products of two values) the distance is told and not judged.
/// Thread safe.
class IntegerOperators {
 public:
  /// `graph` has the tensors that `meanings` speak of, by value of `program`. All must outlive this.
  IntegerOperators(const graph::Graph& graph, const integers::Program& program,
                   std::span<const graph::quant::Meaning> meanings);

  /// Of a value whose phases are known, as those of all values before it. `bootstrap_reach` is what the noise of a
  /// bootstrap stays within, in turns of the torus. Nothing where the value is no tensor of the model.
  std::optional<OperatorDifference> compare(program::ValueId id,
                                            const std::vector<std::vector<scheme::tfhe::Torus>>& phases,
                                            double bootstrap_reach) const;

 private:
  using Numbers = std::vector<double>;
  using Phases = std::vector<std::vector<scheme::tfhe::Torus>>;
  /// The values with tensors that a value is made of, and what lies between.
  struct Operands {
    std::vector<program::ValueId> values{};
    bool direct = true;    ///< nothing lies between
    bool rounded = false;  ///< a table between rounds its argument
  };
  void find_operands(program::ValueId id, Operands& found) const;
  bool has_tensor(program::ValueId id) const { return meanings_[id].tensor != graph::kNoTensor; }
  const std::string& tensor(program::ValueId id) const { return graph_.tensors[meanings_[id].tensor].name; }
  /// What an integer of an element stands for, and what an integer more does.
  double real(program::ValueId id, std::size_t element, double integer) const;
  double real_step(program::ValueId id, std::size_t element) const;
  Numbers message(program::ValueId id, const std::vector<program::ValueId>& from, const std::vector<Numbers>& of) const;
  void judge_table(program::ValueId id, const Phases& phases, const Numbers& values, double bootstrap_reach,
                   OperatorDifference& difference) const;
  /// By element, what rounding may change in a sum of this step, in its integers.
  Numbers rounding_of(const integers::Linear& linear, int step, const Phases& phases, bool of_tables) const;

  const graph::Graph& graph_;
  NetworkMessages messages_;
  const integers::Program& program_;
  std::span<const graph::quant::Meaning> meanings_;
};

}  // namespace tacit::check
