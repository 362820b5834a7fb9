#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "layout/sharding/op_sharding.h"
#include "layout/sharding/sharding_rule.h"

namespace tacit::layout {

/// The choices of a user for an operator: its mesh, and the factor of its rule that each axis splits. A sharding of its
/// inputs and outputs may replace the factors.
///
/// The notation is node=x:4,y:2, with factors node=x:4@f,y:2@c, or node=mesh=[x=4] inputs={…} outputs={…} as an
/// OpSharding is printed. The node ends at the first '='.
struct ShardAnnotation {
  std::string node;
  Mesh mesh;
  std::map<std::string, std::string> factors{};  ///< by axis; other axes follow the convention
  std::optional<OpSharding> sharding{};          ///< in place of factors

  /// Throws InputError naming the place.
  static ShardAnnotation parse(std::string_view text);
  /// Parses the text after the '='.
  static ShardAnnotation parse(std::string node, std::string_view text);
  std::string to_string() const;
};

/// Returns the factor of a rule that an axis splits: the factor of the axis's name, or the conventional one for x, y or
/// z. The result is empty if there is none.
std::string conventional_factor(const ShardingRule& rule, const std::string& axis);

/// Returns the sharding of an operator with this rule. An axis without a given factor splits the factor of its name, or
/// a conventional one:
/// - window: x output channels, y input channels, z rows
/// - matrix: x columns, y the contraction, z rows
/// - element by element: x and y the second dimension, z the third
///
/// Throws InputError naming the node and the axis if the axis can split no factor, if two axes split one, or if a
/// sharding breaks the rule.
OpSharding annotated(const ShardingRule& rule, const ShardAnnotation& annotation);

}  // namespace tacit::layout
