#pragma once

#include <stdexcept>
#include <string>

namespace tacit::base {

/// Root of every exception that Tacit throws on purpose. The derived type says who can mend it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the caller gave is wrong. The message names the thing, the bound it broke and the way out.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A key, ciphertext or artefact belongs to another parameter set or another model.
class KeyMismatch : public Error {
 public:
  using Error::Error;
};

/// Our fault: an invariant of the library does not hold.
class InternalError : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void contract_failed(const char* expression, const char* file, int line);

}  // namespace tacit::base

/// A contract inside the library: aborts in debug builds, absent from release builds.
#ifdef NDEBUG
#define TACIT_ASSERT(expression) static_cast<void>(0)
#else
#define TACIT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::tacit::base::contract_failed(#expression, __FILE__, __LINE__))
#endif
