#include "layout/equal_parts.h"

#include <numeric>
#include <utility>
#include <vector>

namespace tacit::layout {
namespace {

/// Groups of ciphertexts that hold as many indices of the first dimension each, by the outermost digit.
Index groups_of(const Layout& layout) {
  if (layout.across().empty() || layout.across().front().dim != 0) return 1;
  const Digit& outermost = layout.across().front();
  return outermost.extent * outermost.stride == layout.shape().front() ? outermost.extent : 1;
}

/// The layout of one of so many groups.
Layout part_of(const Layout& layout, Index groups) {
  Shape shape = layout.shape();
  shape.front() /= groups;
  std::vector<Digit> across = layout.across(), within = layout.within();
  const Index beyond = layout.shape().front();  // from here on a digit counts positions out of range
  across.front().extent /= groups;
  if (across.front().extent == 1) across.erase(across.begin());
  for (Digit& digit : within)
    if (digit.dim == 0 && digit.stride >= beyond) digit.stride /= groups;
  return Layout(std::move(shape), std::move(across), std::move(within), layout.fill());
}

}  // namespace

EqualParts equal_parts(const LinearMap& map) {
  const Index groups = std::gcd(groups_of(map.in), groups_of(map.out));
  if (groups == 1) return {map, 1};
  LinearOperatorPtr op = map.op->equal_part(groups);
  if (!op) return {map, 1};
  return {{part_of(map.in, groups), part_of(map.out, groups), std::move(op)}, groups};
}

}  // namespace tacit::layout
