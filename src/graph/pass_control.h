#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>

namespace tacit::graph {

/// A pass of `compile` without which a program is right, too, and as a rule slower.
struct OptionalPass {
  const char* name;
  const char* what;  ///< it does, in a sentence
};
/// In the order in which they run.
std::span<const OptionalPass> optional_passes();

/// What whoever studies the compiler asks of it.
struct PassControl {
  std::set<std::string> skipped{};  ///< optional passes that are left out
  /// Is told what each pass made, or decided and rejected, as text, in the order in which they run; empty: nobody asks.
  std::function<void(const std::string& pass, const std::string& text)> explain{};
  std::set<std::string> explained{};  ///< the passes that it is told of; empty: all

  bool runs(const std::string& pass) const { return !skipped.contains(pass); }
  bool explains(const std::string& pass) const { return explain && (explained.empty() || explained.contains(pass)); }
  /// `text` is called where somebody asks: texts of large networks take longer than the passes.
  template <class Text>
  void tell(const char* pass, const Text& text) const {
    if (explains(pass)) explain(pass, text());
  }
  /// Every pass, and nobody asks.
  static const PassControl& all();
};

/// Throws InputError for a skipped pass that is none, with the list of those that are.
void check(const PassControl& passes);

}  // namespace tacit::graph
