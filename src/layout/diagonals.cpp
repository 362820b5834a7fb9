#include "layout/diagonals.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/parallel.h"
#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

DiagonalSet frame(const LinearMap& map) {
  if (map.in.slots() != map.out.slots())
    throw base::InternalError("a linear map joins layouts with different numbers of slots");
  if (element_count(map.op->in_shape()) != element_count(map.in.shape()) ||
      element_count(map.op->out_shape()) != element_count(map.out.shape()))
    throw base::InternalError("a linear operator has another size than its layouts");
  DiagonalSet set;
  set.slots = map.in.slots();
  set.period = std::max(map.in.period(), map.out.period());
  set.modulus = std::min(map.in.period(), map.out.period());
  for (Index fold = map.in.period() / 2; fold >= map.out.period(); fold /= 2) set.folds.push_back(fold);
  return set;
}

/// Walks the entries of a map. Immutable, thread safe.
class Entries {
 public:
  Entries(const LinearMap& map, const DiagonalSet& set)
      : map_(map),
        sources_(map.in.positions()),
        targets_(map.out.positions()),
        in_mask_(map.in.period() - 1),
        modulus_mask_(set.modulus - 1) {
    const std::vector<Index> all = map.out.copies();
    copies_.assign(all.begin(), std::lower_bound(all.begin(), all.end(), map.out.period()));
  }
  Index rows() const { return static_cast<Index>(targets_.size()); }

  /// Where every entry of rows [first, last) goes: body(output ciphertext, input ciphertext, diagonal, accumulator,
  /// weight). Periods are powers of two, so that remainders are masks.
  template <class F>
  void visit(Index first, Index last, Index only_output, const F& body) const {
    const bool folded = map_.out.period() < map_.in.period();
    RowEntries entries;
    for (Index row = first; row < last; ++row) {
      const Position& target = targets_[static_cast<std::size_t>(row)];
      if (only_output >= 0 && target.ciphertext != only_output) continue;
      entries.clear();
      map_.op->append_row(row, entries);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (entries.weights[k] == 0) continue;
        const Position& source = sources_[static_cast<std::size_t>(entries.columns[k])];
        for (const Index copy : copies_) {
          const Index slot = target.slot + copy;
          const Index diagonal = (source.slot - slot) & modulus_mask_;
          body(target.ciphertext, source.ciphertext, diagonal, folded ? (source.slot - diagonal) & in_mask_ : slot,
               entries.weights[k]);
        }
      }
    }
  }

 private:
  const LinearMap& map_;
  std::vector<Position> sources_, targets_;
  Index in_mask_, modulus_mask_;
  std::vector<Index> copies_;
};

}  // namespace

namespace {

/// Which diagonals of which blocks were seen: a bit each, or a list where most of very many bits would be 0.
class Seen {
 public:
  Seen(const LinearMap& map, const DiagonalSet& set)
      : inputs_(map.in.ciphertexts()),
        modulus_(set.modulus),
        listed_(map.out.ciphertexts() * inputs_ > kMostBits / modulus_),
        words_(static_cast<std::size_t>((modulus_ + kBits - 1) / kBits)),
        blocks_(listed_ ? 0 : static_cast<std::size_t>(map.out.ciphertexts() * inputs_)) {}

  void mark(Index out, Index in, Index diagonal) {
    const Index block = out * inputs_ + in;
    if (listed_) return add_to_list(block * modulus_ + diagonal);
    std::vector<std::uint64_t>& bits = blocks_[static_cast<std::size_t>(block)];
    if (bits.empty()) bits.resize(words_);
    bits[static_cast<std::size_t>(diagonal / kBits)] |= std::uint64_t{1} << (diagonal % kBits);
  }
  void merge(Seen&& other) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].empty())
        blocks_[b] = std::move(other.blocks_[b]);
      else
        include(blocks_[b], other.blocks_[b]);
    for (const Index place : other.list_) add_to_list(place);
  }
  void count(DiagonalSet& set) {
    std::vector<std::uint64_t> any(words_);
    for (const auto& bits : blocks_) {
      set.blocks += bits.empty() ? 0 : 1;
      for (const std::uint64_t word : bits) set.products += std::popcount(word);
      include(any, bits);
    }
    shorten_list();
    set.products += static_cast<Index>(list_.size());
    for (std::size_t i = 0; i < list_.size(); ++i) {
      set.blocks += i == 0 || list_[i] / modulus_ != list_[i - 1] / modulus_ ? 1 : 0;
      any[static_cast<std::size_t>(list_[i] % modulus_ / kBits)] |= std::uint64_t{1} << (list_[i] % modulus_ % kBits);
    }
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t left = any[w]; left != 0; left &= left - 1)
        set.diagonals.insert(set.diagonals.end(), static_cast<Index>(w) * kBits + std::countr_zero(left));
  }

 private:
  static constexpr Index kBits = 64, kMostBits = Index{1} << 30;
  static constexpr std::size_t kShortList = std::size_t{1} << 20;

  static void include(std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& more) {
    for (std::size_t w = 0; w < more.size(); ++w) all[w] |= more[w];
  }
  void add_to_list(Index place) {
    if (!list_.empty() && list_.back() == place) return;
    list_.push_back(place);
    if (list_.size() < shorten_at_) return;
    shorten_list();
    shorten_at_ = std::max(kShortList, 2 * list_.size());
  }
  void shorten_list() {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  }

  Index inputs_, modulus_;
  bool listed_;
  std::size_t words_;
  std::vector<std::vector<std::uint64_t>> blocks_;  // by output, then input; empty where none was seen
  std::vector<Index> list_;                         // block * modulus + diagonal
  std::size_t shorten_at_ = kShortList;
};

Seen seen_by_entry(const LinearMap& map, const DiagonalSet& set) {
  Seen seen(map, set);
  const Entries entries(map, set);
  const Index rows = entries.rows(), parts = std::min<Index>(rows, base::thread_limit());
  std::mutex mutex;
  base::parallel_for(0, static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    Seen own(map, set);
    entries.visit(rows * at / parts, rows * (at + 1) / parts, -1,
                  [&](Index out, Index in, Index diagonal, Index, double) { own.mark(out, in, diagonal); });
    const std::lock_guard lock(mutex);
    seen.merge(std::move(own));
  });
  return seen;
}

/// A part of where an entry lies. Parts of different axes add up, the diagonal modulo the set's.
struct Place {
  Index out = 0, in = 0, diagonal = 0;
  auto operator<=>(const Place&) const = default;
};

void drop_repetitions(std::vector<Place>& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

/// Whether the axes of `fine` can be joined, and axes of extent 1 added, to give those of `coarse`.
bool joins_to(const Shape& fine, const Shape& coarse) {
  Index wanted = 1, made = 1;
  std::size_t f = fine.size();
  for (std::size_t c = coarse.size(); c-- > 0;) {
    wanted *= coarse[c];
    while (made < wanted && f > 0) made *= fine[--f];
    if (made != wanted) return false;
  }
  return std::all_of(fine.begin(), fine.begin() + static_cast<std::ptrdiff_t>(f), [](Index n) { return n == 1; });
}

/// The positions of a layout's elements, taken apart by the axes of a shape that joins the layout's.
class PositionParts {
 public:
  PositionParts(const Layout& layout, const Shape& shape) : by_axis_(shape.size()) {
    Index stride = 1;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
      for (Index i = 0; i < shape[d]; ++i) by_axis_[d].push_back(layout.position_of(i * stride));
  }
  const Position& at(std::size_t axis, Index index) const { return by_axis_[axis][static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::vector<Position>> by_axis_;
};

class WindowPlaces {
 public:
  WindowPlaces(const LinearMap& map, const DiagonalSet& set, const WindowPattern& pattern)
      : pattern_(pattern),
        in_(map.in, pattern.window.in()),
        out_(map.out, pattern.window.out()),
        mask_(set.modulus - 1) {
    for (const Index copy : map.out.copies())
      if (copy < map.out.period()) add_distinct(copies_, {0, 0, -copy & mask_});
    for (Index b = 0; b < pattern.window.in()[0]; ++b) add_distinct(batches_, place(0, b, b));
    drop_repetitions(copies_);
    drop_repetitions(batches_);
  }

  Seen seen(Seen seen) const {
    const Window& window = pattern_.window;
    const Index inputs = window.in()[1] / pattern_.groups, outputs = window.out()[1] / pattern_.groups;
    for (Index tap = 0; tap < window.taps(); ++tap) {
      const std::vector<Place> spatial = places_of_tap(tap);
      std::vector<Place> channels;
      for (Index o = 0; o < window.out()[1]; ++o)
        for (Index c = 0; c < inputs; ++c)
          if (pattern_.has_entry(o, c, tap)) channels.push_back(place(1, o / outputs * inputs + c, o));
      drop_repetitions(channels);
      for (const Place& s : spatial)
        for (const Place& c : channels) seen.mark(s.out + c.out, s.in + c.in, (s.diagonal + c.diagonal) & mask_);
    }
    return seen;
  }

 private:
  Place place(std::size_t dimension, Index in, Index out) const {
    const Position &source = in_.at(dimension, in), &target = out_.at(dimension, out);
    return {target.ciphertext, source.ciphertext, (source.slot - target.slot) & mask_};
  }
  static void add_distinct(std::vector<Place>& places, Place place) {
    if (places.empty() || places.back() != place) places.push_back(place);
  }
  std::vector<Place> sums(const std::vector<Place>& left, const std::vector<Place>& right) const {
    std::vector<Place> all;
    for (const Place& l : left)
      for (const Place& r : right) all.push_back({l.out + r.out, l.in + r.in, (l.diagonal + r.diagonal) & mask_});
    drop_repetitions(all);
    return all;
  }
  /// Of every spatial place that one tap reads, of all batches and copies.
  std::vector<Place> places_of_tap(Index tap) const {
    const Window& window = pattern_.window;
    std::vector<Place> places = sums(copies_, batches_);
    for (std::size_t d = window.axes().size(); d-- > 0; tap /= window.axes()[d].kernel) {
      const WindowAxis& axis = window.axes()[d];
      std::vector<Place> along;
      for (Index o = 0; o < window.out()[d + 2]; ++o) {
        const Index i = o * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
        if (i >= 0 && i < window.in()[d + 2]) add_distinct(along, place(d + 2, i, o));
      }
      drop_repetitions(along);
      places = sums(places, along);
    }
    return places;
  }

  const WindowPattern& pattern_;
  PositionParts in_, out_;
  Index mask_;
  std::vector<Place> copies_, batches_;
};

}  // namespace

DiagonalSet diagonal_set(const LinearMap& map) {
  DiagonalSet set = frame(map);
  const std::optional<WindowPattern> pattern = map.op->window_pattern();
  if (pattern && joins_to(map.in.shape(), pattern->window.in()) && joins_to(map.out.shape(), pattern->window.out()))
    WindowPlaces(map, set, *pattern).seen(Seen(map, set)).count(set);
  else
    seen_by_entry(map, set).count(set);
  return set;
}

std::vector<double> weights_of(const DiagonalSet& set, const DiagonalBlock& block, Index diagonal) {
  const auto found = block.find(diagonal & (set.modulus - 1));
  if (found == block.end()) return {};
  std::vector<double> weights = found->second;
  // Rotating the input by a multiple of its own period changes nothing; where sums fold, the accumulator moves instead,
  // by a multiple of the output's period, which the folds undo.
  if (!set.folds.empty())
    std::rotate(weights.begin(), weights.begin() + ((diagonal - found->first) & (set.period - 1)), weights.end());
  return weights;
}

Diagonals diagonals(const LinearMap& map, Index only_output) {
  Diagonals result;
  result.set = frame(map);
  DiagonalSet& set = result.set;
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()), std::vector<DiagonalBlock>(inputs));
  // By block and diagonal: where its weights are, so that a hit costs no search.
  std::vector<std::vector<std::vector<double>*>> known(result.blocks.size() * inputs);
  const Entries entries(map, set);
  entries.visit(0, entries.rows(), only_output,
                [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
                  auto& block = known[static_cast<std::size_t>(out) * inputs + static_cast<std::size_t>(in)];
                  if (block.empty()) block.resize(static_cast<std::size_t>(set.modulus));
                  auto& weights = block[static_cast<std::size_t>(diagonal)];
                  if (weights == nullptr) {
                    weights = &result.blocks[static_cast<std::size_t>(out)][static_cast<std::size_t>(in)][diagonal];
                    weights->resize(static_cast<std::size_t>(set.period));
                  }
                  (*weights)[static_cast<std::size_t>(accumulator)] += weight;
                });
  for (const auto& row : result.blocks)
    for (const DiagonalBlock& block : row) {
      set.blocks += block.empty() ? 0 : 1;
      set.products += static_cast<Index>(block.size());
      for (const auto& [diagonal, weights] : block) set.diagonals.insert(diagonal);
    }
  return result;
}

}  // namespace tacit::layout
