#include "layout/layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "base/error.h"

namespace tacit::layout {
namespace {

constexpr Index kMaxCount = Index{1} << 48;  ///< no tensor or slot array that we accept is larger

Index checked_product(Index a, Index b) {
  if (a < 0 || b < 0 || (b != 0 && a > kMaxCount / b))
    base::refuse("layout: {} x {} positions are more than 2^48", a, b);
  return a * b;
}

void put(std::vector<Digit>& digits, Digit digit) {
  if (digit.extent > 1) digits.push_back(std::move(digit));
}

/// The digits of a dimension, sorted by stride, must tile [0, n) without gap or overlap: 1, e0, e0 e1, …
void check_dimension(int dim, Index extent, std::vector<Digit> digits) {
  std::ranges::sort(digits, {}, [](const Digit& digit) { return std::pair(digit.stride, digit.extent); });
  Index covered = 1;
  for (const Digit& digit : digits) {
    if (digit.stride != covered)
      base::refuse(
          "layout: dimension {} has a digit of stride {} where {} follows; the digits of a dimension must cover it "
          "exactly once",
          dim, digit.stride, covered);
    covered = checked_product(covered, digit.extent);
  }
  if (covered < extent)
    base::refuse("layout: the digits of dimension {} cover {} of its {} positions", dim, covered, extent);
}

/// The index that a position stands for on every axis, in range or not.
std::array<Index, kMaxRank> index_at(const Layout& layout, Index ciphertext, Index slot) {
  std::array<Index, kMaxRank> index{};
  const auto& within = layout.within();
  for (auto digit = within.rbegin(); digit != within.rend(); ++digit) {
    if (digit->dim != kReplica) index[static_cast<std::size_t>(digit->dim)] += slot % digit->extent * digit->stride;
    slot /= digit->extent;
  }
  const auto& across = layout.across();
  for (auto digit = across.rbegin(); digit != across.rend(); ++digit) {
    if (digit->dim == kReplica) continue;
    index[static_cast<std::size_t>(digit->dim)] += ciphertext % digit->extent * digit->stride;
    ciphertext /= digit->extent;
  }
  return index;
}

}  // namespace

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index extent : shape) count = checked_product(count, extent);
  return count;
}

Layout::Layout(Shape shape, std::vector<Digit> across, std::vector<Digit> within, std::vector<Fill> fill)
    : shape_(std::move(shape)), across_(std::move(across)), within_(std::move(within)), fill_(std::move(fill)) {
  const int rank = static_cast<int>(shape_.size());
  if (shape_.size() > kMaxRank || across_.size() + within_.size() > kMaxDigits)
    base::refuse("layout: {} dimensions and {} digits; at most {} and {} are allowed", shape_.size(),
                 across_.size() + within_.size(), kMaxRank, kMaxDigits);
  if (fill_.empty()) fill_.assign(shape_.size(), Fill::zero);
  if (fill_.size() != shape_.size()) base::refuse("layout: {} fills for {} dimensions", fill_.size(), shape_.size());
  for (const Index extent : shape_)
    if (extent < 1) base::refuse("layout: a dimension of extent {} holds no elements", extent);
  element_count(shape_);
  std::vector<std::vector<Digit>> by_dimension(shape_.size());
  slots_ = ciphertexts_ = 1;
  for (const bool inside : {false, true})
    for (const Digit& digit : inside ? within_ : across_) {
      if (digit.extent < 1 || digit.stride < 1 || digit.dim < kReplica || digit.dim >= rank)
        base::refuse("layout: digit {}:{}/{} does not fit a tensor of rank {}", digit.dim, digit.extent, digit.stride,
                     rank);
      if (digit.dim != kReplica) by_dimension[static_cast<std::size_t>(digit.dim)].push_back(digit);
      if (inside)
        slots_ = checked_product(slots_, digit.extent);
      else if (digit.dim != kReplica)
        ciphertexts_ = checked_product(ciphertexts_, digit.extent);
    }
  for (int dim = 0; dim < rank; ++dim)
    check_dimension(dim, shape_[static_cast<std::size_t>(dim)], by_dimension[static_cast<std::size_t>(dim)]);
  if (!is_power_of_two(slots_)) slots_ = cut_slots();
  if (slots_ > kMaxSlots || ciphertexts_ > kMaxCiphertexts)
    base::refuse("layout: {} ciphertexts of {} slots; at most {} of {} are allowed", ciphertexts_, slots_,
                 kMaxCiphertexts, kMaxSlots);
  period_ = slots_;
  for (const Digit& digit : within_) {
    if (digit.dim != kReplica && digit.extent > 1) break;
    period_ /= digit.extent;
  }
}

Index Layout::cut_slots() const {
  const auto slots = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(slots_)));
  const Digit& outermost = within_.front();
  const Index step = slots_ / outermost.extent;
  const auto refuse = [&](const std::string& what) {
    base::refuse("layout: the digits within make {} positions, cut to {} slots, and {}", slots_, slots, what);
  };
  if (outermost.dim == kReplica) refuse("the outermost digit, which is cut, holds copies");
  if ((outermost.extent - 1) * step >= slots) refuse("a step of the outermost digit lies beyond them");
  const Index last = (shape_[static_cast<std::size_t>(outermost.dim)] - 1) / outermost.stride;
  if ((std::min(last, outermost.extent - 1) + 1) * step > slots) refuse("elements lie beyond them");
  return slots;
}

std::vector<Index> Layout::copies() const {
  std::vector<Index> offsets{0};
  Index weight = 1;
  for (auto digit = within_.rbegin(); digit != within_.rend(); ++digit) {
    if (digit->dim == kReplica) {
      const std::size_t known = offsets.size();
      for (Index copy = 1; copy < digit->extent; ++copy)
        for (std::size_t i = 0; i < known; ++i) offsets.push_back(offsets[i] + copy * weight);
    }
    weight *= digit->extent;
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

std::vector<Index> Layout::copies_in_period() const {
  std::vector<Index> offsets = copies();
  offsets.erase(std::lower_bound(offsets.begin(), offsets.end(), period_), offsets.end());
  return offsets;
}

Layout Layout::row_major(const Shape& shape, Index slots) {
  if (!is_power_of_two(slots)) base::refuse("layout: {} slots are no power of two", slots);
  std::vector<Digit> across, within;
  Index left = slots;
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim) {
    const Index extent = shape[static_cast<std::size_t>(dim)];
    const Index inside = std::min(next_power_of_two(extent), left);
    if (inside > 1) within.insert(within.begin(), Digit{dim, inside, 1, ""});
    const Index blocks = (extent + inside - 1) / inside;
    if (blocks > 1) across.insert(across.begin(), Digit{dim, blocks, inside, ""});
    left /= inside;
  }
  if (left > 1) within.insert(within.begin(), Digit{kReplica, left, 1, ""});
  if (within.empty()) within.push_back(Digit{kReplica, 1, 1, ""});
  return Layout(shape, std::move(across), std::move(within), std::vector<Fill>(shape.size(), Fill::zero));
}

Layout Layout::multiplexed(const Shape& shape, Index rows, Index columns, Index gap, Index slots) {
  const int rank = static_cast<int>(shape.size());
  if (rank < 3) base::refuse("layout: a multiplexed layout needs channels, rows and columns");
  for (const Index value : {rows, columns, gap, slots})
    if (!is_power_of_two(value)) base::refuse("layout: {} is no power of two", value);
  const Index channels = shape[static_cast<std::size_t>(rank) - 3];
  const int c = rank - 3, y = rank - 2, x = rank - 1;
  if (rows % gap != 0 || columns % gap != 0 || rows / gap < shape[static_cast<std::size_t>(y)] ||
      columns / gap < shape[static_cast<std::size_t>(x)] || rows * columns > slots)
    base::refuse("layout: {} x {} maps with gap {} do not fit a grid of {} x {} in {} slots",
                 shape[static_cast<std::size_t>(y)], shape[static_cast<std::size_t>(x)], gap, rows, columns, slots);
  const Index planes = (channels + gap * gap - 1) / (gap * gap);
  const Index inside = std::min(next_power_of_two(planes), slots / (rows * columns));
  std::vector<Digit> across, within;
  put(across, {c, (planes + inside - 1) / inside, inside * gap * gap, ""});
  put(within, {kReplica, slots / (inside * rows * columns), 1, ""});
  put(within, {c, inside, gap * gap, ""});
  put(within, {y, rows / gap, 1, ""});
  put(within, {c, gap, gap, ""});
  put(within, {x, columns / gap, 1, ""});
  put(within, {c, gap, 1, ""});
  return Layout(shape, std::move(across), std::move(within), {});
}

Index Layout::copy_at(Index near) const {
  Index slots = 1, offset = 0;
  for (auto digit = within_.rbegin(); digit != within_.rend(); slots *= digit->extent, ++digit)
    if (digit->dim == kReplica) offset += near / slots % digit->extent * slots;
  return offset;
}

Layout Layout::guarded(const Shape& shape, Index pitch, Index cell, Gaps gaps, GapRows rows, Index slots) {
  if (shape.size() != 4) base::refuse("layout: a guarded layout needs a batch of channels, rows and columns");
  for (const Index value : {cell, gaps.rows, gaps.columns, slots, rows.spread, rows.phases})
    if (!is_power_of_two(value)) base::refuse("layout: {} is no power of two", value);
  enum { batch, c, y, x };
  const Index apart = checked_product(gaps.rows, rows.spread);
  const Index between = std::max<Index>(1, apart / rows.phases);             // rows up to the next point
  const Index phases = std::max<Index>(1, rows.phases / apart);              // rows that share a row of the grid
  const Index row = checked_product(checked_product(pitch, cell), between);  // slots of a row of maps
  if (pitch < 1 || pitch % gaps.columns != 0 || pitch / gaps.columns < shape[x] ||
      checked_product((shape[y] + phases - 1) / phases, row) > slots)
    base::refuse(
        "layout: {} x {} maps with gaps of {} rows and {} columns do not fit rows of {} points of {} slots in {} slots",
        shape[y], shape[x], gaps.rows, gaps.columns, pitch, cell, slots);
  const Index in_row = gaps.columns * cell;
  // The rows up to the next point hold so many groups of channels of so many maps.
  Index groups = 1, maps = 1;
  if (rows.channels)
    while (groups < between && groups * in_row < shape[c]) groups *= 2;
  while (maps < between / groups && 2 * maps <= rows.maps && maps < shape[batch]) maps *= 2;
  const Index inside = groups * in_row;
  std::vector<Digit> across, within;
  const Index ciphertexts = (shape[batch] + maps - 1) / maps;
  put(across, {batch, ciphertexts, maps, ""});
  put(across, {c, (shape[c] + inside - 1) / inside, inside, ""});
  put(across, {y, phases, 1, ""});
  put(within, {y, (slots + row - 1) / row, phases, ""});
  const Index left = between / (maps * groups);
  put(within, rows.copies ? Digit{kReplica, left, 1, ""} : Digit{batch, left, maps * ciphertexts, ""});
  put(within, {batch, maps, 1, ""});
  put(within, {c, groups, in_row, ""});
  put(within, {x, pitch / gaps.columns, 1, ""});
  put(within, {c, in_row, 1, ""});
  return Layout(shape, std::move(across), std::move(within), {});
}

bool Layout::has_padding(Fill fill) const {
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    if (fill_[dim] != fill) continue;
    Index positions = 1;
    for (const auto* digits : {&across_, &within_})
      for (const Digit& digit : *digits)
        if (digit.dim == static_cast<int>(dim)) positions *= digit.extent;
    if (positions > shape_[dim]) return true;
  }
  return false;
}

std::vector<Layout::Content> Layout::contents(Index ciphertext) const {
  TACIT_ASSERT(ciphertext >= 0 && ciphertext < ciphertexts_);
  std::vector<Content> result;
  result.reserve(static_cast<std::size_t>(period_));
  // Slots are counted by their digits, so that no slot is divided. Only dimensions whose index moved are looked at.
  std::array<Index, kMaxRank> index = index_at(*this, ciphertext, 0);
  std::array<bool, kMaxRank> beside{};
  int zeros = 0, unknowns = 0;  // dimensions whose index lies beside the elements, by their fill
  const auto look = [&](std::size_t dim) {
    const bool now = index[dim] >= shape_[dim];
    if (now == std::exchange(beside[dim], now)) return;
    (fill_[dim] == Fill::zero ? zeros : unknowns) += now ? 1 : -1;
  };
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) look(dim);
  std::vector<Index> counted(within_.size(), 0);
  for (Index slot = 0; slot < period_; ++slot) {
    result.push_back(unknowns > 0 ? Content::unknown : zeros > 0 ? Content::zero : Content::element);
    for (std::size_t d = within_.size(); d-- > 0;) {
      const Digit& digit = within_[d];
      const bool carries = ++counted[d] == digit.extent;
      if (carries) counted[d] = 0;
      if (digit.dim != kReplica) {
        const auto dim = static_cast<std::size_t>(digit.dim);
        index[dim] += carries ? -(digit.extent - 1) * digit.stride : digit.stride;
        look(dim);
      }
      if (!carries) break;
    }
  }
  return result;
}

std::optional<Index> Layout::element_at(Index ciphertext, Index slot) const {
  TACIT_ASSERT(ciphertext >= 0 && ciphertext < ciphertexts_ && slot >= 0 && slot < slots_);
  const std::array<Index, kMaxRank> index = index_at(*this, ciphertext, slot);
  Index element = 0;
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    if (index[dim] >= shape_[dim]) return std::nullopt;
    element = element * shape_[dim] + index[dim];
  }
  return element;
}

Position Layout::position_of(Index element) const {
  TACIT_ASSERT(element >= 0 && element < element_count(shape_));
  std::array<Index, kMaxRank> index{};
  for (std::size_t dim = shape_.size(); dim-- > 0;) {
    index[dim] = element % shape_[dim];
    element /= shape_[dim];
  }
  Position at;
  for (const Digit& digit : across_)
    if (digit.dim != kReplica)
      at.ciphertext =
          at.ciphertext * digit.extent + index[static_cast<std::size_t>(digit.dim)] / digit.stride % digit.extent;
  for (const Digit& digit : within_)
    at.slot = at.slot * digit.extent +
              (digit.dim == kReplica ? 0 : index[static_cast<std::size_t>(digit.dim)] / digit.stride % digit.extent);
  return at;
}

std::vector<Position> Layout::positions() const {
  struct Step {
    Digit digit;
    Position move;  ///< what one more of the digit adds to a position
  };
  std::vector<std::vector<Step>> steps(shape_.size());
  const auto collect = [&](const std::vector<Digit>& digits, Index Position::*place, bool count_replicas) {
    Index weight = 1;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      if (digit->dim != kReplica) {
        Step step{*digit, {}};
        step.move.*place = weight;
        steps[static_cast<std::size_t>(digit->dim)].push_back(std::move(step));
      }
      if (digit->dim != kReplica || count_replicas) weight *= digit->extent;
    }
  };
  collect(across_, &Position::ciphertext, false);
  collect(within_, &Position::slot, true);

  // Elements count through their indices as indices count through their digits, the largest first.
  const auto extended = [](const std::vector<Position>& begun, const std::vector<Position>& parts) {
    std::vector<Position> longer;
    longer.reserve(begun.size() * parts.size());
    for (const Position& at : begun)
      for (const Position& part : parts) longer.push_back({at.ciphertext + part.ciphertext, at.slot + part.slot});
    return longer;
  };
  std::vector<Position> all{{}};
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    std::stable_sort(steps[dim].begin(), steps[dim].end(),
                     [](const Step& a, const Step& b) { return a.digit.stride > b.digit.stride; });
    const auto extent = static_cast<std::size_t>(shape_[dim]);
    std::vector<Position> indices{{}};
    for (const auto& [digit, move] : steps[dim]) {
      // Of the digits beyond the extent no position is needed.
      const Index most = std::min(digit.extent, (shape_[dim] + digit.stride - 1) / digit.stride);
      std::vector<Position> parts;
      for (Index i = 0; i < (indices.size() == 1 ? most : digit.extent); ++i)
        parts.push_back({i * move.ciphertext, i * move.slot});
      indices = extended(indices, parts);
      indices.resize(std::min(indices.size(), (extent + static_cast<std::size_t>(digit.stride) - 1) /
                                                  static_cast<std::size_t>(digit.stride)));
    }
    all = all.size() == 1 ? std::move(indices) : extended(all, indices);
  }
  return all;
}

void Layout::for_each_position(Index element, const std::function<void(Position)>& sink) const {
  const Position first = position_of(element);
  for (const Index offset : copies()) sink({first.ciphertext, first.slot + offset});
}

std::vector<std::vector<double>> Layout::pack(std::span<const double> tensor) const {
  if (tensor.size() != static_cast<std::size_t>(element_count(shape_)))
    base::refuse("layout: a tensor of {} elements does not fit a layout of {}", tensor.size(), element_count(shape_));
  std::vector<std::vector<double>> result(static_cast<std::size_t>(ciphertexts_),
                                          std::vector<double>(static_cast<std::size_t>(slots_)));
  const std::vector<Index> offsets = copies();
  const std::vector<Position> firsts = positions();
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    auto& vector = result[static_cast<std::size_t>(firsts[e].ciphertext)];
    for (const Index offset : offsets) vector[static_cast<std::size_t>(firsts[e].slot + offset)] = tensor[e];
  }
  return result;
}

std::vector<double> Layout::unpack(std::span<const std::vector<double>> slots) const {
  if (slots.size() != static_cast<std::size_t>(ciphertexts_))
    base::refuse("layout: {} slot vectors do not fit a layout of {} ciphertexts", slots.size(), ciphertexts_);
  std::vector<double> tensor;
  for (const Position& at : positions()) {
    const auto& vector = slots[static_cast<std::size_t>(at.ciphertext)];
    if (static_cast<Index>(vector.size()) <= at.slot)
      base::refuse("layout: a slot vector of {} numbers has no slot {}", vector.size(), at.slot);
    tensor.push_back(vector[static_cast<std::size_t>(at.slot)]);
  }
  return tensor;
}

}  // namespace tacit::layout
