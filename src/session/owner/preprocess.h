#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tacit::session {

/// The conversion of raw values for a model: (x / scale - mean) / std for each channel, then zero padding of the last
/// two dimensions. A channel is an index of the first dimension after the batch.
struct Preprocessing {
  double scale = 1;
  std::vector<double> mean;  ///< empty, one for all channels, or one per channel
  std::vector<double> std;   ///< likewise
  int pad = 0;               ///< zeros added on each side of height and width, after normalisation
};

/// Throws InputError for a scale or deviation that is not positive and finite, a mean that is not finite, or a padding
/// outside [0, 4096].
void check(const Preprocessing& preprocessing);

/// Returns the shape of one sample (without batch) after preprocessing. `name` is the array's name, for messages.
/// Throws InputError if the number of means or deviations is neither 1 nor the number of channels. Throws it also for
/// padding of fewer than two dimensions.
graph::Shape preprocessed_shape(const Preprocessing& preprocessing, const graph::Shape& raw, const std::string& name);

/// Preprocesses one sample. raw.size() is the product of `raw_shape`.
std::vector<double> preprocess(const Preprocessing& preprocessing, const graph::Shape& raw_shape,
                               std::vector<double> raw, const std::string& name);

/// Returns the range that raw values in [lowest, highest] can have after preprocessing, over all channels and including
/// padding.
std::pair<double, double> preprocessed_range(const Preprocessing& preprocessing, double lowest, double highest);

}  // namespace tacit::session
