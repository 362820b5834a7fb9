#include <bit>
#include <cstdlib>
#include <fstream>
#include <random>

#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"

namespace tacit::merkle::known {

std::optional<nlohmann::json> answers() {
  const char* folder = std::getenv("TACIT_DATA");
  if (folder == nullptr) return std::nullopt;
  std::ifstream file(std::string(folder) + "/kat/rescue_prime_kat.json");
  if (!file) return std::nullopt;
  return nlohmann::json::parse(file);
}

std::vector<std::uint64_t> words(const nlohmann::json& list) {
  std::vector<std::uint64_t> values;
  for (const auto& word : list) values.push_back(std::stoull(word.get<std::string>()));
  return values;
}

Digest digest(const nlohmann::json& list) {
  const auto values = words(list);
  Digest result;
  std::copy_n(values.begin(), 4, result.words.begin());
  return result;
}

std::vector<Digest> counting_leaves(std::size_t count) {
  std::vector<Digest> leaves(count);
  for (std::size_t i = 0; i < count; ++i) leaves[i].words = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
  return leaves;
}

std::vector<Digest> random_leaves(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Digest> leaves(count);
  for (Digest& leaf : leaves)
    for (std::uint64_t& word : leaf.words) word = random() % goldilocks::kModulus;
  return leaves;
}

Tree random_tree(std::size_t count, const TreeScheme& scheme) {
  const auto leaves = random_leaves(count, count);
  return {scheme, {leaves.begin(), leaves.end()}};
}

Digest recursive_top(TreeScheme scheme, const Digest* leaves, std::size_t count) {
  if (count == 1) return leaves[0];
  const std::size_t half = std::bit_ceil(count) / 2;
  return merge(scheme, recursive_top(scheme, leaves, half), recursive_top(scheme, leaves + half, count - half));
}

}  // namespace tacit::merkle::known
