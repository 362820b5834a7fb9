#include "layout/tile_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <ranges>

#include "base/error.h"
#include "layout/text_cursor.h"

namespace tacit::layout {
namespace {

bool is_name(std::string_view name) {
  return name.empty() || (name != "copy" && name != "any" && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                          std::all_of(name.begin(), name.end(), [](char c) {
                            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                          }));
}

constexpr Index kMaxSize = Index{1} << 40;

void check_dim(const TileDim& dim, std::size_t index) {
  const auto refuse = [&](const std::string& why) {
    base::refuse("tile shape: dimension {}{}: {}", index,
                 dim.name.empty() ? "" : fmt::format(" '{}'", dim.name.substr(0, 50)), why);
  };
  if (!is_name(dim.name) || dim.name.size() > 50)
    refuse("a name has up to 50 letters, digits and '_', does not begin with a digit and is neither 'copy' nor 'any'");
  if (dim.size < 0 || dim.size > kMaxSize) refuse(fmt::format("size {} is outside 1 to 2^40", dim.size));
  if (!is_power_of_two(dim.tile) || dim.tile > kMaxSlots)
    refuse(fmt::format("a tile extent of {} is no power of two up to {}", dim.tile, kMaxSlots));
  if (!is_power_of_two(dim.copies) || dim.copies > dim.tile)
    refuse(fmt::format("{} copies are no power of two up to the tile extent {}", dim.copies, dim.tile));
  if (dim.copies > 1 && dim.size != 1)
    refuse(fmt::format("{} copies of {} values; only one value has copies", dim.copies, dim.size));
  if (dim.interleaved_outer != 0) {
    if (!dim.interleaved || dim.size == TileDim::kAnySize || dim.size == 1)
      refuse("only a woven dimension of a known size above 1 states its tiles");
    const Index needed = (dim.size + dim.tile - 1) / dim.tile;
    if (dim.interleaved_outer < needed || dim.interleaved_outer > kMaxCiphertexts)
      refuse(fmt::format("{} tiles along it; {} to {} are allowed", dim.interleaved_outer, needed, kMaxCiphertexts));
  }
}

TileDim read_dim(TextCursor& reader) {
  TileDim dim;
  const auto word_before_number = [&] { return reader.at_number() ? "" : reader.word(); };
  std::string word = word_before_number();
  if (word.empty() && !reader.at_number()) reader.fail("expected a name or a size");
  if (word != "copy" && word != "any") {
    dim.name = std::move(word);
    word = word_before_number();
  }
  if (word == "copy") {
    dim.copies = dim.tile = reader.number();
    if (dim.copies < 1) reader.fail("at least one copy");
  } else if (word == "any") {
    dim.size = TileDim::kAnySize;
  } else {
    if (!word.empty()) reader.fail("expected a size, 'any' or 'copy'");
    dim.size = reader.number();
    if (dim.size == 0) reader.fail("a size of 0 holds nothing, and a recipe says 'any'; expected at least 1");
  }
  if (reader.take("|")) dim.tile = reader.number();
  while (!reader.take("}")) {
    const std::string flag = reader.word();
    if (flag == "junk") {
      dim.unknown = true;
    } else if (flag == "woven") {
      dim.interleaved = true;
      if (reader.at_number()) dim.interleaved_outer = reader.number();
    } else {
      reader.fail("expected 'junk', 'woven' or '}'");
    }
  }
  return dim;
}

std::string text_of(const TileDim& dim) {
  std::string text = dim.name.empty() ? "{" : fmt::format("{{{} ", dim.name);
  if (dim.copies > 1) {
    text += fmt::format("copy {}", dim.copies);
    if (dim.copies != dim.tile) text += fmt::format("|{}", dim.tile);
  } else {
    text += dim.size == TileDim::kAnySize ? "any" : fmt::to_string(dim.size);
    if (dim.tile != 1) text += fmt::format("|{}", dim.tile);
  }
  if (dim.interleaved) text += dim.interleaved_outer == 0 ? " woven" : fmt::format(" woven {}", dim.interleaved_outer);
  if (dim.unknown) text += " junk";
  return text + "}";
}

}  // namespace

Index TileDim::outer() const {
  if (interleaved_outer != 0) return interleaved_outer;
  return size == kAnySize ? 1 : (size + tile - 1) / tile;
}

Index TileDim::used_places() const {
  if (size == 1) return copies;
  const Index e = outer();
  return std::min(tile, interleaved ? (size + e - 1) / e : size);
}

TileDim TileDim::in_blocks(Index of_size) const {
  TileDim result = *this;
  result.size = of_size;
  result.interleaved = false;
  result.interleaved_outer = 0;
  return result;
}

TileShape::TileShape(std::vector<TileDim> dims) : dims_(std::move(dims)) {
  if (dims_.empty() || dims_.size() > kMaxDims)
    base::refuse("tile shape: {} dimensions; 1 to {} are allowed", dims_.size(), kMaxDims);
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    TileDim& dim = dims_[i];
    check_dim(dim, i);
    if (dim.interleaved && dim.interleaved_outer == (dim.size + dim.tile - 1) / dim.tile) dim.interleaved_outer = 0;
    if (dim.size == 1) dim.interleaved = false;
    if (dim.size != TileDim::kAnySize && !dim.has_unused()) dim.unknown = false;
    slots_ *= dim.tile;
    tiles_ *= dim.outer();
    if (slots_ > kMaxSlots || tiles_ > kMaxCiphertexts)
      base::refuse("tile shape: {} tiles of {} slots; at most {} of {} are allowed", tiles_, slots_, kMaxCiphertexts,
                   kMaxSlots);
  }
}

TileShape TileShape::parse(std::string_view text) {
  TextCursor reader("tile shape", text);
  std::vector<TileDim> dims;
  while (!reader.at_end()) {
    reader.expect("{");
    dims.push_back(read_dim(reader));
    if (dims.size() > kMaxDims) reader.fail(fmt::format("more than {} dimensions", kMaxDims));
  }
  if (dims.empty()) reader.fail("expected '{'");
  return TileShape(std::move(dims));
}

std::string TileShape::to_string() const {
  std::string text;
  for (const TileDim& dim : dims_) text += text_of(dim);
  return text;
}

int TileShape::index_of(std::string_view name) const {
  const auto found = std::ranges::find(dims_, name, &TileDim::name);
  if (!name.empty() && found != dims_.end()) return static_cast<int>(found - dims_.begin());
  const auto quoted = [](const TileDim& dim) { return fmt::format("'{}'", dim.name); };
  base::refuse("tile shape {}: it has no dimension '{}'; its dimensions are {}", to_string(), name,
               fmt::join(dims_ | std::views::transform(quoted), ", "));
}

Shape TileShape::sizes() const {
  Shape sizes;
  for (const TileDim& dim : dims_) sizes.push_back(dim.size);
  return sizes;
}

Index TileShape::slot_stride(int i) const {
  Index stride = 1;
  for (int j = rank() - 1; j > i; --j) stride *= dim(j).tile;
  return stride;
}

Index TileShape::tile_stride(int i) const {
  Index stride = 1;
  for (int j = rank() - 1; j > i; --j) stride *= dim(j).outer();
  return stride;
}

TileShape TileShape::of(const Shape& sizes) const {
  if (sizes.size() != dims_.size())
    base::refuse("tile shape {}: a tensor of {} dimensions [{}] does not fit its {}", to_string(), sizes.size(),
                 fmt::join(sizes, ","), dims_.size());
  std::vector<TileDim> dims = dims_;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (sizes[i] < 1) base::refuse("tile shape {}: a dimension of size {} holds nothing", to_string(), sizes[i]);
    if (dims[i].size != TileDim::kAnySize && dims[i].size != sizes[i])
      base::refuse(
          "tile shape {}: dimension {} has size {} and the tensor has {}; give a tensor of that size or write 'any'",
          to_string(), i, dims[i].size, sizes[i]);
    dims[i].size = sizes[i];
  }
  return TileShape(std::move(dims));
}

TileShape TileShape::with_replicated(int i) const {
  if (i < 0 || i >= rank()) base::refuse("tile shape {}: there is no dimension {}", to_string(), i);
  TileDim replicated = dim(i);
  replicated.size = 1;
  replicated.copies = replicated.tile;
  replicated.unknown = false;
  replicated.interleaved_outer = 0;
  return with_dim(i, std::move(replicated));
}

TileShape TileShape::with_dim(int i, TileDim dim) const {
  std::vector<TileDim> dims = dims_;
  dims[static_cast<std::size_t>(i)] = std::move(dim);
  return TileShape(std::move(dims));
}

TileShape TileShape::without_unknowns() const {
  std::vector<TileDim> dims = dims_;
  for (TileDim& dim : dims) dim.unknown = false;
  return TileShape(std::move(dims));
}

Layout TileShape::layout() const {
  if (is_recipe()) base::refuse("tile shape {}: a recipe holds no tensor; say the sizes first", to_string());
  std::vector<Digit> across, within;
  std::vector<Fill> fill;
  for (int i = 0; i < rank(); ++i) {
    const TileDim& d = dim(i);
    const Index outer = d.outer();
    if (outer > 1) across.push_back({i, outer, d.interleaved ? 1 : d.tile, ""});
    if (d.copies < d.tile) within.push_back({i, d.tile / d.copies, d.interleaved ? outer : 1, ""});
    if (d.copies > 1) within.push_back({kReplica, d.copies, 1, ""});
    fill.push_back(d.unknown ? Fill::unknown : Fill::zero);
  }
  if (within.empty()) within.push_back({kReplica, 1, 1, ""});
  return Layout(sizes(), std::move(across), std::move(within), std::move(fill));
}

std::vector<double> TileShape::mask(Index tile) const {
  std::vector<double> mask{1.0};
  for (int i = 0; i < rank(); ++i) {
    const TileDim& d = dim(i);
    const Index outer = d.outer(), at = tile / tile_stride(i) % outer, used = std::max(d.size, d.copies);
    std::vector<double> next;
    next.reserve(mask.size() * static_cast<std::size_t>(d.tile));
    for (const double value : mask)
      for (Index place = 0; place < d.tile; ++place)
        next.push_back((d.interleaved ? place * outer + at : at * d.tile + place) < used ? value : 0);
    mask = std::move(next);
  }
  return mask;
}

}  // namespace tacit::layout
