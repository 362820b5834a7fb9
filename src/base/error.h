#pragma once

#include <tacit/error.h>

namespace tacit::base {

// The rooms throw what the library's users catch.
using tacit::Error;
using tacit::InputError;
using tacit::InternalError;
using tacit::KeyMismatch;

[[noreturn]] void contract_failed(const char* expression, const char* file, int line);

}  // namespace tacit::base

/// A contract inside the library: aborts in debug builds, absent from release builds.
#ifdef NDEBUG
#define TACIT_ASSERT(expression) static_cast<void>(0)
#else
#define TACIT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::tacit::base::contract_failed(#expression, __FILE__, __LINE__))
#endif
