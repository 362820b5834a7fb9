#pragma once

#include <map>
#include <string>

#include "layout/sharding/op_sharding.h"

namespace tacit::layout {

/// A formal parameter or result of a function before and after sharding. Clients see the shape before sharding.
struct ShardedFormal {
  Shape shape;
  ArraySharding sharding;

  /// Returns the extents of the array of blocks: [blocks][block shape].
  Shape sharded_shape() const;
  /// Returns "[3,224,224] -> [6][1,112,224] by {y, z, -1}".
  std::string to_string() const;
};

/// The sharding of every operator of a model, by the operator's name, and of its formal parameters and results.
/// Analysis passes it to lowering. Writing is not thread safe.
class ShardingMap {
 public:
  bool is_sharded(const std::string& op) const { return ops_.contains(op); }
  /// Sets the sharding of an operator, and replaces an earlier one.
  void set(const std::string& op, OpSharding sharding) { ops_.insert_or_assign(op, std::move(sharding)); }
  /// Throws InputError naming the operator if it is not sharded.
  const OpSharding& get(const std::string& op) const;
  const std::map<std::string, OpSharding>& ops() const { return ops_; }

  /// Throws InputError if the sharding does not fit the shape.
  void set_formal(const std::string& name, ShardedFormal formal);
  const std::map<std::string, ShardedFormal>& formals() const { return formals_; }

  /// Returns a line for every formal ("image: [3,224,224] -> [6][1,112,224] by {y, z, -1}"), then one for every
  /// operator.
  std::string to_string() const;

 private:
  std::map<std::string, OpSharding> ops_;
  std::map<std::string, ShardedFormal> formals_;
};

}  // namespace tacit::layout
