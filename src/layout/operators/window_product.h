#pragma once

#include <memory>

#include "layout/operators/window.h"

namespace tacit::layout {

/// Returns outer(inner(x)) as a convolution, or null if no form is known. Two forms are known: means over windows
/// inside their input, and channels that are placed among others. The result has few more weights than the parts hold.
std::shared_ptr<const Convolution> window_of_product(const LinearOperator& outer, const OneWindow& inner);

/// Returns outer(inner(x)) as a convolution, or null if no form is known. The known `inner` places channels among
/// zeros, so that the convolution reads fewer channels.
std::shared_ptr<const Convolution> window_behind(const OneWindow& outer, const LinearOperator& inner);

/// Returns the sum of two convolutions as one. The result is null if their strides or groups differ, or if it would
/// have many more weights than the parts hold.
std::shared_ptr<const Convolution> window_of_sum(const OneWindow& left, const OneWindow& right);

/// Returns true if a factor is the same for all elements of a channel of a tensor [batch, channels, spatial ...].
bool is_by_channel(const RepeatedReals& factors, const Shape& shape);

/// Returns the convolution with factors for every row and every column. The result is null if the factors are not by
/// channel, or differ between batches.
std::shared_ptr<const Convolution> window_with_factors(const Convolution& op, const RepeatedReals& rows,
                                                       const RepeatedReals& columns);

}  // namespace tacit::layout
