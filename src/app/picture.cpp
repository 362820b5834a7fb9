#include "app/picture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tacit::app {
namespace {

constexpr std::int64_t kMaxWidth = 64;

/// Pixels a column and a row of a smaller picture.
std::int64_t shrinking_of(std::int64_t width) { return (width + kMaxWidth - 1) / kMaxWidth; }

constexpr std::string_view kRamp = " .:-=+*#%@";
constexpr int kGreyLevels = 24;  ///< of the 256-colour palette
constexpr int kFirstGrey = 232;  ///< its darkest grey

/// A picture scaled to [0, 1] and small enough for a terminal.
class Raster {
 public:
  Raster(std::span<const std::int64_t> shape, std::span<const double> pixels)
      : channels_(shape.size() == 3 ? shape[0] : 1),
        full_height_(shape[shape.size() - 2]),
        full_width_(shape[shape.size() - 1]),
        factor_(shrinking_of(full_width_)),
        pixels_(pixels) {
    const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
    lowest_ = *low;
    span_ = *high > *low ? *high - *low : 1;
  }
  std::int64_t channels() const { return channels_; }
  std::int64_t width() const { return full_width_ / factor_; }
  std::int64_t height() const { return full_height_ / factor_; }
  /// The mean of the pixels that fall on (x, y), in [0, 1]; rows below the picture are black.
  double at(std::int64_t channel, std::int64_t y, std::int64_t x) const {
    if (y >= height()) return 0;
    double sum = 0;
    for (std::int64_t i = 0; i < factor_; ++i)
      for (std::int64_t j = 0; j < factor_; ++j)
        sum += pixels_[static_cast<std::size_t>((channel * full_height_ + y * factor_ + i) * full_width_ + x * factor_ +
                                                j)];
    return (sum / static_cast<double>(factor_ * factor_) - lowest_) / span_;
  }
  double grey(std::int64_t y, std::int64_t x) const {
    double sum = 0;
    for (std::int64_t c = 0; c < channels_; ++c) sum += at(c, y, x);
    return sum / static_cast<double>(channels_);
  }

 private:
  std::int64_t channels_, full_height_, full_width_, factor_;
  std::span<const double> pixels_;
  double lowest_ = 0, span_ = 1;
};

std::string colour_code(const Raster& raster, std::int64_t y, std::int64_t x) {
  if (raster.channels() == 1)
    return fmt::format("5;{}", kFirstGrey + static_cast<int>(std::lround(raster.grey(y, x) * (kGreyLevels - 1))));
  const auto byte = [&](std::int64_t channel) { return std::lround(raster.at(channel, y, x) * 255); };
  return fmt::format("2;{};{};{}", byte(0), byte(1), byte(2));
}

}  // namespace

PictureStyle picture_style_of_stdout() {
  return isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR") ? PictureStyle::colour : PictureStyle::plain;
}

bool is_picture(std::span<const std::int64_t> shape) {
  if (shape.size() == 3 && shape[0] != 1 && shape[0] != 3) return false;
  if (shape.size() != 2 && shape.size() != 3) return false;
  const auto side = [](std::int64_t extent) { return extent >= 2 && extent <= 512; };
  return side(shape[shape.size() - 1]) && side(shape[shape.size() - 2]);
}

std::size_t picture_width(std::span<const std::int64_t> shape) {
  return static_cast<std::size_t>(shape.back() / shrinking_of(shape.back()));
}

std::vector<std::string> draw_picture(std::span<const std::int64_t> shape, std::span<const double> pixels,
                                      PictureStyle style) {
  const Raster raster(shape, pixels);
  std::vector<std::string> lines;
  // A character is about twice as high as it is wide: each stands for two rows.
  for (std::int64_t y = 0; y < raster.height(); y += 2) {
    std::string line;
    for (std::int64_t x = 0; x < raster.width(); ++x) {
      if (style == PictureStyle::colour) {
        line += fmt::format("\x1b[38;{}m\x1b[48;{}m\u2580", colour_code(raster, y, x), colour_code(raster, y + 1, x));
      } else {
        const double level = (raster.grey(y, x) + raster.grey(y + 1, x)) / 2;
        line += kRamp[static_cast<std::size_t>(std::lround(level * static_cast<double>(kRamp.size() - 1)))];
      }
    }
    if (style == PictureStyle::colour) line += "\x1b[0m";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tacit::app
