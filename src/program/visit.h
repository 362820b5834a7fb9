#pragma once

namespace tacit::program {

/// Function objects joined into one, for std::visit: the alternative decides which is called.
template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace tacit::program
