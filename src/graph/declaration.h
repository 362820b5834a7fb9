#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

namespace reference {
struct Call;
}

/// The type of an attribute, in the order of the alternatives of `Attribute`.
enum class AttributeType : std::uint8_t { integer, real, text, integers, reals, texts, tensor };

/// An attribute of an operator, in the one form to which the importer brings every opset.
struct AttributeDeclaration {
  std::string_view name;
  AttributeType type{};
  /// The value if the node does not state one. None: absent lists are empty, and the operator defines other absent
  /// values.
  std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const std::int64_t>> fallback{};
  bool required = false;
  /// The bounds of an integer, or of every integer of a list.
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  std::string_view choices{};  ///< allowed texts: "none, tanh"; empty for any
};

/// The bound of extents, strides and the like. Products of two of them fit 64 bits.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;

constexpr AttributeDeclaration flag(std::string_view name, bool fallback = false) {
  return {name, AttributeType::integer, std::int64_t{fallback}, false, 0, 1};
}
constexpr AttributeDeclaration integer(std::string_view name, std::int64_t fallback) {
  return {name, AttributeType::integer, fallback};
}
constexpr AttributeDeclaration integer(std::string_view name, std::int64_t fallback, std::int64_t lowest,
                                       std::int64_t highest) {
  return {name, AttributeType::integer, fallback, false, lowest, highest};
}
constexpr AttributeDeclaration required_integer(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  return {name, AttributeType::integer, {}, true, lowest, highest};
}
constexpr AttributeDeclaration real(std::string_view name, double fallback) {
  return {name, AttributeType::real, fallback};
}
constexpr AttributeDeclaration text(std::string_view name, std::string_view fallback, std::string_view choices = {}) {
  return {.name = name, .type = AttributeType::text, .fallback = fallback, .choices = choices};
}
constexpr AttributeDeclaration integers(std::string_view name) { return {name, AttributeType::integers}; }
constexpr AttributeDeclaration reals(std::string_view name) { return {name, AttributeType::reals}; }
constexpr AttributeDeclaration texts(std::string_view name) { return {name, AttributeType::texts}; }
constexpr AttributeDeclaration tensor(std::string_view name) { return {name, AttributeType::tensor}; }
/// Declares a list with one number per axis of a window.
constexpr AttributeDeclaration extents(std::string_view name, std::int64_t lowest = 1, bool required = false) {
  return {name, AttributeType::integers, {}, required, lowest, kLargestExtent};
}

/// Joins lists of attributes.
template <std::size_t... Sizes>
constexpr auto joined(const AttributeDeclaration (&... parts)[Sizes]) {
  std::array<AttributeDeclaration, (Sizes + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(std::begin(parts), std::end(parts), at)), ...);
  return all;
}

/// The kind of an operator, for all schemes.
enum class Class : std::uint8_t {
  function,     ///< function of each element alone
  step,         ///< such a function with jumps and whole results
  extreme,      ///< Max and Min: a function if there is one encrypted operand
  piece,        ///< comparisons, logic and choices of single elements, the parts of piecewise functions
  arithmetic,   ///< element-wise, affine in every encrypted operand
  product,      ///< products of encrypted values
  movement,     ///< results hold elements of the operands
  cast,         ///< conversion of element types
  linear,       ///< mixes elements with constant weights
  maxima,       ///< written out as extremes of pairs
  written_out,  ///< replaced by other operators, by a pass
  trees,        ///< scores of decision trees
  client,       ///< has no encrypted form
};

/// Further properties of an operator, as bits.
using Traits = std::uint8_t;
inline constexpr Traits kRowWise = 1;     ///< treats every index of the first axis alone if the batch is there
inline constexpr Traits kAlongAxis = 2;   ///< computes along its attribute `axis`, other axes alone
inline constexpr Traits kFromAxis = 4;    ///< computes along the axes from `axis` on
inline constexpr Traits kKeepsOrder = 8;  ///< a movement that keeps the order of elements
inline constexpr Traits kLayer = 16;      ///< its constants are weights, which a model's owner keeps
inline constexpr Traits kByChannel = 32;  ///< its constants belong to channels, even if it is element-wise otherwise
/// The onnx library infers no shape, or not always the right one. The reference runs once on zeros instead.
inline constexpr Traits kByRunning = 64;
inline constexpr Traits kLookup = 128;  ///< picks from a table, which may be weights

inline constexpr std::span<const AttributeDeclaration> kNoAttributes{};

/// The declaration of an operator. Import, reference run, passes, quantisation and documentation read it.
struct Declaration {
  std::string_view name;  ///< as in Node::op; the domain is the part before the last dot
  std::vector<Tensor> (*run)(const reference::Call&);
  int since;  ///< first version of its operator set; 0 for operators of Tacit, which passes make
  /// The inputs by name: `?` may be absent, `*` one or more, `~` may hold texts. The outputs follow `->`, if not one
  /// `y`.
  std::string_view signature;
  Class is;
  std::span<const AttributeDeclaration> attributes{};
  Traits traits = 0;
  /// The supported forms on slots and on integers, for people, if the class does not say it.
  std::string_view slots{}, integers{};

  bool has(Traits asked) const { return (traits & asked) != 0; }
};

struct Operand {
  std::string_view name;
  bool optional, repeated, texts;
};

/// A declaration with a parsed signature.
struct Operator : Declaration {
  std::vector<Operand> inputs{}, outputs{};

  /// Returns the attribute of this name, or null.
  const AttributeDeclaration* attribute(std::string_view wanted) const;
  /// Returns the position of the input of this name.
  std::optional<std::size_t> place(std::string_view input) const;
  /// Returns the input at a position, or null. The last input may be repeated.
  const Operand* input(std::size_t index) const;
  /// True if the last input may be repeated.
  bool joins() const { return !inputs.empty() && inputs.back().repeated; }
  /// True if every row of a batch is treated alone, provided that operands and results have the batch as first axis.
  bool keeps_rows_apart() const;
};

/// Returns the position of a text in a list of choices, or none.
std::optional<std::size_t> choice_of(std::string_view choices, std::string_view text);

/// Returns an operator, or null if it is not known. Constant time; safe to call from several threads.
const Operator* find_operator(std::string_view op);
/// Returns all operators, by name.
std::vector<const Operator*> all_operators();

/// True if the operator is known, and has the class or one of the traits.
bool is(std::string_view op, Class asked);
bool has_trait(std::string_view op, Traits asked);

/// Checks attributes and inputs against the declaration. Refuses attributes that the operator does not have, of another
/// type, or out of bounds. Refuses missing inputs and too many inputs (`given[i]` is true if input i is present). The
/// error names what the operator takes.
void check_declared(const Node& node, const Operator& op, const std::vector<bool>& given);
/// Checks a node of a graph in the same way. Also refuses too many outputs. An operator that is not known passes.
void check_declared(const Node& node);

/// Return the supported form of an operator on slots and on integers, for people.
std::string_view slots_form(const Declaration& op);
std::string_view integers_form(const Declaration& op);
/// The form on integers if both schemes support the same.
inline constexpr std::string_view kAsOnSlots = "as on slots";
/// "X, W and optionally B".
std::string to_text(const std::vector<Operand>& operands);

}  // namespace tacit::graph
