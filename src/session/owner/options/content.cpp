#include "session/owner/options/content.h"

#include "base/error.h"
#include "session/bounded_file.h"

namespace tacit::session {

bool is_json(const std::string& given) {
  const std::size_t first = given.find_first_not_of(" \t\r\n");
  return first != std::string::npos && given[first] == '{';
}

std::string content_of(const std::string& given, std::uintmax_t most) {
  if (!is_json(given)) return read_bounded(given, most);
  if (given.size() > most) base::refuse("the JSON in the options has {} bytes, more than {}", given.size(), most);
  return given;
}

std::string content_name(const std::string& given) { return is_json(given) ? "the JSON in the options" : given; }

}  // namespace tacit::session
