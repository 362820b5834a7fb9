#pragma once

#include <string>
#include <vector>

#include "layout/sharding/shard_annotation.h"

namespace tacit::session {

/// Reads the arguments of --shard. Each is NODE=AXIS:BLOCKS,… or the name of a file or the content of a file. Throws
/// InputError naming the file and the line or node. A file is one of
/// - a JSON object from nodes to the text after the '=';
/// - lines that `tacit plan --explain sharding` prints: "node: mesh=[…] inputs={…} outputs={…}". Other lines are
///   ignored.
std::vector<layout::ShardAnnotation> read_shardings(const std::vector<std::string>& given);

}  // namespace tacit::session
