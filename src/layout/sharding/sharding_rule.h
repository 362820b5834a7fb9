#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/feasible.h"
#include "layout/sharding/op_sharding.h"

namespace tacit::layout {

/// The positions of an input dimension that an output position o reads: stride o - before to stride o + after. Blocks
/// of inputs and outputs are then cut by their own extents.
struct Halo {
  Index stride = 1, before = 0, after = 0;
  bool operator==(const Halo&) const = default;
};

/// A range of positions [begin, end).
struct PositionRange {
  Index begin = 0, end = 0;
  bool operator==(const PositionRange&) const = default;
};

/// The common factors of the dimensions of operands (the factors of Shardy's sharding rules, OpenXLA 2024).
struct ShardingFactor {
  enum class Role {
    tied,    ///< blocks of the operands belong together, and each is computed separately
    reduced  ///< in inputs alone: results of the blocks are added
  };
  std::string name;
  Index extent = 1;
  Role role = Role::tied;
  bool operator==(const ShardingFactor&) const = default;
};

/// A dimension of an operand: its factors, the outermost first, by their position in the rule. Only the outermost can
/// be split. A dimension without factors stays whole.
struct ShardingDim {
  std::vector<int> factors{};
  std::optional<Halo> halo{};  ///< of inputs; none: a block of outputs reads the same block of inputs
  bool operator==(const ShardingDim&) const = default;
};
using ShardingOperand = std::vector<ShardingDim>;

/// The sharding rule that follows from an operator's structure. It says which dimensions of operands are tied together,
/// which are reduced over, and which need a halo. Immutable, thread safe.
class ShardingRule {
 public:
  /// Throws InternalError if operands name factors that do not exist.
  ShardingRule(std::string op, std::vector<ShardingFactor> factors, std::vector<ShardingOperand> inputs,
               std::vector<ShardingOperand> outputs);

  const std::string& op() const { return op_; }
  const std::vector<ShardingFactor>& factors() const { return factors_; }
  const std::vector<ShardingOperand>& inputs() const { return inputs_; }
  const std::vector<ShardingOperand>& outputs() const { return outputs_; }
  /// Throws InputError with the factors that exist.
  int factor(std::string_view name) const;

  /// Returns the sharding that splits factors along axes of a mesh and leaves the rest whole. `axes` maps an axis to a
  /// factor. Throws InputError naming the axis in these cases:
  /// - The mesh lacks the axis.
  /// - No factor has the name.
  /// - The factor is an inner one of a dimension.
  /// - Blocks of operands would not meet: the axis does not divide a factor that has others inside it.
  OpSharding sharded(const Mesh& mesh, const std::map<std::string, std::string>& axes) const;
  /// Returns the same, or the reason why a factor cannot be split along its axis. Throws InputError for names that do
  /// not exist.
  base::Feasible<OpSharding> possible(const Mesh& mesh, const std::map<std::string, std::string>& axes) const;

  /// Returns the violations of this rule by a sharding, one sentence each; none if it follows the rule. Inputs and
  /// outputs that the sharding does not mention count as whole.
  std::vector<std::string> violations(const OpSharding& sharding) const;
  /// Returns the axes over which results are added.
  std::vector<std::string> reduced_axes(const OpSharding& sharding) const;

  /// Returns the positions of an input dimension that a block of output positions reads, within [0, extent).
  static PositionRange read_by(PositionRange outputs, const Halo& halo, Index extent);

  /// Returns a text such as
  ///   Conv: inputs [n, c, h/2-3+3, w/2-3+3] [f, c, -, -] [f] outputs [n, f, h, w], reduced c
  /// Here h/2-3+3 is a halo: output position o reads 2 o - 3 to 2 o + 3.
  std::string to_string() const;
  bool operator==(const ShardingRule&) const = default;

 private:
  std::optional<base::Infeasible> why_not_split(int factor, const Mesh& mesh, const std::string& axis) const;

  std::string op_;
  std::vector<ShardingFactor> factors_;
  std::vector<ShardingOperand> inputs_, outputs_;
};

}  // namespace tacit::layout
