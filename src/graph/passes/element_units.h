#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// By element, the group that is stretched together with it, counted from 0: the channels of large tensors with spatial
/// dimensions, whose maps repeat with them; elsewhere every element is its own. The passes below read no more of an
/// element's ranges than what those of its group reach, inputs with spatial dimensions but few elements included.
std::vector<std::size_t> stretched_together(const Shape& shape);

/// Gives the elements of private inputs units by which their calibrated ranges reach into (1/2, 1], powers of two:
/// every element its own in vectors of features, all of them one where there are spatial dimensions. The client applies
/// the units, the affine maps that read the input undo them. Noise and the rounding of weights then weigh on every
/// feature alike. Inputs that something else than an affine value reads, or without calibration, keep their units.
Network with_input_units(Network network);

/// Stretches the elements that go into functions of degree one (f(c x) = c f(x) for c > 0, like Relu) towards the
/// interval that all elements share, by the affine maps around the function: an element whose own range is a third of
/// the widest then has a third of the error. Elements of one channel stay together. Ranges are widened by
/// kStretchMargin before they are stretched; no interval becomes wider, and an element's own bound becomes
/// tighter than the shared one, never looser.
/// Likewise the elements of affine values that only a product reads, which then share the noise of the widest: the
/// affine value that reads the product undoes both factors. They stop where the weights that read an element are as
/// small as the largest that stays: its noise then counts no more than another's.
Network with_stretched_elements(Network network);

}  // namespace tacit::graph::passes
