#include "base/byte_stream.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"

namespace tacit::base {

void ByteWriter::integer(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i) & 0xFF));
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::text(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size()));
  for (const char c : value) u8(static_cast<std::uint8_t>(c));
}

void ByteWriter::indices(std::span<const std::int64_t> values) {
  u64(values.size());
  for (const std::int64_t value : values) i64(value);
}

void ByteWriter::reals(std::span<const double> values) {
  u64(values.size());
  for (const double value : values) f64(value);
}

void ByteReader::fail(const std::string& why) const {
  throw InputError(fmt::format("{}: {} (byte {} of {})", what_, why, at_, bytes_.size()));
}

std::span<const std::uint8_t> ByteReader::take(std::size_t count) {
  if (count > left()) fail(fmt::format("truncated, {} more bytes expected", count - left()));
  const auto result = bytes_.subspan(at_, count);
  at_ += count;
  return result;
}

std::uint64_t ByteReader::integer(std::size_t bytes) {
  const auto in = take(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{in[i]} << (8 * i);
  return value;
}

std::int64_t ByteReader::i64(std::int64_t lowest, std::int64_t highest, const char* name) {
  const std::int64_t value = i64();
  if (value < lowest || value > highest) fail(fmt::format("{} is {}, outside {} to {}", name, value, lowest, highest));
  return value;
}

double ByteReader::f64() {
  const double value = std::bit_cast<double>(u64());
  if (!std::isfinite(value)) fail("a number is not finite");
  return value;
}

std::size_t ByteReader::count(std::size_t item_bytes) {
  const std::uint64_t value = u64();
  if (value > left() / item_bytes) fail(fmt::format("{} items are announced, more than follow", value));
  return static_cast<std::size_t>(value);
}

std::string ByteReader::text(std::size_t longest) {
  const std::uint32_t size = u32();
  if (size > longest || size > left()) fail(fmt::format("a text of {} bytes does not fit", size));
  const auto in = take(size);
  return {reinterpret_cast<const char*>(in.data()), in.size()};
}

std::vector<std::int64_t> ByteReader::indices() {
  std::vector<std::int64_t> values(count(sizeof(std::int64_t)));
  for (std::int64_t& value : values) value = i64();
  return values;
}

std::vector<double> ByteReader::reals() {
  std::vector<double> values(count(sizeof(double)));
  for (double& value : values) value = f64();
  return values;
}

void ByteReader::expect_end() const {
  if (left() != 0) fail(fmt::format("{} bytes too many", left()));
}

}  // namespace tacit::base
