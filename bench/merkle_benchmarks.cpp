#include "bench/merkle_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/aligned.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "merkle/rescue.h"
#include "merkle/tree.h"
#include "session/stopwatch.h"

namespace tacit::bench {
namespace {

using merkle::Approach;
using merkle::Digest;

base::AlignedVector<Digest> random_leaves(std::size_t count) {
  base::Csprng random(base::Seed{});
  base::AlignedVector<Digest> leaves(count);
  for (Digest& leaf : leaves)
    for (std::uint64_t& word : leaf.words) word = random.below(merkle::goldilocks::kModulus);
  return leaves;
}

TreeResult build_once(merkle::Device& device, const merkle::TreeScheme& scheme, std::span<const Digest> leaves,
                      base::AlignedVector<Digest>& nodes, Approach approach, std::uint64_t group) {
  const merkle::TreeShape shape(leaves.size());
  const auto plan = merkle::plan_dispatches(shape, approach, group);
  nodes.resize(shape.slots());
  merkle::RunRecord record;
  const session::Stopwatch watch;
  device.run(scheme, shape, leaves, nodes, plan, &record);
  TreeResult result{device.kind(), device.name(), approach, leaves.size(), group, watch.seconds(), 0,
                    plan.size(),   std::nullopt};
  for (const double seconds : record.seconds) result.kernel_seconds += seconds;
  if (approach == Approach::work_groups && leaves.size() / 4 >= group)
    result.published_rounds = merkle::published_rounds(leaves.size(), group);
  return result;
}

TreeResult build(merkle::Device& device, const MerkleBenchmarkChoice& choice, std::span<const Digest> leaves,
                 base::AlignedVector<Digest>& nodes, Approach approach, std::uint64_t group) {
  // A device may compile for a group size when it first uses it.
  build_once(device, choice.scheme, leaves.first(std::min<std::size_t>(leaves.size(), 4 * group)), nodes, approach,
             group);
  std::vector<TreeResult> results;
  for (int i = 0; i < choice.repeats; ++i)
    results.push_back(build_once(device, choice.scheme, leaves, nodes, approach, group));
  const auto middle = results.begin() + (choice.repeats - 1) / 2;
  std::nth_element(results.begin(), middle, results.end(),
                   [](const TreeResult& a, const TreeResult& b) { return a.seconds < b.seconds; });
  return *middle;
}

}  // namespace

std::vector<PublishedTree> published_trees() {
  std::vector<PublishedTree> trees;
  const auto add = [&](const char* device, Approach approach, std::initializer_list<double> milliseconds) {
    int log_leaves = 20;
    for (const double time : milliseconds) trees.push_back({device, approach, log_leaves++, time});
  };
  add("Xeon Platinum 8358, 64 cores", Approach::level_by_level, {770.2, 1500.5, 2987.2, 5974.5});
  add("Xeon Platinum 8358, 64 cores", Approach::work_groups, {1801.5, 3485.8, 6975.0, 13965.3});
  add("Tesla V100", Approach::level_by_level, {63.07, 116.2, 221.6, 431.2});
  add("Tesla V100", Approach::work_groups, {136.8, 238.9, 445.3, 873.7});
  return trees;
}

void run_tree_benchmarks(const MerkleBenchmarkChoice& choice, const std::function<void(const TreeResult&)>& sink) {
  const auto [devices, left_out] = merkle::all_devices();
  for (const std::string& sentence : left_out) fmt::print(stderr, "tacit: {}\n", sentence);
  const auto leaves = random_leaves(std::size_t{1} << choice.last_log);
  base::AlignedVector<Digest> nodes;
  bool any = false;
  for (const auto& device : devices) {
    if (!choice.kind.empty() && device->kind() != choice.kind) continue;
    any = true;
    double longest = 0;
    for (int log = choice.first_log; log <= choice.last_log && longest <= choice.longest; ++log) {
      const auto some = std::span<const Digest>(leaves).first(std::size_t{1} << log);
      for (const Approach approach : {Approach::level_by_level, Approach::work_groups})
        for (std::uint64_t group = choice.smallest_group; group <= choice.largest_group; group *= 2) {
          if (group > device->largest_group()) break;
          const TreeResult result = build(*device, choice, some, nodes, approach, group);
          longest = std::max(longest, result.seconds);
          sink(result);
          if (device->kind() == "cpu" && approach == Approach::level_by_level) break;
        }
    }
  }
  if (!any) throw base::InputError("there is no device of kind '" + choice.kind + "' here");
}

void run_merkle_operations(double seconds, const std::function<void(const MerkleOperationResult&)>& sink) {
  constexpr std::size_t kPairs = 256;
  base::set_thread_limit(1);
  const auto pairs = random_leaves(2 * kPairs);
  for (const merkle::Variant variant : {merkle::Variant::c, merkle::Variant::a}) {
    const merkle::TreeScheme scheme{.variant = variant};
    const std::string name = variant == merkle::Variant::c ? "C" : "A";
    std::array<Digest, kPairs> parents;
    session::Measurement many = session::measure([&] { merkle::merge_pairs(scheme, pairs, parents); }, seconds);
    for (double* time : {&many.median, &many.lower, &many.upper}) *time /= kPairs;
    sink({"merge, variant " + name + ", of many", many});
    sink({"merge, variant " + name + ", alone",
          session::measure([&] { parents[0] = merkle::merge(scheme, pairs[0], pairs[1]); }, seconds)});
  }
  const merkle::Tree tree({}, random_leaves(std::size_t{1} << 20));
  const Digest root = tree.root();
  const std::uint64_t index[] = {777777};
  const merkle::InclusionProof proof = tree.prove(index);
  sink({"proof of a leaf among 2^20, make", session::measure([&] { tree.prove(index); }, seconds)});
  sink({"proof of a leaf among 2^20, verify", session::measure(
                                                  [&] {
                                                    if (!merkle::verify(proof, root))
                                                      throw base::InternalError("a sound proof did not hold");
                                                  },
                                                  seconds)});
}

}  // namespace tacit::bench
