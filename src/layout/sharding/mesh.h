#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace tacit::layout {

class TextCursor;

/// One axis of a mesh. A name has up to 16 letters, digits and '_' and begins with a letter.
struct MeshAxis {
  std::string name;
  Index extent = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// A computation mesh: an array of devices, which are ciphertexts, with any number of named axes. Devices are numbered
/// row-major, the last axis fastest. In a convolution, x counts blocks of output channels, y of input channels and z of
/// rows. Immutable, thread safe.
///
/// The notation is [x=4, y=3, z=2]. It parses back, also without brackets and spaces and with ':' in place of '='.
class Mesh {
 public:
  static constexpr std::size_t kMaxAxes = 16;

  /// Throws InputError naming the axis if a name is malformed or occurs twice, or if an extent is below 1. It also
  /// throws without axes, with more than kMaxAxes axes, and with more than kMaxCiphertexts devices.
  explicit Mesh(std::vector<MeshAxis> axes);
  /// Throws InputError naming the place.
  static Mesh parse(std::string_view text);
  /// Reads axes from a reader, as long as commas follow.
  static Mesh read(TextCursor& reader);
  /// Reads "mesh=[x=4]" from a reader.
  static Mesh read_named(TextCursor& reader);
  std::string to_string() const;

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::size_t rank() const { return axes_.size(); }
  /// Returns the number of devices: the product of the extents.
  Index size() const { return size_; }
  /// Returns the position of an axis. Throws InputError with the axes that exist.
  std::size_t index_of(std::string_view axis) const;
  Index extent(std::string_view axis) const { return axes_[index_of(axis)].extent; }

  /// Returns "Total 6 ciphertexts".
  std::string total() const;
  /// Returns the devices as a table: a column for each position on the last axis, a row for each on the others. If a
  /// table has more than `most` rows or columns, the middle is left out.
  std::string table(Index most = 8) const;

  bool operator==(const Mesh&) const = default;

  /// Returns 0 to count - 1 for a table of at most `most` entries. The middle is left out, and kLeftOut stands for it.
  static constexpr Index kLeftOut = -1;
  static std::vector<Index> shown(Index count, Index most);

 private:
  std::vector<Index> coordinates(Index device) const;

  std::vector<MeshAxis> axes_;
  Index size_ = 1;
};

}  // namespace tacit::layout
