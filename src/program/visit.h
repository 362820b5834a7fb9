#pragma once

#include <variant>

namespace tacit::program {

/// Joins function objects into one, for std::visit: the alternative decides which one is called.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

/// Returns true if a variant holds one of some alternatives.
template <class... Alternatives, class Variant>
bool holds_any(const Variant& variant) {
  return (std::holds_alternative<Alternatives>(variant) || ...);
}

}  // namespace tacit::program
