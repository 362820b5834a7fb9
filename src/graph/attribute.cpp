#include "graph/attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "graph/limits.h"

namespace tacit::graph {
namespace {

template <typename T>
T typed(const Node& node, const std::string& name, T fallback) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return fallback;
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  refuse(node, fmt::format("attribute '{}' has the wrong type", name));
}

}  // namespace

std::int64_t integer_attribute(const Node& node, const std::string& name, std::int64_t fallback) {
  return typed<std::int64_t>(node, name, fallback);
}

double real_attribute(const Node& node, const std::string& name, double fallback) {
  return typed<double>(node, name, fallback);
}

std::string text_attribute(const Node& node, const std::string& name, const std::string& fallback) {
  return typed<std::string>(node, name, fallback);
}

std::vector<std::int64_t> integers_attribute(const Node& node, const std::string& name,
                                             std::vector<std::int64_t> fallback) {
  return typed<std::vector<std::int64_t>>(node, name, std::move(fallback));
}

std::vector<double> reals_attribute(const Node& node, const std::string& name, std::vector<double> fallback) {
  return typed<std::vector<double>>(node, name, std::move(fallback));
}

std::vector<std::string> texts_attribute(const Node& node, const std::string& name) {
  return typed<std::vector<std::string>>(node, name, {});
}

bool has_attribute(const Node& node, const std::string& name) { return node.attributes.contains(name); }

void refuse(const Node& node, const std::string& reason) {
  throw base::InputError(fmt::format("node '{}' ({}): {}", node.name, node.op, reason));
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
    if (extent < 0) throw base::InputError(fmt::format("the shape {} has a negative extent", to_text(shape)));
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (extent > kMostElements / count)
      throw base::InputError(fmt::format("a tensor of shape {} has more than {} elements, the most a tensor may have",
                                         to_text(shape), kMostElements));
    count *= extent;
  }
  return empty ? 0 : count;
}

std::string to_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace tacit::graph
