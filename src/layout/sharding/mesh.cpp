#include "layout/sharding/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "layout/text_cursor.h"

namespace tacit::layout {

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {
  if (axes_.empty() || axes_.size() > kMaxAxes)
    base::refuse("mesh: {} axes; 1 to {} are allowed", axes_.size(), kMaxAxes);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto& [name, extent] = axes_[i];
    if (!TextCursor::is_name(name))
      base::refuse("mesh: axis {} is named '{}'; a name has up to 16 letters, digits and '_' and begins with a letter",
                   i, name.substr(0, 50));
    if (std::any_of(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const MeshAxis& earlier) { return earlier.name == name; }))
      base::refuse("mesh: two axes are named '{}'; give each a name of its own", name);
    if (extent < 1)
      base::refuse("mesh: axis '{}' has extent {}; leave the axis out, or give it an extent of 1 or more", name,
                   extent);
    if (extent > kMaxCiphertexts / size_)
      base::refuse("mesh: up to axis '{}' there are more than {} ciphertexts; split less finely", name,
                   kMaxCiphertexts);
    size_ *= extent;
  }
}

Mesh Mesh::parse(std::string_view text) {
  TextCursor reader("mesh", text);
  const bool bracket = reader.take("[");
  Mesh mesh = read(reader);
  if (bracket) reader.expect("]");
  reader.expect_end();
  return mesh;
}

Mesh Mesh::read(TextCursor& reader) {
  std::vector<MeshAxis> axes;
  do {
    MeshAxis axis{reader.name(), 0};
    if (!reader.take("=")) reader.expect(":");
    axis.extent = reader.number();
    axes.push_back(std::move(axis));
  } while (reader.take(","));
  return Mesh(std::move(axes));
}

Mesh Mesh::read_named(TextCursor& reader) {
  reader.expect("mesh=");
  reader.expect("[");
  Mesh mesh = read(reader);
  reader.expect("]");
  return mesh;
}

std::string Mesh::to_string() const {
  const auto text = [](const MeshAxis& axis) { return fmt::format("{}={}", axis.name, axis.extent); };
  return fmt::format("[{}]", fmt::join(axes_ | std::views::transform(text), ", "));
}

std::size_t Mesh::index_of(std::string_view axis) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].name == axis) return i;
  base::refuse("mesh {} has no axis '{}'; name one of its axes", to_string(), axis.substr(0, 50));
}

std::vector<Index> Mesh::coordinates(Index device) const {
  std::vector<Index> result(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0; device /= axes_[i].extent) result[i] = device % axes_[i].extent;
  return result;
}

std::vector<Index> Mesh::shown(Index count, Index most) {
  std::vector<Index> result;
  const Index head = count <= most ? count : std::max<Index>(1, most - 2);
  for (Index i = 0; i < head; ++i) result.push_back(i);
  if (head < count) {
    result.push_back(kLeftOut);
    result.push_back(count - 1);
  }
  return result;
}

std::string Mesh::total() const { return fmt::format("Total {} ciphertext{}", size_, size_ == 1 ? "" : "s"); }

std::string Mesh::table(Index most) const {
  const Index columns = axes_.back().extent, rows = size_ / columns;
  std::string text = fmt::format("{}: {}\n", to_string(), total());
  for (const Index row : shown(rows, most)) {
    std::vector<std::string> cells;
    for (const Index column : shown(columns, most))
      cells.push_back(row == kLeftOut || column == kLeftOut
                          ? "..."
                          : fmt::format("m[{}]", fmt::join(coordinates(row * columns + column), ",")));
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return text;
}

}  // namespace tacit::layout
