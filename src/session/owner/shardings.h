#pragma once

#include <string>
#include <vector>

#include "layout/sharding/shard_annotation.h"

namespace tacit::session {

/// What --shard says of nodes: each is NODE=AXIS:BLOCKS,…, the name of a file, or what a file holds. A file is a JSON
/// object of nodes and what stands behind the '=', or lines as `tacit plan --explain sharding` prints them: "node:
/// mesh=[…] inputs={…} outputs={…}"; other lines are left out. Throws InputError naming the file and the line or node.
std::vector<layout::ShardAnnotation> read_shardings(const std::vector<std::string>& given);

}  // namespace tacit::session
