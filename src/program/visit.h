#pragma once

#include <variant>

namespace tacit::program {

/// Function objects joined into one, for std::visit: the alternative decides which is called.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

/// True if a variant holds one of some alternatives.
template <class... Alternatives, class Variant>
bool holds_any(const Variant& variant) {
  return (std::holds_alternative<Alternatives>(variant) || ...);
}

}  // namespace tacit::program
