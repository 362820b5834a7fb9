#pragma once

#include <memory>

#include "layout/operators/window.h"

namespace tacit::layout {

/// The convolution that `outer` makes of `inner`; null where it is none that is known. Known are means over windows
/// that lie inside their input, and channels that are placed among others. It has few more weights than the parts hold.
std::shared_ptr<const Convolution> window_of_product(const LinearOperator& outer, const OneWindow& inner);

/// The convolution that `outer` makes of what `inner` does before; null where it is none that is known. Known are
/// channels that `inner` places among zeros, so that the convolution reads fewer.
std::shared_ptr<const Convolution> window_behind(const OneWindow& outer, const LinearOperator& inner);

/// The convolution that adds two; null where their strides or groups differ, or where it would have many more weights
/// than the parts hold.
std::shared_ptr<const Convolution> window_of_sum(const OneWindow& left, const OneWindow& right);

/// Whether a factor is the same for all elements of a channel of a tensor [batch, channels, spatial ...].
bool is_by_channel(const RepeatedReals& factors, const Shape& shape);

/// The convolution between factors for every row and every column; null where these are not by channel, or differ from
/// one batch to another.
std::shared_ptr<const Convolution> window_with_factors(const Convolution& op, const RepeatedReals& rows,
                                                       const RepeatedReals& columns);

}  // namespace tacit::layout
