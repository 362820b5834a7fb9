#include "layout/sharding/shard_annotation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "layout/text_cursor.h"

namespace tacit::layout {
namespace {

constexpr std::string_view kWhat = "sharding of a node";

[[noreturn]] void refuse(const ShardAnnotation& annotation, const std::string& why) {
  base::refuse("node '{}': {}", annotation.node, why);
}

/// Whether an operand can be split along a factor at all.
bool splits(const ShardingRule& rule, std::string_view name) {
  const auto at = std::ranges::find(rule.factors(), name, &ShardingFactor::name);
  if (at == rule.factors().end()) return false;
  const auto factor = static_cast<int>(at - rule.factors().begin());
  bool outermost = false;
  for (const auto* operands : {&rule.inputs(), &rule.outputs()})
    for (const ShardingOperand& operand : *operands)
      for (const ShardingDim& dim : operand) {
        const auto found = std::ranges::find(dim.factors, factor);
        if (found == dim.factors.end()) continue;
        if (found != dim.factors.begin()) return false;
        outermost = true;
      }
  return outermost;
}

/// n names the samples of a window, and the columns of a matrix product.
bool is_samples(const ShardingRule& rule, std::string_view name) {
  return name == "n" && std::ranges::none_of(rule.factors(), [](const ShardingFactor& f) { return f.name == "k"; });
}

std::string factor_for(const ShardingRule& rule, const ShardAnnotation& annotation, const MeshAxis& axis) {
  if (const auto given = annotation.factors.find(axis.name); given != annotation.factors.end()) return given->second;
  if (std::string name = conventional_factor(rule, axis.name); !name.empty()) return name;
  std::vector<std::string> known;
  for (const ShardingFactor& factor : rule.factors())
    if (factor.extent > 1 && splits(rule, factor.name)) known.push_back(factor.name);
  refuse(annotation, fmt::format("no factor of {} can be split along axis '{}'; leave it out, or name one of [{}], as "
                                 "in {}:{}@{}",
                                 rule.op(), axis.name, fmt::join(known, ", "), axis.name, axis.extent,
                                 known.empty() ? "FACTOR" : known.front()));
}

}  // namespace

ShardAnnotation ShardAnnotation::parse(std::string_view text) {
  const std::size_t end = text.find('=');
  if (end == std::string_view::npos || end == 0)
    base::refuse("sharding '{}': expected NODE=AXIS:BLOCKS,… as in conv1=x:4,y:2, or the name of a file",
                 text.substr(0, 200));
  return parse(std::string(text.substr(0, end)), text.substr(end + 1));
}

ShardAnnotation ShardAnnotation::parse(std::string node, std::string_view text) {
  if (text.starts_with("mesh=")) {
    OpSharding sharding = OpSharding::parse(text);
    Mesh mesh = sharding.mesh();
    return {std::move(node), std::move(mesh), {}, std::move(sharding)};
  }
  TextCursor reader(kWhat, text);
  std::vector<MeshAxis> axes;
  std::map<std::string, std::string> factors;
  do {
    MeshAxis axis{reader.name(), 0};
    if (!reader.take(":")) reader.expect("=");
    axis.extent = reader.number();
    if (reader.take("@")) factors[axis.name] = reader.name();
    axes.push_back(std::move(axis));
  } while (reader.take(","));
  reader.expect_end();
  return {std::move(node), Mesh(std::move(axes)), std::move(factors), std::nullopt};
}

std::string ShardAnnotation::to_string() const {
  if (sharding) return fmt::format("{}={}", node, sharding->to_string());
  std::vector<std::string> texts;
  for (const auto& [name, extent] : mesh.axes()) {
    const auto factor = factors.find(name);
    texts.push_back(fmt::format("{}:{}{}", name, extent, factor == factors.end() ? "" : "@" + factor->second));
  }
  return fmt::format("{}={}", node, fmt::join(texts, ","));
}

std::string conventional_factor(const ShardingRule& rule, const std::string& axis) {
  // By axis, the first that a rule has.
  static const std::map<std::string, std::vector<std::string>> kFactors{
      {"x", {"f", "g", "n", "c", "d1"}}, {"y", {"c", "k", "g", "d1"}}, {"z", {"h", "m", "d2"}}};
  if (splits(rule, axis)) return axis;
  if (const auto names = kFactors.find(axis); names != kFactors.end())
    for (const std::string& name : names->second)
      if (splits(rule, name) && !is_samples(rule, name)) return name;
  return {};
}

OpSharding annotated(const ShardingRule& rule, const ShardAnnotation& annotation) {
  if (annotation.sharding) {
    const std::vector<std::string> violations = rule.violations(*annotation.sharding);
    if (!violations.empty()) refuse(annotation, fmt::format("{}", fmt::join(violations, "; ")));
    return *annotation.sharding;
  }
  std::map<std::string, std::string> axes;
  for (const MeshAxis& axis : annotation.mesh.axes()) {
    // One block is no split; an axis that could not be used does no harm then.
    if (axis.extent == 1 && !annotation.factors.contains(axis.name)) continue;
    axes.emplace(axis.name, factor_for(rule, annotation, axis));
  }
  try {
    return rule.sharded(annotation.mesh, axes);
  } catch (const base::InputError& error) {
    refuse(annotation, error.what());
  }
}

}  // namespace tacit::layout
