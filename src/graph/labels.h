#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// Returns a client's part that ends in labels. Outputs that are strings or whole numbers are labels, and other outputs
/// are left out. If a model has none, the label of a row (the last dimension of an output) is the position of its
/// largest number. The name of such a label is the output's name with "_label" appended. Throws InputError for a model
/// with neither labels nor a row of two numbers.
ClientParts label_parts(const ClientParts& parts);

/// True for a part in which label_parts finds labels.
bool has_labels(const ClientParts& parts);

/// The number of deviations of noise by which every number may shift without changing a label. A Gaussian exceeds it
/// with probability 10^-57.
inline constexpr double kNoisesOfALabel = 16;

/// Returns the labels of one result, by the parts of label_parts. noise[i] is the deviation of decrypted[i]. Throws
/// InputError, naming the output, if a shift of the numbers changes a label, so that the margin does not rule noise
/// out. These shifts are tried:
/// - the largest number of each row down and all others up, which settles every comparison of a row;
/// - all numbers up, and all down;
/// - each number alone, in tensors of up to 256;
/// - 64 random patterns.
///
/// Each shift is tried in full, at a quarter and at a sixteenth, because labels may hold in a narrow range only.
std::vector<Tensor> stable_labels(const ClientRun& labels, std::span<const std::vector<double>> decrypted,
                                  std::span<const double> noise);

}  // namespace tacit::graph
