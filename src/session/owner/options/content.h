#pragma once

#include <cstdint>
#include <string>

namespace tacit::session {

/// An option may hold the content of a file in place of its name, so that programs need no file. Content is JSON, and
/// begins with '{'.

/// True if the option holds content.
bool is_json(const std::string& given);
/// Returns the content, of the option or of the file that it names. Throws InputError naming the file as read_bounded
/// does.
std::string content_of(const std::string& given, std::uintmax_t most);
/// Returns what begins errors about the content: the name of the file, or "the JSON in the options".
std::string content_name(const std::string& given);

}  // namespace tacit::session
