#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "layout/sharding/op_sharding.h"
#include "layout/sharding/sharding_rule.h"

namespace tacit::layout {

/// What a user fixes about an operator: the mesh that it runs on, and which factor of its rule each axis splits, or the
/// sharding of its inputs and outputs.
///
/// The notation is node=x:4,y:2, with factors node=x:4@f,y:2@c, or node=mesh=[x=4] inputs={…} outputs={…} as an
/// OpSharding is printed. The node ends at the first '='.
struct ShardAnnotation {
  std::string node;
  Mesh mesh;
  std::map<std::string, std::string> factors{};  ///< by axis; of other axes the convention says
  std::optional<OpSharding> sharding{};          ///< in place of factors

  /// Throws InputError naming the place.
  static ShardAnnotation parse(std::string_view text);
  /// The same behind the '='.
  static ShardAnnotation parse(std::string node, std::string_view text);
  std::string to_string() const;
};

/// The factor of a rule that an axis called x, y or z splits by convention, or the factor of the axis's name; empty
/// where there is none.
std::string conventional_factor(const ShardingRule& rule, const std::string& axis);

/// The sharding of an operator with this rule. An axis without a factor splits the factor of its own name, or by
/// convention: x output channels, y input channels and z rows of a window; x and y columns and the contraction of a
/// matrix, z its rows; of element-wise operators x and y the second dimension and z the third. Throws InputError naming
/// the node and the axis where no factor can be split by it, two axes split one, or a sharding breaks the rule.
OpSharding annotated(const ShardingRule& rule, const ShardAnnotation& annotation);

}  // namespace tacit::layout
