#pragma once

#include <stdexcept>

/// Marks what the library exports; everything else in it is hidden.
#define TACIT_API __attribute__((visibility("default")))

namespace tacit {

/// Root of every exception that Tacit throws on purpose. The derived type says who can mend it. `what()` is one
/// sentence.
class TACIT_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the caller gave is wrong: the message names the thing, the bound it broke and the way out.
class TACIT_API InputError : public Error {
 public:
  using Error::Error;
};

/// A key, ciphertext or artefact belongs to another parameter set or another model.
class TACIT_API KeyMismatch : public Error {
 public:
  using Error::Error;
};

/// The library's own fault: an invariant does not hold.
class TACIT_API InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace tacit
