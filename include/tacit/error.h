#pragma once

#include <stdexcept>

/// Marks the symbols that the library exports. All others are hidden.
#define TACIT_API __attribute__((visibility("default")))

namespace tacit {

/// Root of every exception that Tacit throws on purpose. The derived type says who can correct the mistake. `what()` is
/// one sentence.
class TACIT_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument of the caller is wrong. The message names the thing, the bound that it broke and the way out.
class TACIT_API InputError : public Error {
 public:
  using Error::Error;
};

/// A key, ciphertext or artefact belongs to another parameter set or another model.
class TACIT_API KeyMismatch : public Error {
 public:
  using Error::Error;
};

/// A fault of the library: an invariant does not hold.
class TACIT_API InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace tacit
