#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/byte_stream.h"

/// Converts objects to bytes and back from one list of fields. A function template names every field in order, with its
/// bounds. It writes with a FieldWriter and reads with a FieldReader, which have the same members.
namespace tacit::base {

/// The type of an object with listed fields. The object is constant if it is written.
template <class Fields, class T>
using Of = std::conditional_t<Fields::reads, T, const T>;

/// Writes fields. It ignores bounds and requirements: the reader alone checks them.
struct FieldWriter {
  static constexpr bool reads = false;
  ByteWriter to;

  void format(std::uint32_t expected, const char*) { to.u32(expected); }
  void u32(std::uint32_t value) { to.u32(value); }
  void flag(bool value) { to.u8(value ? 1 : 0); }
  template <class Enum>
  void choice(Enum value, Enum, const char*) {
    to.u8(static_cast<std::uint8_t>(value));
  }
  template <class Integer>
  void integer(Integer value, std::int64_t, std::int64_t, const char*) {
    to.i64(static_cast<std::int64_t>(value));
  }
  template <class... Reals>
  void real(Reals... values) {
    (to.f64(values), ...);
  }
  void text(const std::string& value) { to.text(value); }
  void indices(const std::vector<std::int64_t>& values) { to.indices(values); }
  void reals(const std::vector<double>& values) { to.reals(values); }
  void compact_indices(const std::vector<std::int64_t>& values) { to.compact_indices(values); }
  void compact_indices(const std::vector<std::uint32_t>& values, std::size_t, const char*) {
    to.compact_indices(std::vector<std::int64_t>(values.begin(), values.end()));
  }
  void compact_reals(const std::vector<double>& values) { to.compact_reals(values); }
  template <class Item, class Each>
  void list(const std::vector<Item>& items, std::size_t, Each each) {
    to.u64(items.size());
    for (const Item& item : items) each(item);
  }
  template <class Optional, class Each>
  void optional(const Optional& value, Each each) {
    flag(value.has_value());
    if (value) each(*value);
  }
  template <class Variant, class Each>
  void alternative(const Variant& value, std::size_t first, const char*, Each each) {
    to.u8(static_cast<std::uint8_t>(first + value.index()));
    std::visit(each, value);
  }
  template <class T, class Write, class Read>
  void by(const T& value, Write write, Read) {
    write(to, value);
  }
  void require(bool, const char*) {}
};

/// Reads fields from untrusted bytes. It throws InputError that names the byte. A short input cannot make it allocate
/// much.
struct FieldReader {
  static constexpr bool reads = true;
  static constexpr std::size_t kLongestText = 4096;
  ByteReader from;

  /// Reads the number of the format and its version, and refuses any other number.
  void format(std::uint32_t expected, const char* refusal) { require(from.u32() == expected, refusal); }
  void u32(std::uint32_t& value) { value = from.u32(); }
  void flag(bool& value) { value = from.u8() != 0; }
  /// Reads an enumeration without gaps. Its largest value is `last`.
  template <class Enum>
  void choice(Enum& value, Enum last, const char* refusal) {
    const std::uint8_t number = from.u8();
    require(number <= static_cast<std::uint8_t>(last), refusal);
    value = static_cast<Enum>(number);
  }
  /// Reads an integer of eight bytes in [lowest, highest].
  template <class Integer>
  void integer(Integer& value, std::int64_t lowest, std::int64_t highest, const char* name) {
    value = static_cast<Integer>(from.i64(lowest, highest, name));
  }
  /// Reads finite numbers in the order of the arguments.
  template <class... Reals>
  void real(Reals&... values) {
    ((values = from.f64()), ...);
  }
  void text(std::string& value) { value = from.text(kLongestText); }
  void indices(std::vector<std::int64_t>& values) { values = from.indices(); }
  void reals(std::vector<double>& values) { values = from.reals(); }
  void compact_indices(std::vector<std::int64_t>& values) { values = from.compact_indices(); }
  /// Reads indices below `end`.
  void compact_indices(std::vector<std::uint32_t>& values, std::size_t end, const char* refusal) {
    for (const std::int64_t value : from.compact_indices()) {
      require(value >= 0 && std::cmp_less(value, end), refusal);
      values.push_back(static_cast<std::uint32_t>(value));
    }
  }
  void compact_reals(std::vector<double>& values) { values = from.compact_reals(); }
  /// Reads a list of items. Each item takes at least `item_bytes`. An item joins the list after its fields are read.
  template <class Item, class Each>
  void list(std::vector<Item>& items, std::size_t item_bytes, Each each) {
    for (std::size_t left = from.count(item_bytes); left > 0; --left) {
      Item item{};
      each(item);
      items.push_back(std::move(item));
    }
  }
  template <class Optional, class Each>
  void optional(Optional& value, Each each) {
    if (from.u8() != 0) each(value.emplace());
  }
  /// Reads a variant. The index of its alternative is counted from `first`.
  template <class... Ts, class Each>
  void alternative(std::variant<Ts...>& value, std::size_t first, const char* refusal, Each each) {
    const std::size_t number = from.u8();
    require(number >= first && number < first + sizeof...(Ts), refusal);
    std::size_t place = first;
    ((place++ == number ? each(value.template emplace<Ts>()) : void()), ...);
  }
  /// Writes and reads the value with the given functions.
  template <class T, class Write, class Read>
  void by(T& value, Write, Read read) {
    value = read(from);
  }
  void require(bool holds, const char* refusal) const {
    if (!holds) from.fail(refusal);
  }
};

}  // namespace tacit::base
