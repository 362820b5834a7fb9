#pragma once

namespace tacit::base {

/// Returns the lower-case form of an ASCII letter, and any other character as it is, whatever the locale.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace tacit::base
