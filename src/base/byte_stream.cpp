#include "base/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

enum class IndexForm : std::uint8_t { wide = 0, narrow = 1, runs = 2 };
constexpr std::size_t kRunBytes = 20;

/// values[first + k] = values[first] + k * step modulo 2^64, for k < length.
struct Run {
  std::int64_t first = 0, step = 0;
  std::uint32_t length = 0;
};

/// The difference modulo 2^64, so that the two ends of the range have one.
std::int64_t step_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

std::vector<Run> runs_of(std::span<const std::int64_t> values) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < values.size();) {
    Run run{values[i], 0, 1};
    if (i + 1 < values.size()) run.step = step_between(values[i], values[i + 1]);
    while (i + run.length < values.size() && run.length < UINT32_MAX &&
           step_between(values[i + run.length - 1], values[i + run.length]) == run.step)
      ++run.length;
    i += run.length;
    runs.push_back(run);
  }
  return runs;
}

bool is_narrow(std::int64_t value) { return value >= 0 && value <= INT64_C(0xFFFFFFFF); }

}  // namespace

void ByteWriter::compact_indices(std::span<const std::int64_t> values) {
  const std::vector<Run> runs = runs_of(values);
  const std::size_t narrow = std::all_of(values.begin(), values.end(), is_narrow) ? 4 : 8;
  if (runs.size() * kRunBytes < values.size() * narrow) {
    u8(static_cast<std::uint8_t>(IndexForm::runs));
    u64(runs.size());
    for (const Run& run : runs) {
      i64(run.first);
      i64(run.step);
      u32(run.length);
    }
    return;
  }
  u8(static_cast<std::uint8_t>(narrow == 4 ? IndexForm::narrow : IndexForm::wide));
  u64(values.size());
  for (const std::int64_t value : values) integer(static_cast<std::uint64_t>(value), static_cast<int>(narrow));
}

void ByteWriter::compact_reals(std::span<const double> values) {
  const bool single = std::all_of(values.begin(), values.end(), [](double value) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(value))) ==
           std::bit_cast<std::uint64_t>(value);
  });
  u8(single ? 4 : 8);
  u64(values.size());
  for (const double value : values) {
    if (single)
      u32(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    else
      f64(value);
  }
}

std::vector<std::int64_t> ByteReader::compact_indices() {
  const auto form = static_cast<IndexForm>(u8());
  if (form == IndexForm::wide) return indices();
  std::vector<std::int64_t> values;
  if (form == IndexForm::narrow) {
    values.resize(count(sizeof(std::uint32_t)));
    for (std::int64_t& value : values) value = u32();
    return values;
  }
  if (form != IndexForm::runs) fail("a list of indices has an unknown form");
  const std::size_t runs = count(kRunBytes);
  for (std::size_t r = 0; r < runs; ++r) {
    const auto first = u64(), step = u64();
    const std::uint32_t length = u32();
    expanded_ += std::uint64_t{length} * sizeof(std::int64_t);
    if (expanded_ > kMostExpansion * bytes_.size() + kFreeExpansion)
      fail("its lists of indices are longer than an input of this size may hold");
    for (std::uint64_t k = 0; k < length; ++k) values.push_back(static_cast<std::int64_t>(first + k * step));
  }
  return values;
}

std::vector<double> ByteReader::compact_reals() {
  const std::uint8_t bytes = u8();
  if (bytes == 8) return reals();
  if (bytes != 4) fail("a list of numbers has an unknown form");
  std::vector<double> values(count(sizeof(float)));
  for (double& value : values) {
    value = static_cast<double>(std::bit_cast<float>(u32()));
    if (!std::isfinite(value)) fail("a number is not finite");
  }
  return values;
}

void ByteReader::fail(const std::string& why) const {
  base::refuse("{}: {} (byte {} of {})", what_, why, at_, bytes_.size());
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
