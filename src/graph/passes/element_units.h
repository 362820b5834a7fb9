#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Returns by element the group that is stretched together with it, counted from 0. In large tensors with spatial
/// dimensions a group is a channel, because maps repeat along it. In other tensors every element is a separate group.
/// Later passes read only the common range of a group, also for inputs with spatial dimensions and few elements.
std::vector<std::size_t> stretched_together(const Shape& shape);

/// Gives the elements of private inputs units, powers of two that bring the bound of a calibrated range into (1/2, 1].
/// In vectors of features every element has its own unit. With spatial dimensions all elements share one unit. The
/// client applies the units, and the affine maps that read the input undo them. So noise and the rounding of weights
/// affect every feature alike. An input keeps unit 1 if it has no calibration data, or if anything but an affine value
/// reads it.
Network with_input_units(Network network);

/// Returns by element how far the input of function `id` can be stretched inside the function's interval: 1 and more.
/// Empty if the function does not scale, or if its input is no affine value with calibrated elements.
std::vector<double> stretch_of(const Network& network, ValueId id);

/// Stretches the elements that functions of degree one read (f(c x) = c f(x) for c > 0, like Relu) towards the interval
/// that all elements share. The affine maps around the function apply and undo the stretch. An element whose range is a
/// third of the widest one then has a third of the error. Elements of one channel stay together. Ranges are widened by
/// kStretchMargin before they are stretched. No interval becomes wider, and an element's own bound becomes tighter than
/// the shared one, never looser.
///
/// Also stretches the elements of affine values that only a product reads, so that their noise is that of the widest
/// element. The affine value that reads the product undoes both factors. The stretch of an element stops when the
/// weights that read it are as small as the largest weight that stays. Its noise then counts no more than that of other
/// elements.
Network with_stretched_elements(Network network);

}  // namespace tacit::graph::passes
