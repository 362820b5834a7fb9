#include "layout/alike_lines.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tacit::layout {
namespace {

// The coordinates of elements along one dimension.
struct LineAxis {
  Index extent = 1, stride = 1;

  static LineAxis of(const Shape& shape, std::size_t dim) {
    LineAxis axis{shape[dim], 1};
    for (std::size_t d = dim + 1; d < shape.size(); ++d) axis.stride *= shape[d];
    return axis;
  }
  Index line(Index element) const { return element / stride % extent; }
  Index in_first_line(Index element) const { return element - line(element) * stride; }
};

// Mixes a column into the hash of a row. The order of columns does not matter.
std::uint64_t mixed(Index column) {
  std::uint64_t x = static_cast<std::uint64_t>(column) + 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

bool are_alike(const LinearOperator& op, const LineAxis& out, const LineAxis& in) {
  const Index rows = element_count(op.out_shape());
  std::vector<std::uint64_t> first(static_cast<std::size_t>(rows), 0);  // hashes of the rows of the first line
  RowEntries entries;
  for (const bool of_first : {true, false})
    for (Index row = 0; row < rows; ++row) {
      const Index line = out.line(row);
      if ((line == 0) != of_first) continue;
      entries.clear();
      op.append_row(row, entries);
      std::uint64_t hash = 0;
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (entries.weights[k] == 0) continue;
        if (in.line(entries.columns[k]) != line) return false;
        hash += mixed(in.in_first_line(entries.columns[k]));
      }
      std::uint64_t& known = first[static_cast<std::size_t>(out.in_first_line(row))];
      if (of_first)
        known = hash;
      else if (known != hash)
        return false;
    }
  return true;
}

}  // namespace

std::optional<AlikeLines> alike_lines(const LinearOperator& op, const Shape& in, const Shape& out) {
  std::optional<AlikeLines> found;
  Index most = 1;
  for (std::size_t o = 0; o < out.size(); ++o)
    for (std::size_t i = 0; i < in.size(); ++i)
      if (out[o] == in[i] && out[o] > most && are_alike(op, LineAxis::of(out, o), LineAxis::of(in, i))) {
        most = out[o];
        found = {static_cast<int>(o), static_cast<int>(i)};
      }
  return found;
}

std::vector<MovedLines> moved_lines(const LinearMap& map, const AlikeLines& lines, Index modulus) {
  const LineAxis out = LineAxis::of(map.out.shape(), static_cast<std::size_t>(lines.out_dim)),
                 in = LineAxis::of(map.in.shape(), static_cast<std::size_t>(lines.in_dim));
  const std::vector<Position> sources = map.in.positions(), targets = map.out.positions();
  const std::vector<Index> copies = map.out.copies_in_period();
  const bool nearest = map.in.copies_in_period().size() > 1;
  std::vector<Index> of_first;  // rows of the first line
  for (Index row = 0; row < static_cast<Index>(targets.size()); ++row)
    if (out.line(row) == 0) of_first.push_back(row);
  // From the first line. All digits of a layout are of one dimension each, so that a line moves as a whole.
  const auto place = [&](Index line) -> DiagonalPlace {
    const Position &to = targets[static_cast<std::size_t>(line * out.stride)],
                   &from = sources[static_cast<std::size_t>(line * in.stride)];
    return {to.ciphertext - targets[0].ciphertext, from.ciphertext - sources[0].ciphertext, from.slot - to.slot};
  };
  struct Group {
    Index first = 0;
    std::set<DiagonalPlace> steps;
  };
  std::map<std::vector<Index>, Group> groups;  // by the copies that a line reads
  for (Index line = 0; line < out.extent; ++line) {
    std::vector<Index> read;
    if (nearest)
      for (const Index row : of_first)
        for (const Index copy : copies)
          read.push_back(map.in.copy_at(targets[static_cast<std::size_t>(row + line * out.stride)].slot + copy) &
                         (map.in.period() - 1));
    const auto [group, fresh] = groups.try_emplace(std::move(read), Group{line, {}});
    const DiagonalPlace first = place(group->second.first), own = place(line);
    group->second.steps.insert(
        {own.out - first.out, own.in - first.in, (own.diagonal - first.diagonal) & (modulus - 1)});
  }
  std::vector<MovedLines> result;
  for (const auto& [read, group] : groups) {
    MovedLines& moved = result.emplace_back();
    for (const Index row : of_first) moved.rows.push_back(row + group.first * out.stride);
    moved.steps.assign(group.steps.begin(), group.steps.end());
  }
  return result;
}

}  // namespace tacit::layout
