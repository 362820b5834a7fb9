#include "layout/sharding/array_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "layout/text_cursor.h"

namespace tacit::layout {
namespace {

ArraySharding::Spec positions(const Mesh& mesh, const std::vector<std::string>& names) {
  ArraySharding::Spec spec;
  for (const std::string& name : names)
    spec.push_back(name == "-1" ? ArraySharding::kWhole : static_cast<int>(mesh.index_of(name)));
  return spec;
}

}  // namespace

ArraySharding::ArraySharding(Mesh mesh, Spec spec) : mesh_(std::move(mesh)), spec_(std::move(spec)) {
  if (spec_.size() > kMaxRank)
    base::refuse("array sharding: {} dimensions; at most {} are allowed", spec_.size(), kMaxRank);
  for (std::size_t dim = 0; dim < spec_.size(); ++dim) {
    const int axis = spec_[dim];
    if (axis < kWhole || axis >= static_cast<int>(mesh_.rank()))
      base::refuse(
          "array sharding: dimension {} names axis {} of mesh {}; name one of 0 to {}, or -1 for a dimension that is "
          "whole",
          dim, axis, mesh_.to_string(), mesh_.rank() - 1);
    for (std::size_t earlier = 0; axis != kWhole && earlier < dim; ++earlier)
      if (spec_[earlier] == axis)
        base::refuse(
            "array sharding: axis '{}' splits dimensions {} and {}; an axis splits one dimension, so name another axis "
            "or -1",
            mesh_.axes()[static_cast<std::size_t>(axis)].name, earlier, dim);
  }
}

ArraySharding::ArraySharding(Mesh mesh, const std::vector<std::string>& spec)
    : ArraySharding(mesh, positions(mesh, spec)) {}

ArraySharding ArraySharding::parse(std::string_view text) {
  TextCursor reader("array sharding", text);
  const Mesh mesh = Mesh::read_named(reader);
  reader.expect("spec=");
  ArraySharding result = read_spec(reader, mesh);
  reader.expect_end();
  return result;
}

ArraySharding ArraySharding::read_spec(TextCursor& reader, const Mesh& mesh) {
  std::vector<std::string> spec;
  reader.list("{", ",", "}", [&] {
    spec.push_back(reader.take("-1") ? "-1" : reader.name());
    if (reader.take("*"))
      reader.fail(
          fmt::format("dimension {} is split twice, by '{}' and another axis; join the two axes of the mesh into one "
                      "of their product",
                      spec.size() - 1, spec.back()));
  });
  return {mesh, spec};
}

std::string ArraySharding::spec_text() const {
  const auto text = [&](int axis) { return axis == kWhole ? "-1" : mesh_.axes()[static_cast<std::size_t>(axis)].name; };
  return fmt::format("{{{}}}", fmt::join(spec_ | std::views::transform(text), ", "));
}

std::string ArraySharding::to_string() const { return fmt::format("mesh={} spec={}", mesh_.to_string(), spec_text()); }

std::optional<std::size_t> ArraySharding::dim_along(std::size_t axis) const {
  const auto dim = std::ranges::find(spec_, static_cast<int>(axis));
  return dim == spec_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(dim - spec_.begin()));
}

Index ArraySharding::parts(std::size_t dim) const {
  const int axis = spec_.at(dim);
  return axis == kWhole ? 1 : mesh_.axes()[static_cast<std::size_t>(axis)].extent;
}

Index ArraySharding::blocks() const {
  Index count = 1;
  for (std::size_t dim = 0; dim < spec_.size(); ++dim) count *= parts(dim);
  return count;
}

std::optional<base::Infeasible> ArraySharding::problem(const Shape& shape) const {
  if (shape.size() != spec_.size())
    return base::infeasible("array sharding: spec {} has {} entries for an array of {} dimensions [{}]", spec_text(),
                            spec_.size(), shape.size(), fmt::join(shape, ","));
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (parts(dim) > shape[dim])
      return base::infeasible(
          "array sharding: dimension {} has {} elements and cannot be split into {} blocks; split it into {} or fewer",
          dim, shape[dim], parts(dim), shape[dim]);
  return std::nullopt;
}

Shape ArraySharding::block_shape(const Shape& shape) const {
  if (const auto found = problem(shape)) found->refuse();
  Shape block;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) block.push_back((shape[dim] + parts(dim) - 1) / parts(dim));
  return block;
}

std::vector<Index> ArraySharding::block_position(Index block) const {
  if (block < 0 || block >= blocks()) base::refuse("array sharding {}: it has no block {}", to_string(), block);
  std::vector<Index> result(spec_.size());
  for (std::size_t axis = mesh_.rank(); axis-- > 0;) {
    const std::optional<std::size_t> dim = dim_along(axis);
    if (!dim) continue;
    result[*dim] = block % mesh_.axes()[axis].extent;
    block /= mesh_.axes()[axis].extent;
  }
  return result;
}

std::optional<base::Infeasible> ArraySharding::problem(const Shape& shape, Index slots) const {
  if (auto found = problem(shape)) return found;
  const Shape block = block_shape(shape);
  for (std::size_t dim = 0; dim < block.size(); ++dim)
    if (const Index filled = (shape[dim] + block[dim] - 1) / block[dim]; filled < parts(dim))
      return base::infeasible(
          "array sharding {}: dimension {} has {} elements, which fill {} of {} blocks of {}; a ciphertext of nothing "
          "cannot be decrypted, so split it into {}",
          to_string(), dim, shape[dim], filled, parts(dim), block[dim], filled);
  if (slots > kMaxSlots || !is_power_of_two(slots))
    return base::infeasible("array sharding: {} slots; a power of two up to {} is needed", slots, kMaxSlots);
  if (const Index size = element_count(block); size > slots)
    return base::infeasible(
        "array sharding {}: blocks of [{}] have {} elements, and a ciphertext has {} slots; split into more blocks",
        to_string(), fmt::join(block, ","), size, slots);
  return std::nullopt;
}

Layout ArraySharding::layout(const Shape& shape, Index slots) const {
  if (const auto found = problem(shape, slots)) found->refuse();
  const Shape block = block_shape(shape);
  const Index size = element_count(block);
  std::vector<Digit> across, within;
  for (std::size_t axis = 0; axis < mesh_.rank(); ++axis) {
    const auto& [name, extent] = mesh_.axes()[axis];
    if (const std::optional<std::size_t> dim = dim_along(axis))
      across.push_back({static_cast<int>(*dim), extent, block[*dim], name});
    else
      across.push_back({kReplica, extent, 1, name});
  }
  const Index times = (slots + size - 1) / size;
  if (times > 1 && is_power_of_two(size))
    within.push_back({kReplica, times, 1, ""});
  else if (times > 1)  // positions beyond the first dimension, which hold nothing
    within.push_back({0, times, block[0] * parts(0), ""});
  for (std::size_t dim = 0; dim < block.size(); ++dim)
    if (block[dim] > 1) within.push_back({static_cast<int>(dim), block[dim], 1, ""});
  if (within.empty()) within.push_back({kReplica, 1, 1, ""});
  return {shape, std::move(across), std::move(within), {}};
}

std::optional<Layout> ArraySharding::laid_out_like(const Shape& shape, const Layout& block) const {
  const Shape extents = block_shape(shape);
  if (block.shape() != extents)
    throw base::InternalError(fmt::format("array sharding {}: a block's layout is of another shape", to_string()));
  if (block.ciphertexts() != 1) return std::nullopt;
  std::vector<Digit> across, within;
  for (std::size_t axis = 0; axis < mesh_.rank(); ++axis)
    if (const std::optional<std::size_t> dim = dim_along(axis); dim && parts(*dim) > 1)
      across.push_back({static_cast<int>(*dim), parts(*dim), extents[*dim], mesh_.axes()[axis].name});
  for (Digit digit : block.within()) {
    const Index count = digit.dim == kReplica ? 1 : parts(static_cast<std::size_t>(digit.dim));
    const Index extent = digit.dim == kReplica ? 1 : extents[static_cast<std::size_t>(digit.dim)];
    if (count == 1 || digit.stride * digit.extent <= extent) {
      within.push_back(std::move(digit));
    } else if (digit.stride >= extent) {
      digit.stride *= count;  // beyond the block, and so beyond the array
      within.push_back(std::move(digit));
    } else {
      const Index inside = extent / digit.stride;
      if (extent % digit.stride != 0 || digit.extent % inside != 0) return std::nullopt;
      within.push_back({digit.dim, digit.extent / inside, extent * count, ""});
      within.push_back({digit.dim, inside, digit.stride, ""});
    }
  }
  return Layout(shape, std::move(across), std::move(within), block.fill());
}

std::string ArraySharding::array_text(const Shape& shape) const {
  Shape block = block_shape(shape);
  const auto first = std::ranges::find_if(block, [](Index extent) { return extent > 1; });
  block.erase(block.begin(), first);
  return fmt::format("D[{}][{}]", blocks(), block.empty() ? "1" : fmt::format("{}", fmt::join(block, "x")));
}

std::string ArraySharding::distribution(Index most) const {
  std::vector<std::string> devices, held;
  for (const Index block : Mesh::shown(blocks(), most)) {
    if (block == Mesh::kLeftOut) {
      devices.emplace_back("...");
      held.emplace_back("...");
      continue;
    }
    const std::vector<Index> position = block_position(block);
    std::vector<std::string> coordinates;
    for (std::size_t axis = 0; axis < mesh_.rank(); ++axis) {
      const auto& [name, extent] = mesh_.axes()[axis];
      const std::optional<std::size_t> dim = dim_along(axis);
      coordinates.push_back(dim ? std::to_string(position[*dim]) : extent == 1 ? "0" : name);
    }
    devices.push_back(fmt::format("mesh[{}]", fmt::join(coordinates, ",")));
    held.push_back(fmt::format("D[{}]", block));
  }
  return fmt::format("| {} |\n| {} |\n", fmt::join(devices, " | "), fmt::join(held, " | "));
}

}  // namespace tacit::layout
