#pragma once

#include <string>
#include <string_view>

namespace tacit::app {

/// A message as one printable line: runs of white space and control characters, which may come from the names inside
/// untrusted files, become one space; very long messages are cut.
std::string one_line(std::string_view message);

}  // namespace tacit::app
