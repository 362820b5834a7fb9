#include "session/owner/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/half.h"
#include "base/parse_number.h"
#include "program/visit.h"

namespace tacit::session {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in the file");

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::size_t kPreambleV1 = 10;  ///< magic, version, 16-bit header length
constexpr std::size_t kPreambleV2 = 12;  ///< magic, version, 32-bit header length
constexpr std::size_t kMaxHeader = 64 * 1024;
constexpr std::size_t kMaxDimensions = 32;     ///< NumPy's own bound
constexpr std::size_t kLongestText = 1 << 16;  ///< code points of a text

/// Elements that are converted together, so that the compiler uses vectors.
constexpr std::size_t kTogether = 16;

template <class T>
void read_as(const std::byte* bytes, std::span<double> numbers) {
  std::array<T, kTogether> elements;
  std::size_t i = 0;
  for (; i + kTogether <= numbers.size(); i += kTogether) {
    std::memcpy(elements.data(), bytes + i * sizeof(T), sizeof elements);
    for (std::size_t j = 0; j < kTogether; ++j) numbers[i + j] = static_cast<double>(elements[j]);
  }
  std::memcpy(elements.data(), bytes + i * sizeof(T), (numbers.size() - i) * sizeof(T));
  for (std::size_t j = 0; i + j < numbers.size(); ++j) numbers[i + j] = static_cast<double>(elements[j]);
}

/// True if every number is finite. x - x is 0 for finite x alone.
bool all_finite(std::span<const double> numbers) {
  std::array<double, kTogether> sums{};
  std::size_t i = 0;
  for (; i + kTogether <= numbers.size(); i += kTogether)
    for (std::size_t j = 0; j < kTogether; ++j) sums[j] += numbers[i + j] - numbers[i + j];
  for (; i < numbers.size(); ++i) sums[0] += numbers[i] - numbers[i];
  return std::ranges::all_of(sums, [](double sum) { return sum == 0; });
}

void read_halves(const std::byte* bytes, std::span<double> numbers) {
  read_as<std::uint16_t>(bytes, numbers);
  for (double& number : numbers) number = base::from_half(static_cast<std::uint16_t>(number));
}

/// How a file names a type of numbers, and how they are read.
struct TypeRow {
  std::string_view descr;
  ElementType type;
  std::size_t bytes;
  void (*read)(const std::byte* bytes, std::span<double> numbers);
};
constexpr std::array<TypeRow, 13> kTypes{{{"|b1", ElementType::boolean, 1, read_as<std::uint8_t>},
                                          {"|u1", ElementType::uint8, 1, read_as<std::uint8_t>},
                                          {"<u1", ElementType::uint8, 1, read_as<std::uint8_t>},
                                          {"<u2", ElementType::uint16, 2, read_as<std::uint16_t>},
                                          {"<u4", ElementType::uint32, 4, read_as<std::uint32_t>},
                                          {"|i1", ElementType::int8, 1, read_as<std::int8_t>},
                                          {"<i1", ElementType::int8, 1, read_as<std::int8_t>},
                                          {"<i2", ElementType::int16, 2, read_as<std::int16_t>},
                                          {"<i4", ElementType::int32, 4, read_as<std::int32_t>},
                                          {"<i8", ElementType::int64, 8, read_as<std::int64_t>},
                                          {"<f2", ElementType::float16, 2, read_halves},
                                          {"<f4", ElementType::float32, 4, read_as<float>},
                                          {"<f8", ElementType::float64, 8, read_as<double>}}};

/// Of a type of numbers.
const TypeRow& row_of(ElementType type) { return *std::ranges::find(kTypes, type, &TypeRow::type); }

struct Header {
  ElementType type{};
  std::vector<std::int64_t> shape;
  std::uint64_t data_bytes = 0;
};

/// Reads the one Python literal that a header holds: a dictionary of a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !descr_) {
        if (peek() == '[') fail("holds records; only arrays of plain numbers are read");
        descr_ = quoted();
      } else if (key == "fortran_order" && !fortran_) {
        fortran_ = boolean();
      } else if (key == "shape" && !shape_) {
        shape_ = tuple();
      } else {
        fail("has a malformed header (unknown or repeated key)");
      }
      if (!accept(',') && peek() != '}') fail("has a malformed header");
    }
    while (position_ < text_.size())
      if (const char c = text_[position_++]; c != ' ' && c != '\n') fail("has a malformed header");
    if (!descr_ || !fortran_ || !shape_) fail("has a malformed header (descr, fortran_order or shape is missing)");
    if (*fortran_) fail("is stored in Fortran order; save it with numpy.ascontiguousarray");
    Header header;
    header.type = type_of(*descr_);
    header.shape = std::move(*shape_);
    header.data_bytes = header.type == ElementType::text ? text_bytes(*descr_) : row_of(header.type).bytes;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (std::ranges::find(header.shape, 0) != header.shape.end()) header.data_bytes = 0;
    for (const std::int64_t extent : header.shape) {
      if (header.data_bytes > 0 && header.data_bytes > kMost / static_cast<std::uint64_t>(extent))
        fail("has a malformed header (its shape overflows)");
      header.data_bytes *= static_cast<std::uint64_t>(extent);
    }
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const { base::refuse("{} {}", name_, reason); }
  char peek() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("has a malformed header");
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("has a malformed header");
    const std::size_t begin = ++position_;
    while (position_ < text_.size() && text_[position_] != quote) ++position_;
    if (position_ == text_.size()) fail("has a malformed header");
    return text_.substr(begin, position_++ - begin);
  }
  bool boolean() {
    const bool value = peek() == 'T';
    const std::string_view word = value ? "True" : "False";
    if (!text_.substr(position_).starts_with(word)) fail("has a malformed header");
    position_ += word.size();
    return value;
  }
  std::vector<std::int64_t> tuple() {
    expect('(');
    std::vector<std::int64_t> extents;
    while (!accept(')')) {
      if (extents.size() == kMaxDimensions) fail("has a malformed header (more than 32 dimensions)");
      extents.push_back(integer());
      if (!accept(',') && peek() != ')') fail("has a malformed header");
    }
    return extents;
  }
  std::int64_t integer() {
    if (const char c = peek(); c < '0' || c > '9') fail("has a malformed header (a dimension is not a number)");
    std::int64_t value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      if (value > (std::numeric_limits<std::int64_t>::max() - 9) / 10)
        fail("has a malformed header (its shape overflows)");
      value = value * 10 + (text_[position_++] - '0');
    }
    return value;
  }
  /// Bytes of an element of type "<U12": 12 code points of 4 bytes.
  std::uint64_t text_bytes(std::string_view descr) const {
    const auto length = base::parse_number<std::uint64_t>(descr.substr(2));
    if (!length) fail("has a malformed header (the length of its texts)");
    if (*length == 0 || *length > kLongestText)
      fail(fmt::format("holds texts of {} characters; 1 to {} are read", *length, kLongestText));
    return 4 * *length;
  }
  ElementType type_of(std::string_view descr) const {
    if (descr.starts_with("<U")) return ElementType::text;
    for (const TypeRow& row : kTypes)
      if (row.descr == descr) return row.type;
    if (!descr.empty() && descr[0] == '>') fail("is big-endian; save it with astype('<f4')");
    fail(
        fmt::format("holds elements of type '{:.16}'; bool, uint8 to uint32, int8 to int64, float16 to float64 and <U "
                    "are read: save it with astype('float32')",
                    descr));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
  std::optional<std::string_view> descr_;
  std::optional<bool> fortran_;
  std::optional<std::vector<std::int64_t>> shape_;
};

/// Where the header lies, from the first kPreambleV2 bytes of the file (or fewer, if the file is shorter).
struct HeaderSpan {
  std::size_t begin = 0, length = 0;
};
HeaderSpan locate_header(std::string_view preamble, const std::string& name) {
  if (preamble.substr(0, kNpyMagic.size()) != kNpyMagic)
    base::refuse("{} is not a .npy file; write it with numpy.save", name);
  if (preamble.size() < kPreambleV1) base::refuse("{} is truncated in its header", name);
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(preamble[i])}; };
  const std::size_t major = byte(6);
  if (major != 1 && major != 2)
    base::refuse("{} is a .npy file of version {}; versions 1 and 2 are read; save plain numbers with numpy.save", name,
                 major);
  HeaderSpan span{kPreambleV1, byte(8) | byte(9) << 8};
  if (major == 2) {
    if (preamble.size() < kPreambleV2) base::refuse("{} is truncated in its header", name);
    span = {kPreambleV2, span.length | byte(10) << 16 | byte(11) << 24};
  }
  if (span.length > kMaxHeader)
    base::refuse("{} has a header of {} bytes; at most {} are read", name, span.length, kMaxHeader);
  return span;
}

void check_size(const Header& header, std::uint64_t present, const std::string& name) {
  if (present == header.data_bytes) return;
  base::refuse("{} {}: its header promises {} bytes of data for shape [{}] and {} are there", name,
               present < header.data_bytes ? "is truncated" : "has bytes after its data", header.data_bytes,
               fmt::join(header.shape, ", "), present);
}

/// The header of a file of `size` bytes, and where the elements begin. `copy` takes bytes from one on.
template <class Copy>
std::pair<Header, std::uint64_t> header_of(const std::string& name, std::uint64_t size, const Copy& copy) {
  std::string preamble(std::min<std::uint64_t>(kPreambleV2, size), '\0');
  copy(preamble.data(), 0, preamble.size());
  const HeaderSpan span = locate_header(preamble, name);
  if (size < span.begin + span.length) base::refuse("{} is truncated in its header", name);
  std::string text(span.length, '\0');
  copy(text.data(), span.begin, text.size());
  Header header = HeaderParser(text, name).parse();
  check_size(header, size - span.begin - span.length, name);
  return {std::move(header), span.begin + span.length};
}

/// The array of such a file.
template <class Copy>
NpyArray array_of(const std::string& name, std::uint64_t size, const Copy& copy) {
  auto [header, begin] = header_of(name, size, copy);
  std::vector<std::byte> bytes(header.data_bytes);
  copy(reinterpret_cast<char*>(bytes.data()), begin, bytes.size());
  return NpyArray(name, header.type, std::move(header.shape), std::move(bytes));
}

/// UTF-8 to code points; a byte that begins no well-formed sequence stands for itself. A sequence that is longer than
/// its code point needs is not well formed, nor is one above the last code point.
std::u32string code_points(const std::string& text) {
  constexpr std::array<char32_t, 4> kLeast{0, 0x80, 0x800, 0x10000};  // of a sequence of one to four bytes
  constexpr char32_t kLast = 0x10FFFF;
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first >= 0xF8 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    char32_t point = length == 1 ? first : first & (0xFFU >> (length + 1));
    bool whole = i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      whole = (next & 0xC0U) == 0x80U;
      point = point << 6U | (next & 0x3FU);
    }
    whole = whole && point >= kLeast[length - 1] && point <= kLast;
    points.push_back(whole ? point : first);
    i += whole ? length : 1;
  }
  return points;
}

void append_utf8(std::string& text, char32_t point) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) return put(point);
  const int behind = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;  // bytes after the first, which states their number
  put((0xFF00U >> (behind + 1) & 0xFFU) | (point >> 6 * behind & 0x3FU >> behind));
  for (int i = behind - 1; i >= 0; --i) put(0x80 | (point >> 6 * i & 0x3F));
}

template <class T>
void write_elements(const std::filesystem::path& path, const std::vector<std::int64_t>& shape,
                    std::span<const T> values, std::string_view descr) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // NumPy aligns the data to 64 bytes and ends the header with a newline.
  const std::size_t unpadded = kPreambleV1 + dict.size() + 1;
  dict.append((unpadded + 63) / 64 * 64 - unpadded, ' ').push_back('\n');
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << kNpyMagic << '\x01' << '\x00' << static_cast<char>(dict.size() & 0xFF) << static_cast<char>(dict.size() >> 8)
       << dict;
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  file.flush();
  if (!file) base::refuse("{} cannot be written: {}", path.string(), std::strerror(errno));
}

void write_texts(const std::filesystem::path& path, const std::vector<std::int64_t>& shape,
                 std::span<const std::string> texts) {
  // NumPy holds texts as code points of four bytes each, padded with zeros to the longest.
  std::vector<std::u32string> decoded;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    decoded.push_back(code_points(text));
    longest = std::max(longest, decoded.back().size());
  }
  std::vector<char32_t> elements(texts.size() * longest, 0);
  for (std::size_t i = 0; i < decoded.size(); ++i)
    std::copy(decoded[i].begin(), decoded[i].end(), elements.begin() + static_cast<std::ptrdiff_t>(i * longest));
  write_elements(path, shape, std::span<const char32_t>(elements), fmt::format("<U{}", longest));
}

}  // namespace

NpyArray::NpyArray(std::string name, ElementType type, std::vector<std::int64_t> shape, std::vector<std::byte> bytes)
    : name_(std::move(name)), type_(type), shape_(std::move(shape)), bytes_(std::move(bytes)) {
  // Of no elements the product of the other extents may be no number.
  size_ = std::ranges::find(shape_, 0) == shape_.end() ? 1 : 0;
  for (const std::int64_t extent : shape_) size_ *= extent;
}

std::int64_t NpyArray::rows() const {
  if (shape_.empty()) base::refuse("{} is a single number; the leading dimension must be the batch", name_);
  return shape_[0];
}

std::vector<std::int64_t> NpyArray::row_shape() const {
  return {shape_.begin() + (shape_.empty() ? 0 : 1), shape_.end()};
}

void NpyArray::check_row(std::int64_t index) const {
  if (index < 0 || index >= rows()) base::refuse("{} has {} rows; row {} was asked for", name_, rows(), index);
}

std::vector<double> NpyArray::row(std::int64_t index, bool missing_values) const {
  check_row(index);
  std::vector<double> out(static_cast<std::size_t>(size_ / shape_[0]));
  read_row(index, out, missing_values);
  return out;
}

void NpyArray::read_row(std::int64_t index, std::span<double> out, bool missing_values) const {
  check_row(index);
  read_elements(index * static_cast<std::int64_t>(out.size()), out, missing_values);
}

std::vector<std::string> NpyArray::text_row(std::int64_t index) const {
  check_row(index);
  if (type_ != ElementType::text) base::refuse("{} holds numbers, where texts are needed", name_);
  if (size_ == 0) return {};
  const auto width = static_cast<std::size_t>(size_ / shape_[0]);
  const std::size_t length = bytes_.size() / static_cast<std::size_t>(size_) / sizeof(char32_t);
  std::vector<std::string> texts(width);
  for (std::size_t i = 0; i < width; ++i) {
    std::vector<char32_t> points(length);
    std::memcpy(points.data(),
                bytes_.data() + (static_cast<std::size_t>(index) * width + i) * length * sizeof(char32_t),
                length * sizeof(char32_t));
    while (!points.empty() && points.back() == 0) points.pop_back();
    for (const char32_t point : points) append_utf8(texts[i], point);
  }
  return texts;
}

std::vector<double> NpyArray::values() const {
  std::vector<double> out(static_cast<std::size_t>(size_));
  read_elements(0, out, false);
  return out;
}

std::string NpyArray::index_text(std::int64_t flat) const {
  std::vector<std::int64_t> index(shape_.size());
  for (std::size_t d = shape_.size(); d-- > 0; flat /= shape_[d]) index[d] = flat % shape_[d];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

void NpyArray::read_elements(std::int64_t first, std::span<double> out, bool missing_values) const {
  if (type_ == ElementType::text) base::refuse("{} holds texts, where numbers are needed", name_);
  const TypeRow& row = row_of(type_);
  row.read(bytes_.data() + static_cast<std::size_t>(first) * row.bytes, out);
  if (type_ != ElementType::int64 && all_finite(out)) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (missing_values && std::isnan(out[i])) continue;
    if (!std::isfinite(out[i]))
      base::refuse("{} holds {} at {}; every value must be finite", name_, std::isnan(out[i]) ? "NaN" : "infinity",
                   index_text(first + static_cast<std::int64_t>(i)));
    if (type_ == ElementType::int64 && std::abs(out[i]) > 0x1p53)
      base::refuse("{} holds an integer beyond 2^53 at {}, which has no exact double", name_,
                   index_text(first + static_cast<std::int64_t>(i)));
  }
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  return array_of(name, bytes.size(),
                  [&](char* to, std::uint64_t begin, std::uint64_t count) { bytes.copy(to, count, begin); });
}

namespace {

/// What `read` makes of a file's name, its size and a function that copies bytes of it.
template <class Read>
auto of_file(const std::filesystem::path& path, const Read& read) {
  const std::string name = path.string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    base::refuse("{} {}", name, std::filesystem::exists(path, error) ? "is not a file" : "does not exist");
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) base::refuse("{} cannot be read", name);
  return read(name, file_bytes, [&](char* to, std::uint64_t begin, std::uint64_t count) {
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(to, static_cast<std::streamsize>(count));
    if (static_cast<std::uint64_t>(file.gcount()) != count) base::refuse("{} cannot be read to its end", name);
  });
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  return of_file(path,
                 [](const auto& name, std::uint64_t size, const auto& copy) { return array_of(name, size, copy); });
}

NpyForm read_npy_form(const std::filesystem::path& path) {
  return of_file(path, [](const auto& name, std::uint64_t size, const auto& copy) {
    Header header = header_of(name, size, copy).first;
    return NpyForm{header.type, std::move(header.shape)};
  });
}

void write_npy(const std::filesystem::path& path, const std::vector<std::int64_t>& shape, const NpyValues& values) {
  std::visit(program::Overloaded{
                 [&](std::span<const double> reals) { write_elements(path, shape, reals, "<f8"); },
                 [&](std::span<const float> reals) { write_elements(path, shape, reals, "<f4"); },
                 [&](std::span<const std::uint8_t> bytes) { write_elements(path, shape, bytes, "|u1"); },
                 [&](std::span<const std::int64_t> integers) { write_elements(path, shape, integers, "<i8"); },
                 [&](std::span<const std::string> texts) { write_texts(path, shape, texts); },
             },
             values);
}

}  // namespace tacit::session
