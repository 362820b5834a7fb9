#pragma once

#include <tacit/client_c.h>

#include <exception>
#include <new>

#include "base/error.h"
#include "base/progress.h"
#include "runtime/source.h"

/// The begin and the end of every function of the C interface.
namespace tacit::app::client {

/// A function of the caller failed.
class Stopped final : public base::Error {
 public:
  using base::Error::Error;
};

/// Keeps the sentence of this thread, and returns the status.
TacitStatus failed(TacitStatus status, const char* sentence) noexcept;

/// Runs `body`, and turns exceptions into a status and a sentence.
template <class Body>
TacitStatus guarded(const Body& body) noexcept {
  try {
    failed(TACIT_OK, "");
    body();
    return TACIT_OK;
  } catch (const base::InputError& error) {
    return failed(TACIT_REFUSED, error.what());
  } catch (const base::KeyMismatch& error) {
    return failed(TACIT_KEY_MISMATCH, error.what());
  } catch (const Cancelled& error) {
    return failed(TACIT_CANCELLED, error.what());
  } catch (const Stopped& error) {
    return failed(TACIT_STOPPED, error.what());
  } catch (const std::bad_alloc&) {
    return failed(TACIT_NO_MEMORY, "there is not enough memory; free some, or take a smaller model");
  } catch (const std::exception& error) {
    return failed(TACIT_FAULT, error.what());
  } catch (...) {
    return failed(TACIT_FAULT, "an unknown error; please report it");
  }
}

/// Refuses a null pointer. `what` names the thing.
inline void require(bool given, const char* what) {
  if (!given) base::refuse("{}: a null pointer was given; give an object or bytes", what);
}

/// Bytes of the caller, which stay as they are during the call.
inline runtime::Source source_of(TacitBytes bytes, const char* name) {
  require(bytes.data != nullptr || bytes.size == 0, name);
  return runtime::Source::memory(std::as_bytes(std::span(bytes.data, bytes.size)), name);
}

}  // namespace tacit::app::client
