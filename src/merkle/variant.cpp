#include "merkle/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tacit::merkle {
namespace {

constexpr TreeScheme kSchemes[] = {
    {.variant = Variant::c, .mode = Mode::bound},
    {.variant = Variant::a, .mode = Mode::bound},
    {.variant = Variant::c, .mode = Mode::strict},
    {.variant = Variant::a, .mode = Mode::strict},
};

}  // namespace

std::string scheme_name(TreeScheme scheme) {
  return fmt::format("rescue-prime-{}.1{}", scheme.variant == Variant::a ? 'a' : 'c',
                     scheme.mode == Mode::strict ? "-strict" : "");
}

TreeScheme scheme_from_name(std::string_view name) {
  std::string known;
  for (const TreeScheme& scheme : kSchemes) {
    if (scheme_name(scheme) == name) return scheme;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", scheme_name(scheme));
  }
  base::refuse("'{}' is no hash; choose one of {}", name, known);
}

namespace {

constexpr std::pair<LeafRule, std::string_view> kLeafRules[] = {
    {LeafRule::digests, "digests"}, {LeafRule::sha256, "sha256"}, {LeafRule::bytes, "bytes"}};

}  // namespace

std::string_view leaf_rule_name(LeafRule rule) {
  for (const auto& [known, name] : kLeafRules)
    if (known == rule) return name;
  return "unknown";
}

LeafRule leaf_rule_from_name(std::string_view name) {
  for (const auto& [rule, known] : kLeafRules)
    if (known == name) return rule;
  base::refuse("'{}' is no kind of leaf; choose digests, sha256 or bytes", name);
}

void require_valid(const TreeScheme& scheme, std::string_view what) {
  if (std::ranges::none_of(
          kSchemes, [&](const TreeScheme& each) { return each.variant == scheme.variant && each.mode == scheme.mode; }))
    base::refuse("{}: unknown hash (variant {}, mode {})", what, static_cast<std::uint32_t>(scheme.variant),
                 static_cast<std::uint32_t>(scheme.mode));
  if (std::ranges::none_of(kLeafRules, [&](const auto& known) { return known.first == scheme.leaf_rule; }))
    base::refuse("{}: unknown kind of leaf {}", what, static_cast<std::uint32_t>(scheme.leaf_rule));
  if (scheme.leaf_rule == LeafRule::digests) {
    if (scheme.chunk_bytes != 0) base::refuse("{}: digests have no chunk size", what);
    return;
  }
  if (scheme.mode == Mode::strict) base::refuse("{}: a strict tree has digests for leaves, not chunks of bytes", what);
  if (scheme.chunk_bytes < 1 || scheme.chunk_bytes > kLargestChunk)
    base::refuse("{}: chunks of {} bytes; give 1 byte to 1 GiB", what, scheme.chunk_bytes);
}

}  // namespace tacit::merkle
