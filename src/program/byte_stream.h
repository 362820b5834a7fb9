#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace tacit::program {

/// Appends little-endian numbers, strings and arrays.
class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> && std::endian::native == std::endian::little);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof value);
  }
  template <class T>
  void array(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    for (const T value : values) number(value);
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads untrusted bytes in order; InputError where they end early or a count exceeds what is left.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// A count of things that take at least `least_bytes` each.
  std::size_t count(std::size_t least_bytes) {
    const auto value = number<std::uint64_t>();
    if (value > bytes_.size() / least_bytes) throw base::InputError("program: a count exceeds the bytes that follow it");
    return static_cast<std::size_t>(value);
  }
  template <class T>
  std::vector<T> array() {
    std::vector<T> values(count(sizeof(T)));
    if (!values.empty()) std::memcpy(values.data(), take(values.size() * sizeof(T)).data(), values.size() * sizeof(T));
    return values;
  }
  std::string text() {
    const auto raw = take(count(1));
    return std::string(raw.begin(), raw.end());
  }
  void expect_end() const {
    if (!bytes_.empty()) throw base::InputError("program: bytes are left over at its end");
  }

 private:
  std::span<const std::uint8_t> take(std::size_t size) {
    if (size > bytes_.size()) throw base::InputError("program: the bytes end early");
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  std::span<const std::uint8_t> bytes_;
};

}  // namespace tacit::program
