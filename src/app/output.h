#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tacit::app {

/// What commands say. Names of models, nodes, tensors and classes come from files that somebody else wrote: here
/// nothing of them reaches a terminal that it would obey.

/// Text for people on standard output, of as many lines as it has. Whoever makes it has made a line of every name
/// (session::printable, session::Table).
void print_lines(std::string_view text);
template <class... Args>
void print_text(fmt::format_string<Args...> format, Args&&... args) {
  print_lines(fmt::format(format, std::forward<Args>(args)...));
}
/// JSON on standard output, in ASCII: other characters are escaped, and bytes that are no text become U+FFFD.
void print_json(const nlohmann::ordered_json& json);
/// One or the other.
void print_report(bool json, const nlohmann::ordered_json& report, std::string_view text);
/// "tacit: " and a sentence on standard error, as one line.
void print_sentence(std::string_view sentence);

}  // namespace tacit::app
