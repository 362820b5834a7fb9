#include "layout/repeating_weights.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/vectorised.h"
#include "layout/map_entries.h"
#include "layout/rows_alike.h"

namespace tacit::layout {
namespace {

using Content = Layout::Content;

/// sums[i] += out[i] & in[i], of `rows` rows of `width` bytes, one behind another.
TACIT_VECTORISED void add_rows(const std::uint8_t* out, const std::uint8_t* in, std::size_t rows, std::size_t width,
                               std::uint8_t* __restrict sums) {
  for (std::size_t row = 0; row < rows; ++row, out += width, in += width)
    for (std::size_t i = 0; i < width; ++i) sums[i] = static_cast<std::uint8_t>(sums[i] + (out[i] & in[i]));
}

/// Of some ciphertexts of a layout, the slots that matter to a diagonal: 1 where their content is not `free`.
class SlotsThatMatter {
 public:
  using Slots = std::vector<std::uint8_t>;

  /// `slots` of each, of the ciphertexts for which used(ciphertext).
  template <class Used>
  SlotsThatMatter(const Layout& layout, Content free, std::size_t slots, const Used& used)
      : slots_(static_cast<std::size_t>(layout.ciphertexts())), first_equal_(slots_.size()) {
    base::parallel_for(0, slots_.size(), [&](std::size_t c) {
      if (!used(c)) return;
      const std::vector<Content> period = layout.contents(static_cast<Index>(c));
      slots_[c].resize(slots);
      for (std::size_t s = 0; s < slots; ++s) slots_[c][s] = period[s & (period.size() - 1)] == free ? 0 : 1;
    });
    for (std::size_t c = 0; c < slots_.size(); ++c)
      while (slots_[first_equal_[c]] != slots_[c]) ++first_equal_[c];
  }
  const Slots& of(std::size_t ciphertext) const { return slots_[ciphertext]; }
  /// Most ciphertexts of a value are alike.
  std::size_t first_equal(std::size_t ciphertext) const { return first_equal_[ciphertext]; }
  std::size_t ciphertexts() const { return slots_.size(); }

 private:
  std::vector<Slots> slots_;
  std::vector<std::size_t> first_equal_;
};

/// Two periods of inputs, to be read from any diagonal on: what is known to be zero does not matter.
template <class Used>
SlotsThatMatter inputs_that_matter(const LinearMap& map, const DiagonalSet& set, const Used& used) {
  return {map.in, Content::zero, 2 * static_cast<std::size_t>(set.period), used};
}
/// What may be unknown does not matter.
template <class Used>
SlotsThatMatter outputs_that_matter(const LinearMap& map, const DiagonalSet& set, const Used& used) {
  return {map.out, Content::unknown, static_cast<std::size_t>(set.period), used};
}

/// Which accumulating slots of a block matter to a diagonal: those whose input is not known to be zero and whose result
/// may not be unknown.
class Matter {
 public:
  /// For every remainder of a slot modulo a power of two: how many slots matter.
  using Counts = std::vector<std::uint32_t>;

  /// A diagonal, and the first output and the first input with content in the same slots: many diagonals of many blocks
  /// have one key.
  using Key = std::tuple<std::size_t, std::size_t, Index>;

  /// Both must outlive this.
  Matter(const LinearMap& map, const SlotsThatMatter& in, const SlotsThatMatter& out)
      : in_mask_(static_cast<std::size_t>(map.in.period()) - 1), in_(in), out_(out) {}

  /// Of blocks[output * inputs + input].
  Key key(std::size_t block, Index diagonal) const {
    const std::size_t inputs = in_.ciphertexts();
    return {out_.first_equal(block / inputs), in_.first_equal(block % inputs), diagonal};
  }
  Counts count(const Key& key, std::size_t period) const {
    const auto& [output, input, diagonal] = key;
    const std::uint8_t* in = in_.of(input).data() + (static_cast<std::size_t>(diagonal) & in_mask_);
    const SlotsThatMatter::Slots& out = out_.of(output);
    // Rows of bytes, of which so many are added up that a byte holds the sum.
    constexpr std::size_t kLeastWidth = 64, kMostRows = 255;
    const std::size_t width = std::min(std::max(period, kLeastWidth), out.size());
    SlotsThatMatter::Slots sums(width);
    Counts counts(period);
    for (std::size_t begin = 0; begin < out.size(); begin += kMostRows * width) {
      const std::size_t rows = std::min(kMostRows, (out.size() - begin) / width);
      add_rows(out.data() + begin, in + begin, rows, width, sums.data());
      for (std::size_t r = 0; r < width; ++r) counts[r & (period - 1)] += std::exchange(sums[r], std::uint8_t{0});
    }
    return counts;
  }

 private:
  std::size_t in_mask_;
  const SlotsThatMatter &in_, &out_;
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
    if (digit->dim != layout.within().back().dim || !is_power_of_two(digit->extent)) break;
    slots *= digit->extent;
  }
  return slots;
}

/// A period that weights may repeat with.
struct Period {
  std::size_t slots;
  std::vector<RowsAlike> rows;  // of the map, those alike once
};

/// The weights of a map by diagonal, one for each remainder of the accumulating slot modulo a period, and how many
/// entries had it.
class Remainders {
 public:
  struct Diagonal {
    std::vector<double> weights;
    std::vector<std::uint32_t> entries;
  };
  using Block = std::map<Index, Diagonal>;

  Remainders(const LinearMap& map, const DiagonalSet& set, std::size_t period, std::size_t most)
      : period_(period),
        most_diagonals_(most / period),
        inputs_(static_cast<std::size_t>(map.in.ciphertexts())),
        modulus_(static_cast<std::size_t>(set.modulus)),
        blocks_(static_cast<std::size_t>(map.out.ciphertexts()) * inputs_),
        known_(blocks_.size()) {}

  /// An entry and those like it. False if one differs from an earlier one of its remainder, or if there are more
  /// weights than allowed.
  bool add(Index out, Index in, Index diagonal, Index accumulator, double weight, std::uint32_t times) {
    const std::size_t block = static_cast<std::size_t>(out) * inputs_ + static_cast<std::size_t>(in);
    if (known_[block].empty()) known_[block].resize(modulus_);
    Diagonal*& known = known_[block][static_cast<std::size_t>(diagonal)];
    if (known == nullptr) {
      if (diagonals_ == most_diagonals_) return false;
      ++diagonals_;
      known = &made(block, diagonal);
    }
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
  /// By output and input.
  std::vector<Block>& blocks() { return blocks_; }

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

  std::size_t period_, most_diagonals_, inputs_, modulus_, diagonals_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::vector<Diagonal*>> known_;  // by block and diagonal, so that a hit costs no search
};

/// Of all entries; none if two of one remainder differ, or if one thread meets more than `most` weights.
std::optional<Remainders> remainders_of(const LinearMap& map, const DiagonalSet& set, const MapEntries& entries,
                                        const Period& period, Index only_output, std::size_t most) {
  const std::vector<RowsAlike>& rows = period.rows;
  const auto count = static_cast<Index>(rows.size());
  const Index parts = std::clamp<Index>(count, 1, base::thread_limit());
  std::atomic<bool> equal = true;
  std::vector<std::optional<Remainders>> found(static_cast<std::size_t>(parts));
  base::parallel_for(0, found.size(), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    Remainders& own = found[part].emplace(map, set, period.slots, most);
    MapEntries::Scratch scratch;
    for (Index k = count * at / parts; k < count * (at + 1) / parts && equal; ++k) {
      const RowsAlike& some = rows[static_cast<std::size_t>(k)];
      entries.visit(some.first, some.last, only_output, scratch,
                    [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
                      if (!own.add(out, in, diagonal, accumulator, weight, some.times)) equal = false;
                    });
    }
  });
  for (std::size_t part = 1; part < found.size() && equal; ++part) {
    if (!found[0]->merge(*found[part])) equal = false;
    found[part].reset();
  }
  if (!equal) return std::nullopt;
  return std::move(found[0]);
}

}  // namespace

void repeat(const LinearMap& map, Diagonals& diagonals) {
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  std::vector<DiagonalBlock> blocks;
  std::vector<char> in_used(inputs), out_used;
  for (std::vector<DiagonalBlock>& row : diagonals.blocks) {
    out_used.push_back(0);
    for (std::size_t input = 0; input < row.size(); ++input)
      if (!row[input].empty()) in_used[input] = out_used.back() = 1;
    std::ranges::move(row, std::back_inserter(blocks));
  }
  const auto in = inputs_that_matter(map, diagonals.set, [&](std::size_t c) { return in_used[c] != 0; });
  const auto out = outputs_that_matter(map, diagonals.set, [&](std::size_t c) { return out_used[c] != 0; });
  const Matter matter(map, in, out);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<DiagonalBlock::value_type*> all;
    for (auto& entry : blocks[b]) all.push_back(&entry);
    base::parallel_for(0, all.size(), [&](std::size_t k) {
      auto& [diagonal, weights] = *all[k];
      shorten(weights, matter.count(matter.key(b, diagonal), weights.size()));
    });
    diagonals.blocks[b / inputs][b % inputs] = std::move(blocks[b]);
  }
}

struct RepeatingDiagonals::Impl {
  Impl(const LinearMap& of, std::size_t most) : map(of), most_weights(most), set(frame_of(of)) {
    if (map.in.ciphertexts() > kMostBlocks / map.out.ciphertexts()) return;
    if (map.out.has_fill(Fill::unknown)) add_period(std::max(innermost_slots(map.in), innermost_slots(map.out)));
    const std::optional<Index> in = row_slots(map.in), out = row_slots(map.out);
    if (in || out) add_period(std::max(in.value_or(map.in.period()), out.value_or(map.out.period())));
    if (const std::optional<Index> sample = sample_slots(map)) add_period(*sample);
    if (periods.empty()) return;
    entries.emplace(map, set);
    inputs.emplace(inputs_that_matter(map, set, [](std::size_t) { return true; }));
  }
  void add_period(Index slots) {
    if (slots < set.period) periods.push_back({static_cast<std::size_t>(slots), rows_alike(map, slots)});
  }
  std::optional<Diagonals> repeating_with(const Period& period, Index only_output) const;

  const LinearMap& map;
  std::size_t most_weights;
  DiagonalSet set;  // its frame
  std::vector<Period> periods;
  std::optional<MapEntries> entries;
  std::optional<SlotsThatMatter> inputs;
};

std::optional<Diagonals> RepeatingDiagonals::Impl::repeating_with(const Period& period, Index only_output) const {
  Diagonals result;
  result.set = set;
  std::optional<Remainders> remainders = remainders_of(map, set, *entries, period, only_output, most_weights);
  if (!remainders) return std::nullopt;
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()),
                       std::vector<DiagonalBlock>(inputs->ciphertexts()));
  const SlotsThatMatter outputs = outputs_that_matter(
      map, set, [&](std::size_t output) { return only_output < 0 || output == static_cast<std::size_t>(only_output); });
  const Matter matter(map, *inputs, outputs);
  std::map<Matter::Key, Matter::Counts> counts;
  for (std::size_t b = 0; b < remainders->blocks().size(); ++b)
    for (const auto& [diagonal, known] : remainders->blocks()[b]) counts.try_emplace(matter.key(b, diagonal));
  std::vector<std::pair<const Matter::Key, Matter::Counts>*> different;
  for (auto& entry : counts) different.push_back(&entry);
  base::parallel_for(0, different.size(),
                     [&](std::size_t k) { different[k]->second = matter.count(different[k]->first, period.slots); });
  std::atomic<bool> whole = true;
  for (std::size_t b = 0; b < remainders->blocks().size(); ++b) {
    Remainders::Block& block = remainders->blocks()[b];
    std::vector<std::pair<const Index, Remainders::Diagonal>*> all;
    for (auto& entry : block) all.push_back(&entry);
    base::parallel_for(0, all.size(), [&](std::size_t k) {
      auto& [diagonal, known] = *all[k];
      const Matter::Counts& matters = counts.at(matter.key(b, diagonal));
      // A slot that matters and has no entry has the weight 0, and so have all of its remainder.
      for (std::size_t r = 0; r < matters.size(); ++r)
        if (known.entries[r] != 0 && known.entries[r] != matters[r]) whole = false;
      shorten(known.weights, matters);
    });
    if (!whole) return std::nullopt;
    DiagonalBlock& made = result.blocks[b / inputs->ciphertexts()][b % inputs->ciphertexts()];
    for (auto& [diagonal, known] : block) made.emplace_hint(made.end(), diagonal, std::move(known.weights));
  }
  count_blocks(result);
  return result;
}

RepeatingDiagonals::RepeatingDiagonals(const LinearMap& map, std::size_t most_weights)
    : impl_(std::make_unique<const Impl>(map, most_weights)) {}
RepeatingDiagonals::~RepeatingDiagonals() = default;

std::optional<Diagonals> RepeatingDiagonals::of(Index only_output) const {
  for (const Period& period : impl_->periods)
    if (auto found = impl_->repeating_with(period, only_output)) return found;
  return std::nullopt;
}

}  // namespace tacit::layout
