#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::session {

/// A message as one printable line: runs of white space, of control characters and of what turns or hides text, which
/// may come from the names inside untrusted files, become one space; very long messages are cut.
std::string one_line(std::string_view message);

/// A name from outside as one line of UTF-8: bytes that are none become question marks.
std::string printable(std::string_view name);

/// A text of many lines for a terminal: the same characters become spaces, but line ends stay. Whoever makes the text
/// has made a line of every name.
std::string printable_lines(std::string_view text);

/// "1 input", "2 inputs".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tacit::session
