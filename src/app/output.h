#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tacit::app {

/// The output of commands. Names of models, nodes, tensors and classes come from files of other people. The functions
/// here keep control characters in them away from the terminal.

/// Prints text for people on standard output, with all of its lines. The caller has reduced every name to one line
/// (session::printable, session::Table).
void print_lines(std::string_view text);
template <class... Args>
void print_text(fmt::format_string<Args...> format, Args&&... args) {
  print_lines(fmt::format(format, std::forward<Args>(args)...));
}
/// Prints JSON on standard output, in ASCII. Other characters are escaped, and bytes that are no text become U+FFFD.
void print_json(const nlohmann::ordered_json& json);
/// Prints `report` if `json`, and `text` otherwise.
void print_report(bool json, const nlohmann::ordered_json& report, std::string_view text);
/// Prints "tacit: " and a sentence on standard error, as one line.
void print_sentence(std::string_view sentence);

}  // namespace tacit::app
