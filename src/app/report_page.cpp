#include "app/report_page.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "base/embedded_file.h"
#include "base/error.h"

namespace tacit::app {

// Files that the page carries.
namespace report {
TACIT_EMBED(library, TACIT_CHART_JS);
TACIT_EMBED(script, TACIT_REPORT_FOLDER "/page.js");
TACIT_EMBED(style, TACIT_REPORT_FOLDER "/page.css");
}  // namespace report

namespace {

std::string replaced(std::string_view text, char what, std::string_view by) {
  std::string result;
  for (const char c : text) c == what ? result += by : result += c;
  return result;
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& data) {
  // JSON that cannot end the element that holds it: '<' occurs only inside strings.
  const std::string json =
      replaced(data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), '<', "\\u003c");
  const std::string title = replaced(replaced(data.at("title").get<std::string>(), '&', "&amp;"), '<', "&lt;");
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<script type=\"application/json\" "
      "id=\"data\">{}</script>\n<script>{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
      title, report::style(), json, report::library(), report::script());
}

void write_report(const std::filesystem::path& path, const nlohmann::ordered_json& data) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << report_page(data);
  file.close();
  if (!file) base::refuse("the report '{}' cannot be written", path.string());
}

}  // namespace tacit::app
