#include "tensor/convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "base/error.h"
#include "tensor/broadcast.h"

namespace tacit::tensor {
namespace {

using layout::TileDim;
using program::TileArrayPtr;
using program::TileView;

/// One spatial dimension: how output tiles and filter taps meet input tiles.
struct Axis {
  int dim = 0;
  TileDim in, out;
  Index taps = 1, stride = 1;
  Index input_tile(Index tile, Index tap) const { return (tile * stride + tap) % in.outer(); }
  Index places(Index tile, Index tap) const { return (tile * stride + tap) / in.outer(); }
};

Axis axis(const TileShape& shape, int dim, Index taps, Index stride) {
  check_dim(shape, dim, "convolve");
  Axis axis{dim, shape.dim(dim), shape.dim(dim), taps, stride};
  const auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("convolve: {} of {}: {}", dim_text(shape, dim), shape.to_string(), why));
  };
  const Index outer = axis.in.outer();
  if (axis.in.size < taps) refuse(fmt::format("{} taps do not fit its size", taps));
  if (axis.in.tile > 1 && outer > 1 && !axis.in.woven)
    refuse("neighbours must lie in different tiles; encode it woven");
  if (axis.in.tile > 1 && outer % stride != 0)
    refuse(fmt::format("a stride of {} does not divide its {} tiles; encode it woven in a multiple of {} tiles", stride,
                       outer, stride));
  axis.out.size = (axis.in.size - taps) / stride + 1;
  axis.out.copies = 1;
  axis.out.woven = axis.in.tile > 1;
  axis.out.woven_outer = axis.in.tile > 1 && axis.out.size > 1 ? outer / stride : 0;
  axis.out.junk = true;
  return axis;
}

void check_filters(const TileTensor& image, const Dense& filters, const ConvolutionOptions& options) {
  const TileShape& shape = image.shape();
  check_dim(shape, options.channels, "convolve");
  if (options.channels == options.rows || options.channels == options.columns || options.rows == options.columns)
    throw base::InputError("convolve: channels, rows and columns must be three dimensions");
  if (options.stride < 1) throw base::InputError(fmt::format("convolve: a stride of {}", options.stride));
  if (filters.sizes.size() != 4 ||
      filters.values.size() != static_cast<std::size_t>(layout::element_count(filters.sizes)))
    throw base::InputError(
        fmt::format("convolve: filters [{}] with {} values; expected [filters, channels, rows, columns]",
                    fmt::join(filters.sizes, ","), filters.values.size()));
  for (const Index size : filters.sizes)
    if (size < 1) throw base::InputError("convolve: a filter dimension of size 0");
  if (filters.sizes[1] != shape.dim(options.channels).size)
    throw base::InputError(fmt::format("convolve: filters for {} channels and an image {} of {}", filters.sizes[1],
                                       shape.to_string(), shape.dim(options.channels).size));
  if (image.level() < 1) check_level(image, "convolve");
}

/// The input tiles that every output tile and tap reads, moved: [output row][output column][tap][other tiles].
TileArrayPtr moved_tiles(const TileTensor& image, const Axis& y, const Axis& x) {
  const auto row = static_cast<std::size_t>(y.dim), column = static_cast<std::size_t>(x.dim);
  std::map<std::tuple<Index, Index, Index, Index>, TileView> rotated;  // by tile and places
  std::vector<TileView> parts;
  for (Index a = 0; a < y.out.outer(); ++a)
    for (Index b = 0; b < x.out.outer(); ++b)
      for (Index i = 0; i < y.taps; ++i)
        for (Index j = 0; j < x.taps; ++j) {
          const Index ty = y.input_tile(a, i), tx = x.input_tile(b, j), py = y.places(a, i), px = x.places(b, j);
          const auto [entry, absent] = rotated.try_emplace({ty, tx, py, px});
          if (absent) {
            TileView view = image.view();
            view.offset += ty * view.strides[row] + tx * view.strides[column];
            view.extents[row] = view.extents[column] = 1;
            const std::int64_t steps = py * image.shape().slot_stride(y.dim) + px * image.shape().slot_stride(x.dim);
            if (steps != 0) {
              TileArrayPtr array = image.evaluator()->rotate(view, steps);
              TileView flat;
              flat.add_dimension(array->count(), 1);
              flat.array = std::move(array);
              view = std::move(flat);
            }
            entry->second = std::move(view);
          }
          parts.push_back(entry->second);
        }
  return image.evaluator()->gather(parts);
}

/// One plaintext a filter, tap and tile of channels: [filter][tap][channel tile].
TileArrayPtr encoded_filters(const TileTensor& image, const Dense& filters, int channels) {
  const TileShape& shape = image.shape();
  const TileDim& dim = shape.dim(channels);
  const Index taps = filters.sizes[2] * filters.sizes[3], outer = dim.outer(), stride = shape.slot_stride(channels);
  const program::TileSlots slots = [&](Index tile) {
    const Index channel_tile = tile % outer, tap = tile / outer % taps, filter = tile / outer / taps;
    std::vector<double> values(static_cast<std::size_t>(shape.slots()));
    for (Index s = 0; s < shape.slots(); ++s) {
      const Index place = s / stride % dim.tile;
      const Index channel = dim.woven ? place * outer + channel_tile : channel_tile * dim.tile + place;
      if (channel < dim.size)
        values[static_cast<std::size_t>(s)] =
            filters.values[static_cast<std::size_t>((filter * dim.size + channel) * taps + tap)];
    }
    return values;
  };
  return image.evaluator()->encode_factor(filters.sizes[0] * taps * outer, slots, image.level());
}

}  // namespace

TileTensor convolve(const TileTensor& image, const Dense& filters, const ConvolutionOptions& options) {
  check_filters(image, filters, options);
  const TileShape& shape = image.shape();
  const Axis y = axis(shape, options.rows, filters.sizes[2], options.stride);
  const Axis x = axis(shape, options.columns, filters.sizes[3], options.stride);
  const Index taps = y.taps * x.taps, kernels = filters.sizes[0];
  const TileDim& channels = shape.dim(options.channels);
  const bool in_place = channels.tile == 1;

  std::vector<Index> other_stride(static_cast<std::size_t>(shape.rank()), 0);
  Index others = 1;
  for (int i = shape.rank(); i-- > 0;) {
    if (i == y.dim || i == x.dim) continue;
    other_stride[static_cast<std::size_t>(i)] = others;
    others *= shape.dim(i).outer();
  }
  TileView tiles, weights;
  tiles.array = moved_tiles(image, y, x);
  weights.array = encoded_filters(image, filters, options.channels);
  std::vector<TileDim> dims;
  const auto add = [&](const TileDim& dim, Index tile_stride, Index weight_stride) {
    dims.push_back(dim);
    tiles.add_dimension(dim.outer(), tile_stride);
    weights.add_dimension(dim.outer(), weight_stride);
  };
  const TileDim kernel_dim{.name = in_place ? channels.name : "", .size = kernels};
  if (!in_place) add(kernel_dim, 0, taps * channels.outer());
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == y.dim) {
      add(y.out, x.out.outer() * taps * others, 0);
    } else if (i == x.dim) {
      add(x.out, taps * others, 0);
    } else if (i != options.channels) {
      add(shape.dim(i), other_stride[static_cast<std::size_t>(i)], 0);
    } else if (in_place) {
      add(kernel_dim, 0, taps * channels.outer());
    } else {
      TileDim one = channels;
      one.size = channels.used_places();
      one.copies = 1;
      one.woven = one.junk = false;
      one.woven_outer = 0;
      dims.push_back(one);
      tiles.add_dimension(1, 0);
      weights.add_dimension(1, 0);
    }
  }
  tiles.add_dimension(taps, others);
  weights.add_dimension(taps, channels.outer());
  tiles.add_dimension(channels.outer(), other_stride[static_cast<std::size_t>(options.channels)]);
  weights.add_dimension(channels.outer(), 1);
  TileArrayPtr products = image.evaluator()->multiply_plain_sum(tiles, weights, taps * channels.outer());
  const TileTensor result(image.evaluator(), TileShape(std::move(dims)), std::move(products));
  return in_place ? result : sum(result, options.channels + 1, options.fold);
}

}  // namespace tacit::tensor
