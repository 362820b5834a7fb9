#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// These functions read a node's attributes by type. If an attribute is absent, the default of the operator's
/// declaration is returned. `fallback` is for attributes whose default depends on the node. Throws InputError, naming
/// node, operator and attribute, if the attribute has another type, or is absent and has no default.
std::int64_t integer_attribute(const Node& node, std::string_view name);
std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t fallback);
bool flag_attribute(const Node& node, std::string_view name);
/// Returns the position of a text among the declared choices.
std::size_t choice_attribute(const Node& node, std::string_view name);
/// Returns a text as a value of an enumeration. Its values must have the order of the declared choices.
template <typename Enumeration>
Enumeration choice_attribute(const Node& node, std::string_view name) {
  return static_cast<Enumeration>(choice_attribute(node, name));
}
double real_attribute(const Node& node, std::string_view name);
std::string text_attribute(const Node& node, std::string_view name);
std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name);
std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name,
                                             std::vector<std::int64_t> fallback);
std::vector<double> reals_attribute(const Node& node, std::string_view name, std::vector<double> fallback = {});
std::vector<std::string> texts_attribute(const Node& node, std::string_view name);
bool has_attribute(const Node& node, const std::string& name);

/// Throws InputError: "node 'conv1' (Conv): <reason>".
[[noreturn]] void refuse(const Node& node, const std::string& reason);

/// Returns an axis counted from the start. A negative `axis` counts from the end. Refuses an axis outside [-rank,
/// rank).
std::size_t normal_axis(const Node& node, std::int64_t axis, std::size_t rank);

/// Returns the number of elements of a shape, 1 for a scalar. Throws InputError above 2^28 elements or for a negative
/// extent.
std::int64_t element_count(const Shape& shape);

/// Returns a text like "[1, 3, 32, 32]".
std::string to_text(const Shape& shape);

}  // namespace tacit::graph
