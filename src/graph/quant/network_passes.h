#pragma once

namespace tacit::graph::quant {

struct IntegersDraft;

// The passes of networks on integers that read samples, from the encrypted tensors to a network with ranges.

/// Runs the client's first part on the samples, and finds the interval that encrypted tensors cannot leave. Refuses
/// samples that are all the same.
void take_client_samples(IntegersDraft& draft);
/// Refuses functions with neither samples nor an interval of the inputs.
void require_samples_of_functions(IntegersDraft& draft);
/// Gives trees inputs of their own if sums or tables read the same input. The client encrypts such a tensor twice.
void split_inputs(IntegersDraft& draft);
/// Sets samples aside that are far from all others.
void set_far_rows_aside(IntegersDraft& draft);
/// Replaces products of two values by squares (join_sums.h).
void write_out_products_of_two(IntegersDraft& draft);
/// Gives every element its range, by samples or by intervals, and every input of trees its grid.
void find_ranges(IntegersDraft& draft);
/// Narrows the intervals of features that trees read without a grid (feature_ranges.h).
void narrow_features(IntegersDraft& draft);

}  // namespace tacit::graph::quant
