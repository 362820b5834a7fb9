#include "app/output.h"

#include <cstdio>

#include "session/sentence.h"

namespace tacit::app {

void print_lines(std::string_view text) { fmt::print("{}", session::printable_lines(text)); }

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
}

void print_report(bool json, const nlohmann::ordered_json& report, std::string_view text) {
  if (json)
    print_json(report);
  else
    print_lines(text);
}

void print_sentence(std::string_view sentence) { fmt::print(stderr, "tacit: {}\n", session::printable(sentence)); }

}  // namespace tacit::app
