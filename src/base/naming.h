#pragma once

#include <string>

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

}  // namespace tacit::base
