#pragma once

#include <map>
#include <string>
#include <string_view>

#include "layout/sharding/array_sharding.h"

namespace tacit::layout {

/// Describes how an operator is distributed: its mesh, and the sharding of each of its inputs and outputs. Writing is
/// not thread safe.
class OpSharding {
 public:
  explicit OpSharding(Mesh mesh) : mesh_(std::move(mesh)) {}

  const Mesh& mesh() const { return mesh_; }
  /// Throws InputError if the sharding is on another mesh or the index is negative.
  void set_input(int index, ArraySharding sharding);
  void set_output(int index, ArraySharding sharding);
  /// Throws InputError with the indices that are known.
  const ArraySharding& input(int index) const;
  const ArraySharding& output(int index) const;
  const std::map<int, ArraySharding>& inputs() const { return inputs_; }
  const std::map<int, ArraySharding>& outputs() const { return outputs_; }

  /// mesh=[x=4, y=2] inputs={0: {-1, y}} outputs={0: {-1, x}}. It parses back.
  std::string to_string() const;
  /// Throws InputError naming the place.
  static OpSharding parse(std::string_view text);
  bool operator==(const OpSharding&) const = default;

 private:
  Mesh mesh_;
  std::map<int, ArraySharding> inputs_, outputs_;
};

}  // namespace tacit::layout
