#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "merkle/digest.h"
#include "merkle/tree.h"
#include "merkle/variant.h"

namespace tacit::merkle::known {

/// The data file $TACIT_DATA/kat/rescue_prime_kat.json, if it is there.
std::optional<nlohmann::json> answers();
/// Numbers written as decimal text.
std::vector<std::uint64_t> words(const nlohmann::json& list);
Digest digest(const nlohmann::json& list);
/// Leaf i = [4i, 4i + 1, 4i + 2, 4i + 3].
std::vector<Digest> counting_leaves(std::size_t count);
/// Leaves from a seeded generator, canonical.
std::vector<Digest> random_leaves(std::size_t count, std::uint64_t seed);
/// Returns the tree of `count` random leaves.
Tree random_tree(std::size_t count, const TreeScheme& scheme = {});
/// The tree by its definition: the left half is the largest power of two below the count.
Digest recursive_top(TreeScheme scheme, const Digest* leaves, std::size_t count);

}  // namespace tacit::merkle::known
