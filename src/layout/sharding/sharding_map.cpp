#include "layout/sharding/sharding_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace tacit::layout {

Shape ShardedFormal::sharded_shape() const {
  Shape result = sharding.block_shape(shape);
  result.insert(result.begin(), sharding.blocks());
  return result;
}

std::string ShardedFormal::to_string() const {
  return fmt::format("[{}] -> [{}][{}] by {}", fmt::join(shape, ","), sharding.blocks(),
                     fmt::join(sharding.block_shape(shape), ","), sharding.spec_text());
}

const OpSharding& ShardingMap::get(const std::string& op) const {
  const auto found = ops_.find(op);
  if (found == ops_.end()) base::refuse("sharding map: '{}' is not sharded; {} operators are", op, ops_.size());
  return found->second;
}

void ShardingMap::set_formal(const std::string& name, ShardedFormal formal) {
  formal.sharded_shape();  // checks it
  formals_.insert_or_assign(name, std::move(formal));
}

std::string ShardingMap::to_string() const {
  std::string text;
  for (const auto& [name, formal] : formals_) text += fmt::format("{}: {}\n", name, formal.to_string());
  for (const auto& [name, sharding] : ops_) text += fmt::format("{}: {}\n", name, sharding.to_string());
  return text;
}

}  // namespace tacit::layout
