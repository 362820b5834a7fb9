#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tacit::session {

/// Element types of .npy files that Tacit reads: little-endian, plain numbers, truth values (0 and 1), and texts.
enum class ElementType { boolean, uint8, uint16, uint32, int8, int16, int32, int64, float16, float32, float64, text };

/// An array as NumPy stores it: row-major (C order) elements of one type.
class NpyArray {
 public:
  /// `bytes` hold all elements of the shape. For texts, an element has bytes.size() / (product of `shape`) bytes.
  NpyArray(std::string name, ElementType type, std::vector<std::int64_t> shape, std::vector<std::byte> bytes);

  const std::string& name() const { return name_; }  ///< origin of the array, for messages
  ElementType type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t size() const { return size_; }
  /// Returns the extent of the leading (batch) dimension. Throws InputError for an array without dimensions.
  std::int64_t rows() const;
  /// Returns the shape without its leading dimension.
  std::vector<std::int64_t> row_shape() const;

  /// Returns the elements of one row as doubles. Throws InputError naming the index for infinity, for integers beyond
  /// 2^53, and for NaN unless missing values are expected. Throws it also for a missing row and for texts.
  std::vector<double> row(std::int64_t index, bool missing_values = false) const;
  /// Writes the elements of one row, with the same checks. `out` has the width of a row.
  void read_row(std::int64_t index, std::span<double> out, bool missing_values = false) const;
  /// Returns the texts of one row, in UTF-8. Throws InputError for a missing row and for numbers.
  std::vector<std::string> text_row(std::int64_t index) const;
  /// Returns all elements, with the same checks.
  std::vector<double> values() const;

 private:
  void read_elements(std::int64_t first, std::span<double> out, bool missing_values) const;
  void check_row(std::int64_t index) const;
  std::string index_text(std::int64_t flat) const;

  std::string name_;
  ElementType type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::byte> bytes_;
  std::int64_t size_ = 0;
};

/// Reads a .npy file, version 1 or 2. The bytes are untrusted: the header is parsed with strict bounds. The size in the
/// header is compared with the file before anything is allocated. Throws InputError naming the file and the reason: not
/// a .npy file, truncated, trailing bytes, Fortran order, big-endian or another element type.
NpyArray read_npy(const std::filesystem::path& path);
/// The statements of the header of a .npy file.
struct NpyForm {
  ElementType type;
  std::vector<std::int64_t> shape;
};
/// Reads and checks a header as read_npy does, without the elements.
NpyForm read_npy_form(const std::filesystem::path& path);
/// Reads an array from bytes in memory. `name` is used in messages.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

/// Elements of a file. Texts are in UTF-8, which NumPy reads as <U…>.
using NpyValues = std::variant<std::span<const double>, std::span<const float>, std::span<const std::uint8_t>,
                               std::span<const std::int64_t>, std::span<const std::string>>;

/// Writes a file of version 1 with elements of the given type. The product of `shape` is values.size(). Throws
/// InputError if the file cannot be written.
void write_npy(const std::filesystem::path& path, const std::vector<std::int64_t>& shape, const NpyValues& values);

}  // namespace tacit::session
