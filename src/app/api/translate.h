#pragma once

#include <tacit/error.h>

#include "base/error.h"

namespace tacit::app::api {

/// Runs `body` and turns the rooms' exceptions into the public ones of the same meaning. Others pass as they are.
template <class Body>
decltype(auto) translate(Body&& body) {
  try {
    return body();
  } catch (const base::InputError& error) {
    throw tacit::InputError(error.what());
  } catch (const base::KeyMismatch& error) {
    throw tacit::KeyMismatch(error.what());
  } catch (const base::InternalError& error) {
    throw tacit::InternalError(error.what());
  } catch (const base::Error& error) {
    throw tacit::Error(error.what());
  }
}

}  // namespace tacit::app::api
