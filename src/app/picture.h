#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::app {

/// The style of a picture in a terminal.
enum class PictureStyle {
  colour,  ///< half-block characters, two pixels each, with 24 grey levels or true colour
  plain,   ///< ASCII characters of rising darkness: for files, pipes and NO_COLOR
};
/// Returns `colour` if standard output is a terminal and NO_COLOR is unset.
PictureStyle picture_style_of_stdout();

/// True for the shapes that can be shown: [h, w], [1, h, w] and, in colour, [3, h, w], with sides from 2 to 512.
bool is_picture(std::span<const std::int64_t> shape);

/// Returns the columns of a terminal that such a picture takes.
std::size_t picture_width(std::span<const std::int64_t> shape);

/// Draws an image, with one string per terminal line. `pixels` is row-major in `shape`, which is_picture accepts. The
/// darkest value of the picture is black and the largest is white. A picture wider than 64 pixels is shrunk by a whole
/// factor. A very wide and low picture may shrink to height 0: it has no lines.
std::vector<std::string> draw_picture(std::span<const std::int64_t> shape, std::span<const double> pixels,
                                      PictureStyle style);

}  // namespace tacit::app
