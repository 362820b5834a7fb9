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

/// In the order of the alternatives of `Attribute`.
enum class AttributeType : std::uint8_t { integer, real, text, integers, reals, texts, tensor };

/// An attribute of an operator, in the form that the importer brings every opset to.
struct AttributeDeclaration {
  std::string_view name;
  AttributeType type{};
  /// Where the node does not state it. None: absent lists are empty, and the operator says what other absent ones mean.
  std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const std::int64_t>> fallback{};
  bool required = false;
  /// Bounds of integers, alone or in a list.
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  std::string_view choices{};  ///< of a text: "none, tanh"; empty for any
};

/// Extents, strides and the like stay below, so that products of two fit 64 bits.
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
/// A number for every axis of a window.
constexpr AttributeDeclaration extents(std::string_view name, std::int64_t lowest = 1, bool required = false) {
  return {name, AttributeType::integers, {}, required, lowest, kLargestExtent};
}

/// Lists of attributes in one.
template <std::size_t... Sizes>
constexpr auto joined(const AttributeDeclaration (&... parts)[Sizes]) {
  std::array<AttributeDeclaration, (Sizes + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(std::begin(parts), std::end(parts), at)), ...);
  return all;
}

/// What an operator is, whichever scheme runs it.
enum class Class : std::uint8_t {
  function,     ///< of each element alone
  step,         ///< such a function with jumps, of whole results
  extreme,      ///< Max and Min: with one encrypted operand a function
  piece,        ///< comparisons, logic and choices of single elements, which functions with pieces are made of
  arithmetic,   ///< element-wise, affine in every encrypted operand
  product,      ///< products of encrypted values
  movement,     ///< results hold elements of the operands
  cast,         ///< of element types
  linear,       ///< mixes elements with constant weights
  maxima,       ///< written out as extremes of pairs
  written_out,  ///< as other operators, by a pass
  trees,        ///< scores of decision trees
  client,       ///< has no encrypted form
};

/// Further properties, as bits.
using Traits = std::uint8_t;
inline constexpr Traits kRowWise = 1;     ///< treats every index of the first axis alone where a batch lies there
inline constexpr Traits kAlongAxis = 2;   ///< computes along its attribute `axis`, other axes alone
inline constexpr Traits kFromAxis = 4;    ///< computes along the axes from `axis` on
inline constexpr Traits kKeepsOrder = 8;  ///< a movement that keeps the order of elements
inline constexpr Traits kLayer = 16;      ///< its constants are weights, which a model's owner keeps
inline constexpr Traits kByChannel = 32;  ///< its constants belong to channels, whatever else is element-wise
/// The onnx library infers no shape, or not always the right one: the reference runs once on zeros.
inline constexpr Traits kByRunning = 64;
inline constexpr Traits kLookup = 128;  ///< picks from a table, which may be weights

inline constexpr std::span<const AttributeDeclaration> kNoAttributes{};

/// All that the house knows of an operator. Import, reference run, passes, quantisation and documentation read it here.
struct Declaration {
  std::string_view name;  ///< as in Node::op; the domain is what stands before the last dot
  std::vector<Tensor> (*run)(const reference::Call&);
  int since;  ///< first version of its operator set; 0 for operators of Tacit's own, which passes make
  /// Inputs by name: `?` may be absent, `*` one or more, `~` may hold texts. Behind `->` the outputs, if not one `y`.
  std::string_view signature;
  Class is;
  std::span<const AttributeDeclaration> attributes{};
  Traits traits = 0;
  /// For people: what is supported on slots and on integers, where the class does not say it.
  std::string_view slots{}, integers{};

  bool has(Traits asked) const { return (traits & asked) != 0; }
};

struct Operand {
  std::string_view name;
  bool optional, repeated, texts;
};

/// A declaration with its signature taken apart.
struct Operator : Declaration {
  std::vector<Operand> inputs{}, outputs{};

  /// Null where there is none.
  const AttributeDeclaration* attribute(std::string_view wanted) const;
  /// Where the input of this name stands.
  std::optional<std::size_t> place(std::string_view input) const;
  /// The input at a position, which may repeat the last one; null where there is none.
  const Operand* input(std::size_t index) const;
  /// True if the last input stands for several.
  bool joins() const { return !inputs.empty() && inputs.back().repeated; }
  /// True if every row of a batch is treated alone, where operands and results have the batch in front.
  bool keeps_rows_apart() const;
};

/// The place of a text in a list of choices; none where it is not there.
std::optional<std::size_t> choice_of(std::string_view choices, std::string_view text);

/// Null for an operator that is not known. Constant time; safe to call from several threads.
const Operator* find_operator(std::string_view op);
/// All operators, by name.
std::vector<const Operator*> all_operators();

/// True where the operator is known, and is of the class, or has one of the traits.
bool is(std::string_view op, Class asked);
bool has_trait(std::string_view op, Traits asked);

/// Refuses attributes that the operator does not have, of another type, or out of their bounds, and inputs that are
/// missing or too many (`given[i]`: input i is there), naming what it takes.
void check_declared(const Node& node, const Operator& op, const std::vector<bool>& given);
/// The same of a node of a graph, and refuses too many outputs. An operator that is not known passes.
void check_declared(const Node& node);

/// For people: what of an operator is supported on slots, and what it is on integers.
std::string_view slots_form(const Declaration& op);
std::string_view integers_form(const Declaration& op);
/// What it is where the schemes do not differ.
inline constexpr std::string_view kAsOnSlots = "as on slots";
/// "X, W and optionally B".
std::string to_text(const std::vector<Operand>& operands);

}  // namespace tacit::graph
