#include "layout/repeating_weights.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"

namespace tacit::layout {
namespace {

using Content = Layout::Content;

/// Which slots matter, one period: of an input those that are not known to be zero, of an output those that may not
/// hold unknown numbers.
std::vector<char> mattering(const Layout& layout, Index ciphertext, Content free) {
  std::vector<char> result;
  for (const Content content : layout.contents(ciphertext)) result.push_back(content == free ? 0 : 1);
  return result;
}

class Repetition {
 public:
  Repetition(std::vector<char> in, std::vector<char> out) : in_(std::move(in)), out_(std::move(out)) {}

  void shorten(Index diagonal, std::vector<double>& weights) const {
    std::vector<char> matters(weights.size());
    for (std::size_t u = 0; u < weights.size(); ++u)
      matters[u] =
          out_[u & (out_.size() - 1)] != 0 && in_[(u + static_cast<std::size_t>(diagonal)) & (in_.size() - 1)] != 0;
    std::vector<double> shorter;
    std::vector<char> known;
    for (std::size_t period = 1; period < weights.size(); period *= 2) {
      shorter.assign(period, 0.0);
      known.assign(period, 0);
      if (!agree(weights, matters, shorter, known)) continue;
      weights = shorter;
      weights.shrink_to_fit();
      return;
    }
  }

 private:
  /// Whether the weights that matter are equal at equal places of the shorter period, which takes them.
  static bool agree(const std::vector<double>& weights, const std::vector<char>& matters, std::vector<double>& shorter,
                    std::vector<char>& known) {
    const std::size_t mask = shorter.size() - 1;
    for (std::size_t u = 0; u < weights.size(); ++u) {
      if (matters[u] == 0) continue;
      double& weight = shorter[u & mask];
      if (known[u & mask] != 0 && weight != weights[u]) return false;
      known[u & mask] = 1;
      weight = weights[u];
    }
    return true;
  }

  std::vector<char> in_, out_;
};

}  // namespace

void repeat(const LinearMap& map, Diagonals& diagonals) {
  for (std::size_t j = 0; j < diagonals.blocks.size(); ++j)
    for (std::size_t i = 0; i < diagonals.blocks[j].size(); ++i) {
      DiagonalBlock& block = diagonals.blocks[j][i];
      if (block.empty()) continue;
      const Repetition repetition(mattering(map.in, static_cast<Index>(i), Content::zero),
                                  mattering(map.out, static_cast<Index>(j), Content::unknown));
      std::vector<DiagonalBlock::value_type*> all;
      for (auto& entry : block) all.push_back(&entry);
      base::parallel_for(0, all.size(), [&](std::size_t k) { repetition.shorten(all[k]->first, all[k]->second); });
    }
}

}  // namespace tacit::layout
