#include "graph/attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "graph/declaration.h"
#include "graph/limits.h"

namespace tacit::graph {
namespace {

template <typename T>
const T* stated(const Node& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  if (found == node.attributes.end()) return nullptr;
  if (const T* value = std::get_if<T>(&found->second)) return value;
  refuse(node, fmt::format("attribute '{}' has the wrong type", name));
}

/// The declared default, as it is declared; null where there is none.
template <typename Declared>
const Declared* declared(const Node& node, std::string_view name) {
  const Operator* op = find_operator(node.op);
  const AttributeDeclaration* found = op == nullptr ? nullptr : op->attribute(name);
  return found == nullptr ? nullptr : std::get_if<Declared>(&found->fallback);
}

template <typename T, typename Declared = T>
T stated_or_declared(const Node& node, std::string_view name) {
  if (const T* value = stated<T>(node, name)) return *value;
  if (const Declared* fallback = declared<Declared>(node, name)) return T(*fallback);
  refuse(node, fmt::format("attribute '{}' is missing", name));
}

}  // namespace

std::int64_t integer_attribute(const Node& node, std::string_view name) {
  return stated_or_declared<std::int64_t>(node, name);
}

std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t fallback) {
  const auto* value = stated<std::int64_t>(node, name);
  return value == nullptr ? fallback : *value;
}

bool flag_attribute(const Node& node, std::string_view name) { return integer_attribute(node, name) != 0; }

double real_attribute(const Node& node, std::string_view name) { return stated_or_declared<double>(node, name); }

std::string text_attribute(const Node& node, std::string_view name) {
  return stated_or_declared<std::string, std::string_view>(node, name);
}

std::size_t choice_attribute(const Node& node, std::string_view name) {
  const std::string given = text_attribute(node, name);
  const Operator* op = find_operator(node.op);
  const AttributeDeclaration* found = op == nullptr ? nullptr : op->attribute(name);
  const auto choice = found == nullptr ? std::nullopt : choice_of(found->choices, given);
  if (!choice) refuse(node, fmt::format("attribute '{}': '{}' is no choice", name, given));
  return *choice;
}

std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name) {
  const auto* fallback = declared<std::span<const std::int64_t>>(node, name);
  return integers_attribute(
      node, name, fallback == nullptr ? std::vector<std::int64_t>{} : std::vector(fallback->begin(), fallback->end()));
}

std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name,
                                             std::vector<std::int64_t> fallback) {
  const auto* values = stated<std::vector<std::int64_t>>(node, name);
  return values == nullptr ? fallback : *values;
}

std::vector<double> reals_attribute(const Node& node, std::string_view name, std::vector<double> fallback) {
  const auto* values = stated<std::vector<double>>(node, name);
  return values == nullptr ? fallback : *values;
}

std::vector<std::string> texts_attribute(const Node& node, std::string_view name) {
  const auto* values = stated<std::vector<std::string>>(node, name);
  return values == nullptr ? std::vector<std::string>{} : *values;
}

bool has_attribute(const Node& node, const std::string& name) { return node.attributes.contains(name); }

void refuse(const Node& node, const std::string& reason) {
  base::refuse("node '{}' ({}): {}", node.name, node.op, reason);
}

std::size_t normal_axis(const Node& node, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    refuse(node,
           fmt::format("axis {} is outside [{}, {}) of a tensor of rank {}", axis, -signed_rank, signed_rank, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) base::refuse("the shape {} has a negative extent", to_text(shape));
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (extent > kMostElements / count)
      base::refuse("a tensor of shape {} has more than {} elements, the most a tensor may have", to_text(shape),
                   kMostElements);
    count *= extent;
  }
  return empty ? 0 : count;
}

std::string to_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace tacit::graph
