#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tacit::base {

/// Runs `body`, which works on one part of something. The message of an InputError from it begins with `where`.
template <class Body>
decltype(auto) naming(const std::string& where, Body&& body) {
  try {
    return body();
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
}

/// The same, except for messages that begin with `named`: they name the part already.
template <class Body>
decltype(auto) naming_once(std::string_view named, const std::string& where, Body&& body) {
  try {
    return body();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).starts_with(named)) throw;
    throw InputError(where + ": " + error.what());
  }
}

}  // namespace tacit::base
