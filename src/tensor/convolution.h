#pragma once

#include "tensor/operators.h"

namespace tacit::tensor {

struct ConvolutionOptions {
  int channels = 0, rows = 1, columns = 2;  ///< dimensions of the image
  Index stride = 1;
  FoldOptions fold;
};

/// Cross-correlates with plaintext filters [F, C, fy, fx] without padding: sizes become (size - f) / stride + 1. One
/// level. Rows and columns are interleaved (or have one tile, or tiles of 1), so that a filter tap mostly reads another
/// tile, unmoved. A stride must divide the tiles along an interleaved dimension. Places after the last row and column
/// become unknown. The image's channels may be a leading or a later dimension:
/// - If their tile extent is 1, the result has the F filters in their place.
/// - Otherwise the channels are summed as by `sum`, and the filters are a new dimension 0 with tiles of 1.
///
/// With e tiles along rows and columns, stride 1 and f - 1 <= e, the rotations before that sum are (fx - 1) ey + (fy -
/// 1) ex + (fx - 1)(fy - 1), for each tile of the other dimensions.
TileTensor convolve(const TileTensor& image, const Dense& filters, const ConvolutionOptions& options);

/// Returns the shape in which encrypted filters [F, C, fy, fx] meet an image. It is {F}{fy}{fx} in tiles of 1, then the
/// dimensions of the image: its channels in their tiles, and one value in all places of the others. Throws InputError
/// as `convolve` does.
TileShape filter_shape(const TileShape& image, const Shape& filter_sizes, const ConvolutionOptions& options);
/// Encrypts filters [F, C, fy, fx] in that shape.
TileTensor encrypt_filters(const SessionPtr& session, const TileShape& image, const Dense& filters,
                           const ConvolutionOptions& options, int level);

/// Does the same with encrypted filters, in filter_shape. A result takes one relinearisation for all its taps and
/// channels. Operands at different levels meet at the lower one.
TileTensor convolve(const TileTensor& image, const TileTensor& filters, const ConvolutionOptions& options);

}  // namespace tacit::tensor
