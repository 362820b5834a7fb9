#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/error.h"

namespace tacit::base {

/// The reason why a candidate of a search does not fit. It is a value, so that searches compare candidates without
/// exceptions. A refusal to the user is thrown once, by the caller of the search.
struct Infeasible {
  /// The resource of which a candidate needs too much.
  enum class Lack { levels, memory, noise, other };

  std::string what;       ///< the need: "the network needs 60 levels"
  std::string bound{};    ///< what there is: "parameter set S8 has 8"
  std::string way_out{};  ///< advice: "use fewer layers"
  Lack lack = Lack::other;

  /// Returns the need and the bound, without the way out: "WHAT, and BOUND".
  std::string reason() const { return bound.empty() ? what : what + ", and " + bound; }
  /// Returns the whole sentence for people: "WHAT, and BOUND: WAY OUT".
  std::string sentence() const { return way_out.empty() ? reason() : reason() + ": " + way_out; }
  /// Throws InputError with the sentence.
  [[noreturn]] void refuse() const { throw InputError(sentence()); }
};

/// Returns a problem whose need is a sentence that is made as by fmt::format.
template <class... Args>
Infeasible infeasible(fmt::format_string<Args...> sentence, Args&&... args) {
  return {fmt::format(sentence, std::forward<Args>(args)...)};
}

/// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Feasible {
 public:
  Feasible(T value) : held_(std::move(value)) {}
  Feasible(Infeasible problem) : held_(std::move(problem)) {}

  bool fits() const { return std::holds_alternative<T>(held_); }
  explicit operator bool() const { return fits(); }
  const T& operator*() const& { return std::get<T>(held_); }
  T& operator*() & { return std::get<T>(held_); }
  T&& operator*() && { return std::get<T>(std::move(held_)); }
  const T* operator->() const { return &std::get<T>(held_); }
  T* operator->() { return &std::get<T>(held_); }
  const Infeasible& problem() const { return std::get<Infeasible>(held_); }
  /// Returns the value. Throws InputError with the sentence of the problem if there is none.
  T or_refuse() && {
    if (!fits()) problem().refuse();
    return std::get<T>(std::move(held_));
  }
  /// Returns the value, or nothing.
  std::optional<T> optional() && { return fits() ? std::optional<T>(std::get<T>(std::move(held_))) : std::nullopt; }

 private:
  std::variant<T, Infeasible> held_;
};

}  // namespace tacit::base
