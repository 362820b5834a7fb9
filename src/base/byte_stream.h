#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::base {

/// Appends numbers to a byte string. The order is little-endian on every machine.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u32(std::uint32_t value) { integer(value, 4); }
  void u64(std::uint64_t value) { integer(value, 8); }
  void i64(std::int64_t value) { integer(static_cast<std::uint64_t>(value), 8); }
  void f64(double value);
  void text(std::string_view value);
  /// Writes a count, then the numbers.
  void indices(std::span<const std::int64_t> values);
  void reals(std::span<const double> values);
  /// Writes a list in its shortest form: arithmetic runs, or numbers of four or eight bytes.
  void compact_indices(std::span<const std::int64_t> values);
  void compact_reals(std::span<const double> values);

  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void integer(std::uint64_t value, int bytes);
  std::vector<std::uint8_t> bytes_;
};

/// Reads little-endian numbers from untrusted bytes, which it does not own. Every read is checked against the remaining
/// bytes, so that a short input cannot make it allocate much. Errors are InputError and name the byte.
class ByteReader {
 public:
  /// `what` begins error messages: "program", "cannot load evaluation keys".
  ByteReader(std::span<const std::uint8_t> bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}
  ByteReader(std::span<const std::byte> bytes, std::string what)
      : ByteReader(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), std::move(what)) {}

  std::size_t left() const { return bytes_.size() - at_; }
  /// Returns a view of the next `count` bytes.
  std::span<const std::uint8_t> take(std::size_t count);
  /// Copies the next bytes into a std::array of this type, such as a seed or a hash.
  template <class Array>
  Array array() {
    Array result;
    std::ranges::copy(take(result.size()), result.begin());
    return result;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(integer(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(integer(8)); }
  /// Reads an integer in [lowest, highest].
  std::int64_t i64(std::int64_t lowest, std::int64_t highest, const char* name);
  /// Reads a finite number.
  double f64();
  std::string text(std::size_t longest);
  /// Reads a number of items. At least `item_bytes` must remain for each item.
  std::size_t count(std::size_t item_bytes);
  std::vector<std::int64_t> indices();
  std::vector<double> reals();
  /// Reads a list that the writer's function of the same name wrote. A run may expand to many more bytes than it takes.
  /// The runs of one input expand to at most kMostExpansion times the input plus kFreeExpansion bytes.
  std::vector<std::int64_t> compact_indices();
  std::vector<double> compact_reals();
  static constexpr std::uint64_t kMostExpansion = 256, kFreeExpansion = std::uint64_t{64} << 20;
  /// Throws InputError unless everything was read.
  void expect_end() const;
  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::uint64_t integer(std::size_t bytes);
  std::span<const std::uint8_t> bytes_;
  std::string what_;
  std::size_t at_ = 0;
  std::uint64_t expanded_ = 0;  // bytes that runs expanded to
};

}  // namespace tacit::base
