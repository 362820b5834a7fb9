#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// Typed reading of a node's attributes, with the default of the operator's specification where the attribute is
/// absent. Throws InputError naming node, operator and attribute where the attribute has another type.
std::int64_t integer_attribute(const Node& node, const std::string& name, std::int64_t fallback);
double real_attribute(const Node& node, const std::string& name, double fallback);
std::string text_attribute(const Node& node, const std::string& name, const std::string& fallback);
std::vector<std::int64_t> integers_attribute(const Node& node, const std::string& name,
                                             std::vector<std::int64_t> fallback = {});
std::vector<double> reals_attribute(const Node& node, const std::string& name, std::vector<double> fallback = {});
std::vector<std::string> texts_attribute(const Node& node, const std::string& name);
bool has_attribute(const Node& node, const std::string& name);

/// Throws InputError: "node 'conv1' (Conv): <reason>".
[[noreturn]] void refuse(const Node& node, const std::string& reason);

/// A negative axis counts from the end. Refuses an axis outside [-rank, rank).
std::size_t normal_axis(const Node& node, std::int64_t axis, std::size_t rank);

/// Number of elements of a shape, 1 for a scalar. Throws InputError above 2^28 elements or for a negative extent.
std::int64_t element_count(const Shape& shape);

/// "[1, 3, 32, 32]".
std::string to_text(const Shape& shape);

}  // namespace tacit::graph
