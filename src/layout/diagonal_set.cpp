#include <algorithm>
#include <atomic>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "layout/diagonals.h"
#include "layout/equal_parts.h"
#include "layout/few_samples.h"
#include "layout/map_entries.h"
#include "layout/operators/window.h"
#include "layout/repeating_weights.h"

namespace tacit::layout {
namespace {

/// Values of which each is kept once. Memory is that of twice as many as differ, or of kShort.
template <class T>
class Distinct {
 public:
  void add(const T& value) {
    if (!values_.empty() && values_.back() == value) return;
    values_.push_back(value);
    if (values_.size() < shorten_at_) return;
    shorten();
    shorten_at_ = std::max(kShort, 2 * values_.size());
  }
  /// In rising order.
  const std::vector<T>& sorted() {
    shorten();
    return values_;
  }

 private:
  static constexpr std::size_t kShort = std::size_t{1} << 20;
  void shorten() {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  std::vector<T> values_;
  std::size_t shorten_at_ = kShort;
};

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
    if (listed_) return list_.add(block * modulus_ + diagonal);
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
    for (const Index place : other.list_.sorted()) list_.add(place);
  }
  void count(DiagonalSet& set) {
    std::vector<std::uint64_t> any(words_);
    for (const auto& bits : blocks_) {
      set.blocks += bits.empty() ? 0 : 1;
      for (const std::uint64_t word : bits) set.count.products += std::popcount(word);
      include(any, bits);
    }
    const std::vector<Index>& list = list_.sorted();
    set.count.products += static_cast<Index>(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      set.blocks += i == 0 || list[i] / modulus_ != list[i - 1] / modulus_ ? 1 : 0;
      any[static_cast<std::size_t>(list[i] % modulus_ / kBits)] |= std::uint64_t{1} << (list[i] % modulus_ % kBits);
    }
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t left = any[w]; left != 0; left &= left - 1)
        set.diagonals.insert(set.diagonals.end(), static_cast<Index>(w) * kBits + std::countr_zero(left));
  }
  void list_inputs(std::vector<std::vector<Index>>& of_outputs) {
    const auto add = [&](Index block) {
      std::vector<Index>& inputs = of_outputs[static_cast<std::size_t>(block / inputs_)];
      if (inputs.empty() || inputs.back() != block % inputs_) inputs.push_back(block % inputs_);
    };
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (!blocks_[b].empty()) add(static_cast<Index>(b));
    for (const Index place : list_.sorted()) add(place / modulus_);
  }

 private:
  static constexpr Index kBits = 64, kMostBits = Index{1} << 30;

  static void include(std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& more) {
    for (std::size_t w = 0; w < more.size(); ++w) all[w] |= more[w];
  }

  Index inputs_, modulus_;
  bool listed_;
  std::size_t words_;
  std::vector<std::vector<std::uint64_t>> blocks_;  // by output, then input; empty where none was seen
  Distinct<Index> list_;                            // block * modulus + diagonal
};

void mark_entries(const LinearMap& map, const DiagonalSet& set, Seen& seen) {
  const MapEntries entries(map, set);
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
}

/// A part of where an entry lies. Parts of different axes add up, the diagonal modulo the set's.
struct Place {
  Index out = 0, in = 0, diagonal = 0;
  auto operator<=>(const Place&) const = default;
};

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

/// The positions of a layout's elements, taken apart by the axes of a shape that joins the layout's: by axis and index.
std::vector<std::vector<Position>> position_parts(const Layout& layout, const Shape& shape) {
  std::vector<std::vector<Position>> parts(shape.size());
  Index stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
    for (Index i = 0; i < shape[d]; ++i) parts[d].push_back(layout.position_of(i * stride));
  return parts;
}

/// Where the entries of a window lie. A place is a sum of parts: one by channels, which depends on the weights of a
/// tap, and one for each spatial axis, the batch and the copies of an output.
class WindowPlaces {
 public:
  WindowPlaces(const LinearMap& map, const DiagonalSet& set, const WindowPattern& pattern)
      : pattern_(pattern),
        in_(position_parts(map.in, pattern.window.in())),
        out_(position_parts(map.out, pattern.window.out())),
        mask_(set.modulus - 1) {
    Distinct<Place> copies, batches;
    for (const Index copy : map.out.copies_in_period()) copies.add({0, 0, -copy & mask_});
    for (Index b = 0; b < pattern.window.in()[0]; ++b) batches.add(place(0, b, b));
    of_every_tap_.push_back(copies.sorted());
    add(of_every_tap_, batches.sorted());
  }

  void mark(Seen& seen) const {
    for (Index tap = 0; tap < pattern_.window.taps(); ++tap) {
      std::vector<Parts> parts = of_every_tap_;
      add_axes(parts, tap);
      add(parts, channels(tap));
      mark_sums(parts, {}, seen);
    }
  }

 private:
  using Parts = std::vector<Place>;
  /// Sums of parts are made, and those that repeat dropped, up to so many. Beyond, they are only walked through.
  static constexpr std::size_t kMostSums = std::size_t{1} << 16;

  Place sum(const Place& a, const Place& b) const {
    return {a.out + b.out, a.in + b.in, (a.diagonal + b.diagonal) & mask_};
  }
  Place place(std::size_t axis, Index in, Index out) const {
    const Position &source = in_[axis][static_cast<std::size_t>(in)],
                   &target = out_[axis][static_cast<std::size_t>(out)];
    return {target.ciphertext, source.ciphertext, (source.slot - target.slot) & mask_};
  }
  void add(std::vector<Parts>& all, const Parts& more) const {
    if (all.back().size() * more.size() > kMostSums) {
      all.push_back(more);
      return;
    }
    Distinct<Place> sums;
    for (const Place& a : all.back())
      for (const Place& b : more) sums.add(sum(a, b));
    all.back() = sums.sorted();
  }
  void add_axes(std::vector<Parts>& all, Index tap) const {
    const Window& window = pattern_.window;
    for (std::size_t d = window.axes().size(); d-- > 0; tap /= window.axes()[d].kernel) {
      const WindowAxis& axis = window.axes()[d];
      Distinct<Place> along;
      for (Index o = 0; o < window.out()[d + 2]; ++o) {
        const Index i = o * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
        if (i >= 0 && i < window.in()[d + 2]) along.add(place(d + 2, i, o));
      }
      add(all, along.sorted());
    }
  }
  Parts channels(Index tap) const {
    const Window& window = pattern_.window;
    const Index inputs = window.in()[1] / pattern_.groups, outputs = window.out()[1] / pattern_.groups;
    Distinct<Place> places;
    for (Index o = 0; o < window.out()[1]; ++o)
      for (Index c = 0; c < inputs; ++c)
        if (pattern_.has_entry(o, c, tap)) places.add(place(1, o / outputs * inputs + c, o));
    return places.sorted();
  }
  void mark_sums(std::span<const Parts> parts, const Place& begun, Seen& seen) const {
    if (parts.empty()) return seen.mark(begun.out, begun.in, begun.diagonal);
    for (const Place& part : parts.front()) mark_sums(parts.subspan(1), sum(begun, part), seen);
  }

  const WindowPattern& pattern_;
  std::vector<std::vector<Position>> in_, out_;  // position_parts
  Index mask_;
  std::vector<Parts> of_every_tap_;  // by copies and batches
};

/// With few positions there are about as many weights as entries, and entries are counted on all threads.
bool has_many_positions(const Window& window) {
  constexpr Index kFewPositions = 4;
  return element_count(window.out()) / window.out()[1] > kFewPositions;
}

/// Weights of an output that are made in order to be counted: 48 MiB a thread. Beyond, a map is counted without.
constexpr std::size_t kMostWeights = std::size_t{1} << 22;

/// Weights of a few samples that are made to be counted.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// body(output, its diagonals) for every output ciphertext of a map whose weights repeat with the innermost digits, on
/// any thread and in any order. False where those of one do not repeat, or are too many.
bool each_repeating_output(const LinearMap& map, const RepeatingDiagonals& repeating,
                           const std::function<void(std::size_t, const Diagonals&)>& body) {
  std::atomic<bool> all = true;
  base::parallel_for(0, static_cast<std::size_t>(map.out.ciphertexts()), [&](std::size_t output) {
    if (!all) return;
    const std::optional<Diagonals> made = repeating.of(static_cast<Index>(output));
    if (made)
      body(output, *made);
    else
      all = false;
  });
  return all;
}

std::optional<DiagonalSet> set_of_repeating(const LinearMap& map) {
  std::vector<DiagonalSet> of_outputs(static_cast<std::size_t>(map.out.ciphertexts()));
  const auto take = [&](std::size_t output, const Diagonals& made) { of_outputs[output] = made.set; };
  if (!each_repeating_output(map, RepeatingDiagonals(map, kMostWeights), take)) return std::nullopt;
  DiagonalSet all = frame_of(map);
  double read = 0;  // periods of all slots
  for (const DiagonalSet& one : of_outputs) {
    all.diagonals.insert(one.diagonals.begin(), one.diagonals.end());
    all.blocks += one.blocks;
    all.count.products += one.count.products;
    read += static_cast<double>(one.count.products) * one.count.density;
  }
  if (all.count.products > 0) all.count.density = read / static_cast<double>(all.count.products);
  return all;
}

/// Of a map whose weights repeat, which may meet known zeros in further inputs; false for others. There is no bound on
/// the weights, because the list is that of the diagonals as they are made.
bool list_inputs_of_repeating(const LinearMap& map, std::vector<std::vector<Index>>& of_outputs) {
  const bool all = each_repeating_output(map, RepeatingDiagonals(map), [&](std::size_t output, const Diagonals& made) {
    const std::vector<DiagonalBlock>& blocks = made.blocks[output];
    for (std::size_t input = 0; input < blocks.size(); ++input)
      if (!blocks[input].empty()) of_outputs[output].push_back(static_cast<Index>(input));
  });
  if (!all) of_outputs.assign(of_outputs.size(), {});
  return all;
}

/// Which diagonals have entries.
Seen seen_in(const LinearMap& map, const DiagonalSet& set) {
  Seen seen(map, set);
  const std::optional<WindowPattern> pattern = map.op->window_pattern();
  // Which copy of an input is read depends on all axes of the output together.
  if (pattern && map.in.copies_in_period().size() == 1 && has_many_positions(pattern->window) &&
      joins_to(map.in.shape(), pattern->window.in()) && joins_to(map.out.shape(), pattern->window.out()))
    WindowPlaces(map, set, *pattern).mark(seen);
  else
    mark_entries(map, set, seen);
  return seen;
}

}  // namespace

DiagonalSet diagonal_set(const LinearMap& map) {
  if (const EqualParts parts = equal_parts(map); parts.count > 1) {
    DiagonalSet set = diagonal_set(parts.part);
    set.blocks *= parts.count;
    set.count.products *= parts.count;
    set.count.parts *= parts.count;
    return set;
  }
  if (const std::optional<FewSamples> few = FewSamples::of(map))
    return has_few_weights(few->map(), kMostBytes) ? few->set_of(diagonals(few->map()))
                                                   : few->set_of(diagonal_set(few->map()));
  if (std::optional<DiagonalSet> repeating = set_of_repeating(map)) return *std::move(repeating);
  DiagonalSet set = frame_of(map);
  seen_in(map, set).count(set);
  return set;
}

std::vector<std::vector<Index>> inputs_of_outputs(const LinearMap& map) {
  const auto [part, groups] = equal_parts(map);
  std::vector<std::vector<Index>> inputs(static_cast<std::size_t>(part.out.ciphertexts()));
  if (const std::optional<FewSamples> few = FewSamples::of(part))
    inputs = few->inputs_of(inputs_of_outputs(few->map()));
  else if (!list_inputs_of_repeating(part, inputs))
    seen_in(part, frame_of(part)).list_inputs(inputs);
  const std::size_t outputs = inputs.size();
  for (Index g = 1; g < groups; ++g)
    for (std::size_t j = 0; j < outputs; ++j) {
      std::vector<Index> moved = inputs[j];
      for (Index& input : moved) input += g * part.in.ciphertexts();
      inputs.push_back(std::move(moved));
    }
  return inputs;
}

}  // namespace tacit::layout
