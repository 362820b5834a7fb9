#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// A client's part that ends in labels. Outputs that are strings or whole numbers are labels, and other outputs are
/// left out. Where a model has none, the label of a row (the last dimension of an output) is the place of its largest
/// number; it is called like the output, with "_label" behind it. Throws InputError for a model with neither labels nor
/// a row of two numbers.
ClientParts label_parts(const ClientParts& parts);

/// A label is the same as without noise where it would be the same with every number shifted by so many deviations of
/// its noise: a Gaussian goes as far in one of 10^57 cases.
inline constexpr double kNoisesOfALabel = 16;

/// The labels of one result; noise[i] is the deviation of decrypted[i]. Throws InputError, naming the output, where the
/// margin does not rule noise out: where the label becomes another one as the numbers are shifted. What is tried: the
/// largest of each row down and all others up, which settles every comparison of a row; all numbers up; all down; each
/// alone, in tensors of up to 256; and 64 patterns drawn at random.
std::vector<Tensor> stable_labels(const ClientParts& labels, std::span<const std::vector<double>> decrypted,
                                  std::span<const double> noise);

}  // namespace tacit::graph
