#include "session/owner/preprocess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/attribute.h"

namespace tacit::session {
namespace {

constexpr int kMaxPad = 4096;

/// The value that holds for a channel: none given, one for all, or one a channel.
double of_channel(const std::vector<double>& values, std::size_t channel, double absent) {
  if (values.empty()) return absent;
  return values.size() == 1 ? values[0] : values.at(channel);
}

std::size_t channels(const graph::Shape& shape) { return shape.empty() ? 1 : static_cast<std::size_t>(shape[0]); }

void check_count(const char* option, const std::vector<double>& values, const graph::Shape& raw,
                 const std::string& name) {
  if (values.size() > 1 && values.size() != channels(raw))
    base::refuse("{} gives {} numbers and {} has {} channels (shape [{}] after the batch)", option, values.size(), name,
                 channels(raw), fmt::join(raw, ", "));
}

}  // namespace

void check(const Preprocessing& p) {
  if (!(std::isfinite(p.scale) && p.scale > 0)) base::refuse("--scale {} must be a positive number", p.scale);
  for (const double mean : p.mean)
    if (!std::isfinite(mean)) base::refuse("--mean {} must be finite", mean);
  for (const double deviation : p.std)
    if (!(std::isfinite(deviation) && deviation > 0)) base::refuse("--std {} must be a positive number", deviation);
  if (p.pad < 0 || p.pad > kMaxPad) base::refuse("--pad {} must lie between 0 and {}", p.pad, kMaxPad);
}

graph::Shape preprocessed_shape(const Preprocessing& p, const graph::Shape& raw, const std::string& name) {
  check_count("--mean", p.mean, raw, name);
  check_count("--std", p.std, raw, name);
  graph::Shape shape = raw;
  if (p.pad == 0) return shape;
  if (shape.size() < 2)
    base::refuse("--pad needs height and width and {} has shape [{}] after the batch", name, fmt::join(raw, ", "));
  shape[shape.size() - 1] += 2 * p.pad;
  shape[shape.size() - 2] += 2 * p.pad;
  return shape;
}

std::vector<double> preprocess(const Preprocessing& p, const graph::Shape& raw_shape, std::vector<double> raw,
                               const std::string& name) {
  const graph::Shape shape = preprocessed_shape(p, raw_shape, name);
  const std::size_t plane = raw.size() / std::max<std::size_t>(channels(raw_shape), 1);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::size_t channel = i / plane;
    raw[i] = (raw[i] / p.scale - of_channel(p.mean, channel, 0)) / of_channel(p.std, channel, 1);
  }
  if (p.pad == 0) return raw;
  const auto width = static_cast<std::size_t>(raw_shape.back()), pad = static_cast<std::size_t>(p.pad);
  const auto height = static_cast<std::size_t>(raw_shape[raw_shape.size() - 2]);
  const std::size_t padded_width = width + 2 * pad, padded_plane = padded_width * (height + 2 * pad);
  const auto planes = static_cast<std::size_t>(graph::element_count({raw_shape.begin(), raw_shape.end() - 2}));
  std::vector<double> padded(planes * padded_plane, 0.0);
  for (std::size_t c = 0; c < planes; ++c)
    for (std::size_t y = 0; y < height; ++y)
      std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>((c * height + y) * width), width,
                  padded.begin() + static_cast<std::ptrdiff_t>(c * padded_plane + (y + pad) * padded_width + pad));
  return padded;
}

std::pair<double, double> preprocessed_range(const Preprocessing& p, double lowest, double highest) {
  const std::size_t count = std::max({p.mean.size(), p.std.size(), std::size_t{1}});
  double low = p.pad > 0 ? 0 : HUGE_VAL, high = p.pad > 0 ? 0 : -HUGE_VAL;
  for (std::size_t c = 0; c < count; ++c) {
    const double mean = of_channel(p.mean, c, 0), deviation = of_channel(p.std, c, 1);
    low = std::min(low, (lowest / p.scale - mean) / deviation);
    high = std::max(high, (highest / p.scale - mean) / deviation);
  }
  return {low, high};
}

}  // namespace tacit::session
