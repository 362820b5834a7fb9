#include "tensor/convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "tensor/broadcast.h"

namespace tacit::tensor {
namespace {

using layout::TileDim;

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
    base::refuse("convolve: {} of {}: {}", dim_text(shape, dim), shape.to_string(), why);
  };
  const Index outer = axis.in.outer();
  if (axis.in.size < taps) refuse(fmt::format("{} taps do not fit its size", taps));
  if (axis.in.tile > 1 && outer > 1 && !axis.in.interleaved)
    refuse("neighbours must lie in different tiles; encode it woven");
  if (axis.in.tile > 1 && outer % stride != 0)
    refuse(fmt::format("a stride of {} does not divide its {} tiles; encode it woven in a multiple of {} tiles", stride,
                       outer, stride));
  axis.out.size = (axis.in.size - taps) / stride + 1;
  axis.out.copies = 1;
  axis.out.interleaved = axis.in.tile > 1;
  axis.out.interleaved_outer = axis.in.tile > 1 && axis.out.size > 1 ? outer / stride : 0;
  axis.out.unknown = true;
  return axis;
}

/// Filters [F, C, fy, fx] for this image.
void check_filters(const TileShape& shape, const Shape& filters, const ConvolutionOptions& options) {
  check_dim(shape, options.channels, "convolve");
  if (options.channels == options.rows || options.channels == options.columns || options.rows == options.columns)
    base::refuse("convolve: channels, rows and columns must be three dimensions");
  if (options.stride < 1) base::refuse("convolve: a stride of {}", options.stride);
  if (filters.size() != 4)
    base::refuse("convolve: filters [{}]; expected [filters, channels, rows, columns]", fmt::join(filters, ","));
  for (const Index size : filters)
    if (size < 1) base::refuse("convolve: a filter dimension of size 0");
  if (filters[1] != shape.dim(options.channels).size)
    base::refuse("convolve: filters for {} channels and an image {} of {}", filters[1], shape.to_string(),
                 shape.dim(options.channels).size);
}

void check_filters(const TileShape& image, const Dense& filters, const ConvolutionOptions& options) {
  check_filters(image, filters.sizes, options);
  if (filters.values.size() != static_cast<std::size_t>(layout::element_count(filters.sizes)))
    base::refuse("convolve: filters [{}] with {} values", fmt::join(filters.sizes, ","), filters.values.size());
}

/// The input tiles that every output tile and tap reads, moved: [output row][output column][tap][other tiles].
ArrayPtr moved_tiles(const TileTensor& image, const Axis& y, const Axis& x) {
  const auto row = static_cast<std::size_t>(y.dim), column = static_cast<std::size_t>(x.dim);
  std::map<std::tuple<Index, Index, Index, Index>, View> rotated;  // by tile and places
  std::vector<View> parts;
  for (Index a = 0; a < y.out.outer(); ++a)
    for (Index b = 0; b < x.out.outer(); ++b)
      for (Index i = 0; i < y.taps; ++i)
        for (Index j = 0; j < x.taps; ++j) {
          const Index ty = y.input_tile(a, i), tx = x.input_tile(b, j), py = y.places(a, i), px = x.places(b, j);
          const auto [entry, absent] = rotated.try_emplace({ty, tx, py, px});
          if (absent) {
            View view = image.view();
            view.offset += ty * view.strides[row] + tx * view.strides[column];
            view.extents[row] = view.extents[column] = 1;
            const std::int64_t steps = py * image.shape().slot_stride(y.dim) + px * image.shape().slot_stride(x.dim);
            if (steps != 0) view = View::whole(image.session()->rotate(view, steps));
            entry->second = std::move(view);
          }
          parts.push_back(entry->second);
        }
  return image.session()->gather(parts);
}

/// One plaintext a filter, tap and tile of channels: [filter][tap][channel tile].
ArrayPtr encoded_filters(const TileTensor& image, const Dense& filters, int channels) {
  const TileShape& shape = image.shape();
  const TileDim& dim = shape.dim(channels);
  const Index taps = filters.sizes[2] * filters.sizes[3], outer = dim.outer(), stride = shape.slot_stride(channels);
  const SlotsOf slots = [&](Index tile) {
    const Index channel_tile = tile % outer, tap = tile / outer % taps, filter = tile / outer / taps;
    std::vector<double> values(static_cast<std::size_t>(shape.slots()));
    for (Index s = 0; s < shape.slots(); ++s) {
      const Index place = s / stride % dim.tile;
      const Index channel = dim.interleaved ? place * outer + channel_tile : channel_tile * dim.tile + place;
      if (channel < dim.size)
        values[static_cast<std::size_t>(s)] =
            filters.values[static_cast<std::size_t>((filter * dim.size + channel) * taps + tap)];
    }
    return values;
  };
  return image.session()->encode_factor(filters.sizes[0] * taps * outer, slots, image.level());
}

/// Filters of any kind: their sizes [F, C, fy, fx], and one tile a filter, tap and tile of channels.
struct Weights {
  Shape sizes;
  ArrayPtr array;
  bool encrypted = false;
};

TileTensor convolve_with(const TileTensor& image, Weights filters, const ConvolutionOptions& options) {
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
  View tiles, weights;
  tiles.array = moved_tiles(image, y, x);
  weights.array = std::move(filters.array);
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
      TileDim one = channels.in_blocks(channels.used_places());
      one.copies = 1;
      one.unknown = false;
      add(one, 0, 0);
    }
  }
  tiles.add_dimension(taps, others);
  weights.add_dimension(taps, channels.outer());
  tiles.add_dimension(channels.outer(), other_stride[static_cast<std::size_t>(options.channels)]);
  weights.add_dimension(channels.outer(), 1);
  const Index terms = taps * channels.outer();
  ArrayPtr products = filters.encrypted ? image.session()->multiply_sum(tiles, weights, terms)
                                        : image.session()->multiply_plain_sum(tiles, weights, terms);
  const TileTensor result(image.session(), TileShape(std::move(dims)), std::move(products));
  return in_place ? result : sum(result, options.channels + 1, options.fold);
}

}  // namespace

TileTensor convolve(const TileTensor& image, const Dense& filters, const ConvolutionOptions& options) {
  check_filters(image.shape(), filters, options);
  check_level(image, "convolve");
  return convolve_with(image, {filters.sizes, encoded_filters(image, filters, options.channels)}, options);
}

TileShape filter_shape(const TileShape& image, const Shape& filter_sizes, const ConvolutionOptions& options) {
  check_filters(image, filter_sizes, options);
  std::vector<TileDim> dims;
  for (const std::size_t i : {0, 2, 3}) dims.push_back({.name = "", .size = filter_sizes[i]});
  for (int i = 0; i < image.rank(); ++i) {
    TileDim dim = i == options.channels ? image.dim(i) : image.dim(i).in_blocks(1);
    dim.unknown = false;
    if (i != options.channels)
      dim.copies = dim.tile;
    else if (dim.size == 1)
      dim.copies = 1;
    dims.push_back(std::move(dim));
  }
  return TileShape(std::move(dims));
}

TileTensor encrypt_filters(const SessionPtr& session, const TileShape& image, const Dense& filters,
                           const ConvolutionOptions& options, int level) {
  const TileShape shape = filter_shape(image, filters.sizes, options);
  Dense taps_first{shape.sizes(), {}};
  if (!filters.values.empty()) {  // the cost reading looks at none
    check_filters(image, filters, options);
    const Index channels = filters.sizes[1], taps = filters.sizes[2] * filters.sizes[3];
    for (Index filter = 0; filter < filters.sizes[0]; ++filter)
      for (Index tap = 0; tap < taps; ++tap)
        for (Index channel = 0; channel < channels; ++channel)
          taps_first.values.push_back(
              filters.values[static_cast<std::size_t>((filter * channels + channel) * taps + tap)]);
  }
  return encrypt(session, shape, taps_first, level);
}

TileTensor convolve(const TileTensor& image, const TileTensor& filters, const ConvolutionOptions& options) {
  check_same_reading(image.session(), filters.session(), "convolve");
  const TileShape& found = filters.shape();
  const TileShape& shape = image.shape();
  check_dim(shape, options.channels, "convolve");
  if (found.rank() != shape.rank() + 3)
    base::refuse("convolve: filters {} have {} dimensions; those of an image {} have {}", found.to_string(),
                 found.rank(), shape.to_string(), shape.rank() + 3);
  const Shape sizes{found.dim(0).size, found.dim(options.channels + 3).size, found.dim(1).size, found.dim(2).size};
  const TileShape expected = filter_shape(shape, sizes, options);
  for (int i = 0; i < found.rank(); ++i) {
    TileDim dim = found.dim(i);
    dim.name = expected.dim(i).name;
    if (dim != expected.dim(i))
      base::refuse("convolve: filters {} for an image {} are expected as {}; reshard them", found.to_string(),
                   shape.to_string(), expected.to_string());
  }
  const int level = std::min(image.level(), filters.level());
  const TileTensor a = lowered(image, level), b = lowered(filters, level);
  check_level(a, "convolve");
  return convolve_with(a, {sizes, b.session()->gather({{b.view()}}), true}, options);
}

}  // namespace tacit::tensor
