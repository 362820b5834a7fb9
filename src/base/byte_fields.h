#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/byte_stream.h"

/// Objects as bytes, both ways from one list of their fields: a function template that names every field in order, with
/// its bounds, writes with a FieldWriter and reads with a FieldReader. The two have the same members.
namespace tacit::base {

/// An object whose fields are listed: constant where it is written.
template <class Fields, class T>
using Of = std::conditional_t<Fields::reads, T, const T>;

/// Bounds and requirements are for the reader: nothing that is written is checked.
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

/// Takes untrusted bytes: throws InputError naming the byte, and allocates nothing that they do not pay for.
struct FieldReader {
  static constexpr bool reads = true;
  static constexpr std::size_t kLongestText = 4096;
  ByteReader from;

  /// The number that names the format and its version: another is refused.
  void format(std::uint32_t expected, const char* refusal) { require(from.u32() == expected, refusal); }
  void u32(std::uint32_t& value) { value = from.u32(); }
  void flag(bool& value) { value = from.u8() != 0; }
  /// An enumeration without gaps, up to `last`.
  template <class Enum>
  void choice(Enum& value, Enum last, const char* refusal) {
    const std::uint8_t number = from.u8();
    require(number <= static_cast<std::uint8_t>(last), refusal);
    value = static_cast<Enum>(number);
  }
  /// Of eight bytes, in [lowest, highest].
  template <class Integer>
  void integer(Integer& value, std::int64_t lowest, std::int64_t highest, const char* name) {
    value = static_cast<Integer>(from.i64(lowest, highest, name));
  }
  /// Finite numbers, one behind the other.
  template <class... Reals>
  void real(Reals&... values) {
    ((values = from.f64()), ...);
  }
  void text(std::string& value) { value = from.text(kLongestText); }
  void indices(std::vector<std::int64_t>& values) { values = from.indices(); }
  void reals(std::vector<double>& values) { values = from.reals(); }
  void compact_indices(std::vector<std::int64_t>& values) { values = from.compact_indices(); }
  /// Each below `end`.
  void compact_indices(std::vector<std::uint32_t>& values, std::size_t end, const char* refusal) {
    for (const std::int64_t value : from.compact_indices()) {
      require(value >= 0 && std::cmp_less(value, end), refusal);
      values.push_back(static_cast<std::uint32_t>(value));
    }
  }
  void compact_reals(std::vector<double>& values) { values = from.compact_reals(); }
  /// Of items that take at least `item_bytes` each. An item joins the list after its fields.
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
  /// A variant, by the place of its alternative counted from `first`.
  template <class... Ts, class Each>
  void alternative(std::variant<Ts...>& value, std::size_t first, const char* refusal, Each each) {
    const std::size_t number = from.u8();
    require(number >= first && number < first + sizeof...(Ts), refusal);
    std::size_t place = first;
    ((place++ == number ? each(value.template emplace<Ts>()) : void()), ...);
  }
  /// By functions for each direction.
  template <class T, class Write, class Read>
  void by(T& value, Write, Read read) {
    value = read(from);
  }
  void require(bool holds, const char* refusal) const {
    if (!holds) from.fail(refusal);
  }
};

}  // namespace tacit::base
