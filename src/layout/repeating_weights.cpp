#include "layout/repeating_weights.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "layout/map_entries.h"
#include "layout/rows_alike.h"

namespace tacit::layout {
namespace {

using Content = Layout::Content;

/// Which accumulating slots of a block matter to a diagonal: those whose input is not known to be zero and whose result
/// may not be unknown.
class Matter {
 public:
  /// Of the blocks that `is_used` calls so by output and input, and no others.
  template <class IsUsed>
  Matter(const LinearMap& map, const DiagonalSet& set, const IsUsed& is_used)
      : in_mask_(static_cast<std::size_t>(map.in.period()) - 1) {
    in_.resize(static_cast<std::size_t>(map.in.ciphertexts()));
    out_.resize(static_cast<std::size_t>(map.out.ciphertexts()));
    std::vector<char> in_used(in_.size()), out_used(out_.size());
    for (std::size_t j = 0; j < out_.size(); ++j)
      for (std::size_t i = 0; i < in_.size(); ++i)
        if (is_used(j, i)) in_used[i] = out_used[j] = 1;
    const auto period = static_cast<std::size_t>(set.period);
    base::parallel_for(0, in_.size() + out_.size(), [&](std::size_t c) {
      const std::size_t j = c - in_.size();
      if (c < in_.size() && in_used[c] != 0)
        in_[c] = wide(map.in.contents(static_cast<Index>(c)), Content::zero, 2 * period);
      else if (c >= in_.size() && out_used[j] != 0)
        out_[j] = wide(map.out.contents(static_cast<Index>(j)), Content::unknown, period);
    });
  }

  /// For every remainder modulo a power of two: how many slots matter.
  std::vector<std::uint32_t> count(std::size_t output, std::size_t input, Index diagonal, std::size_t period) const {
    const std::uint8_t* in = in_[input].data() + (static_cast<std::size_t>(diagonal) & in_mask_);
    const std::vector<std::uint8_t>& out = out_[output];
    std::vector<std::uint32_t> counts(period);
    for (std::size_t begin = 0; begin < out.size(); begin += period)
      for (std::size_t r = 0; r < period; ++r) counts[r] += out[begin + r] & in[begin + r];
    return counts;
  }

 private:
  using Slots = std::vector<std::uint8_t>;
  static Slots wide(const std::vector<Content>& period, Content free, std::size_t size) {
    Slots result(size);
    for (std::size_t s = 0; s < size; ++s) result[s] = period[s & (period.size() - 1)] == free ? 0 : 1;
    return result;
  }

  std::vector<Slots> in_;  // by ciphertext, two periods, to be read from any diagonal on
  std::vector<Slots> out_;
  std::size_t in_mask_;
};

/// Shortens weights to the smallest power of two with which those that matter repeat.
void shorten(std::vector<double>& weights, std::span<const std::uint32_t> matters) {
  std::vector<double> shorter;
  std::vector<char> known;
  const auto agree = [&] {
    const std::size_t mask = shorter.size() - 1;
    for (std::size_t u = 0; u < weights.size(); ++u) {
      if (matters[u] == 0) continue;
      double& weight = shorter[u & mask];
      if (known[u & mask] != 0 && weight != weights[u]) return false;
      known[u & mask] = 1;
      weight = weights[u];
    }
    return true;
  };
  for (std::size_t period = 1; period < weights.size(); period *= 2) {
    shorter.assign(period, 0.0);
    known.assign(period, 0);
    if (!agree()) continue;
    weights = std::vector<double>(shorter);
    return;
  }
}

// Pairs of ciphertexts, for each of which something is held.
constexpr Index kMostBlocks = Index{1} << 12;

/// The slots that the innermost digits of one dimension span, as far as they are powers of two.
Index innermost_slots(const Layout& layout) {
  Index slots = 1;
  for (auto digit = layout.within().rbegin(); digit != layout.within().rend(); ++digit) {
    if (digit->dim != layout.within().back().dim || !std::has_single_bit(static_cast<std::uint64_t>(digit->extent)))
      break;
    slots *= digit->extent;
  }
  return slots;
}

/// The weights of a map by diagonal, one for each remainder of the accumulating slot modulo a period, and how many
/// entries had it.
class Remainders {
 public:
  struct Diagonal {
    std::vector<double> weights;
    std::vector<std::uint32_t> entries;
  };
  using Block = std::map<Index, Diagonal>;

  Remainders(const LinearMap& map, const DiagonalSet& set, std::size_t period)
      : period_(period),
        inputs_(static_cast<std::size_t>(map.in.ciphertexts())),
        modulus_(static_cast<std::size_t>(set.modulus)),
        blocks_(static_cast<std::size_t>(map.out.ciphertexts()) * inputs_),
        known_(blocks_.size()) {}

  /// An entry and those like it. False if one differs from an earlier one of its remainder.
  bool add(Index out, Index in, Index diagonal, Index accumulator, double weight, std::uint32_t times) {
    const std::size_t block = static_cast<std::size_t>(out) * inputs_ + static_cast<std::size_t>(in);
    if (known_[block].empty()) known_[block].resize(modulus_);
    Diagonal*& known = known_[block][static_cast<std::size_t>(diagonal)];
    if (known == nullptr) known = &made(block, diagonal);
    return add(*known, static_cast<std::size_t>(accumulator) & (period_ - 1), weight, times);
  }
  bool merge(const Remainders& other) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (const auto& [diagonal, from] : other.blocks_[b]) {
        Diagonal& to = made(b, diagonal);
        for (std::size_t r = 0; r < period_; ++r)
          if (from.entries[r] > 0 && !add(to, r, from.weights[r], from.entries[r])) return false;
      }
    return true;
  }
  Block& block(std::size_t out, std::size_t in) { return blocks_[out * inputs_ + in]; }

 private:
  Diagonal& made(std::size_t block, Index diagonal) {
    Diagonal& result = blocks_[block][diagonal];
    result.weights.resize(period_);
    result.entries.resize(period_);
    return result;
  }
  static bool add(Diagonal& to, std::size_t remainder, double weight, std::uint32_t entries) {
    if (to.entries[remainder] > 0 && to.weights[remainder] != weight) return false;
    to.weights[remainder] = weight;
    to.entries[remainder] += entries;
    return true;
  }

  std::size_t period_, inputs_, modulus_;
  std::vector<Block> blocks_;
  std::vector<std::vector<Diagonal*>> known_;  // by block and diagonal, so that a hit costs no search
};

/// Of all entries; none if two of one remainder differ.
std::optional<Remainders> remainders_of(const LinearMap& map, const DiagonalSet& set, Index only_output,
                                        std::size_t period) {
  const MapEntries entries(map, set);
  const std::vector<RowsAlike> rows = rows_alike(map, static_cast<Index>(period));
  const auto count = static_cast<Index>(rows.size()), parts = std::min<Index>(count, base::thread_limit());
  Remainders all(map, set, period);
  std::atomic<bool> equal = true;
  std::mutex mutex;
  base::parallel_for(0, static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    Remainders own(map, set, period);
    MapEntries::Scratch scratch;
    for (Index k = count * at / parts; k < count * (at + 1) / parts && equal; ++k) {
      const RowsAlike& some = rows[static_cast<std::size_t>(k)];
      entries.visit(some.first, some.last, only_output, scratch,
                    [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
                      if (!own.add(out, in, diagonal, accumulator, weight, some.times)) equal = false;
                    });
    }
    const std::lock_guard lock(mutex);
    if (equal && !all.merge(own)) equal = false;
  });
  if (!equal) return std::nullopt;
  return all;
}

/// As repeating_diagonals, of weights that repeat with this period.
std::optional<Diagonals> repeating_with(const LinearMap& map, Index only_output, Index period) {
  Diagonals result;
  result.set = frame_of(map);
  if (period >= result.set.period) return std::nullopt;
  std::optional<Remainders> remainders = remainders_of(map, result.set, only_output, static_cast<std::size_t>(period));
  if (!remainders) return std::nullopt;
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()), std::vector<DiagonalBlock>(inputs));
  const Matter matter(map, result.set, [&](std::size_t j, std::size_t i) { return !remainders->block(j, i).empty(); });
  std::atomic<bool> whole = true;
  for (std::size_t j = 0; j < result.blocks.size(); ++j)
    for (std::size_t i = 0; i < inputs; ++i) {
      Remainders::Block& block = remainders->block(j, i);
      if (block.empty()) continue;
      std::vector<std::pair<const Index, Remainders::Diagonal>*> all;
      for (auto& entry : block) all.push_back(&entry);
      base::parallel_for(0, all.size(), [&](std::size_t k) {
        auto& [diagonal, known] = *all[k];
        const std::vector<std::uint32_t> matters = matter.count(j, i, diagonal, known.weights.size());
        // A slot that matters and has no entry has the weight 0, and so have all of its remainder.
        for (std::size_t r = 0; r < matters.size(); ++r)
          if (known.entries[r] != 0 && known.entries[r] != matters[r]) whole = false;
        shorten(known.weights, matters);
      });
      if (!whole) return std::nullopt;
      for (auto& [diagonal, known] : block)
        result.blocks[j][i].emplace_hint(result.blocks[j][i].end(), diagonal, std::move(known.weights));
    }
  count_blocks(result);
  return result;
}

}  // namespace

void repeat(const LinearMap& map, Diagonals& diagonals) {
  const Matter matter(map, diagonals.set,
                      [&](std::size_t j, std::size_t i) { return !diagonals.blocks[j][i].empty(); });
  for (std::size_t j = 0; j < diagonals.blocks.size(); ++j)
    for (std::size_t i = 0; i < diagonals.blocks[j].size(); ++i) {
      DiagonalBlock& block = diagonals.blocks[j][i];
      if (block.empty()) continue;
      std::vector<DiagonalBlock::value_type*> all;
      for (auto& entry : block) all.push_back(&entry);
      base::parallel_for(0, all.size(), [&](std::size_t k) {
        auto& [diagonal, weights] = *all[k];
        shorten(weights, matter.count(j, i, diagonal, weights.size()));
      });
    }
}

std::optional<Diagonals> repeating_diagonals(const LinearMap& map, Index only_output) {
  if (map.in.ciphertexts() > kMostBlocks / map.out.ciphertexts()) return std::nullopt;
  if (map.out.has_fill(Fill::unknown))
    if (auto found = repeating_with(map, only_output, std::max(innermost_slots(map.in), innermost_slots(map.out))))
      return found;
  const std::optional<Index> in = row_slots(map.in), out = row_slots(map.out);
  return in && out ? repeating_with(map, only_output, std::max(*in, *out)) : std::nullopt;
}

}  // namespace tacit::layout
