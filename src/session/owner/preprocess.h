#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tacit::session {

/// What happens to raw values before they enter a model: (x / scale - mean) / std for each channel, then zero padding
/// of the last two dimensions. A channel is an index of the first dimension after the batch.
struct Preprocessing {
  double scale = 1;
  std::vector<double> mean;  ///< empty, one for all channels, or one a channel
  std::vector<double> std;   ///< likewise
  int pad = 0;               ///< zeros added on each side of height and width, after normalisation
};

/// Throws InputError for a scale or deviation that is not positive and finite, a mean that is not finite, or a padding
/// outside [0, 4096].
void check(const Preprocessing& preprocessing);

/// The shape of one sample (without batch) after preprocessing. Throws InputError where it does not apply: a number of
/// means or deviations that is neither 1 nor the number of channels, or padding of fewer than two dimensions. `name` is
/// the array's, for the message.
graph::Shape preprocessed_shape(const Preprocessing& preprocessing, const graph::Shape& raw, const std::string& name);

/// One sample through the preprocessing; raw.size() = product of `raw_shape`.
std::vector<double> preprocess(const Preprocessing& preprocessing, const graph::Shape& raw_shape,
                               std::vector<double> raw, const std::string& name);

/// The values that raw values in [lowest, highest] can take after preprocessing, over all channels, padding included.
std::pair<double, double> preprocessed_range(const Preprocessing& preprocessing, double lowest, double highest);

}  // namespace tacit::session
