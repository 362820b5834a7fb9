#pragma once

#include <functional>
#include <set>
#include <string>

namespace tacit::graph {

/// The control of passes for people who study the compiler.
struct PassControl {
  std::set<std::string> skipped{};  ///< optional passes that do not run (pipeline.h)
  /// Receives the results and decisions of each pass as text, in the order in which passes run. Empty: no receiver.
  std::function<void(const std::string& pass, const std::string& text)> explain{};
  std::set<std::string> explained{};  ///< names of the passes whose results `explain` receives; empty: all

  bool runs(const std::string& pass) const { return !skipped.contains(pass); }
  bool explains(const std::string& pass) const { return explain && (explained.empty() || explained.contains(pass)); }
  /// Calls `text` only if there is a receiver, because texts of large networks take longer than the passes.
  template <class Text>
  void tell(const char* pass, const Text& text) const {
    if (explains(pass)) explain(pass, text());
  }
  /// Runs every pass, without a receiver.
  static const PassControl& all();
};

}  // namespace tacit::graph
