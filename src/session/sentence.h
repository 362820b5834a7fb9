#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::session {

/// Returns a message as one printable line. Names in untrusted files may hold control characters, and characters that
/// turn or hide text. Runs of these and of white space become one space. Very long messages are cut.
std::string one_line(std::string_view message);

/// Returns a name from outside as one line of UTF-8. Bytes that are no UTF-8 become question marks.
std::string printable(std::string_view name);

/// Returns a text of many lines for a terminal. The same characters become spaces, but line ends stay. The caller has
/// reduced every name to one line.
std::string printable_lines(std::string_view text);

/// Returns "1 input" or "2 inputs".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tacit::session
