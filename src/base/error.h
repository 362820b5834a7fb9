#pragma once

#include <fmt/core.h>
#include <tacit/error.h>

#include <utility>

namespace tacit::base {

// The rooms throw the types that the library's users catch.
using tacit::Error;
using tacit::InputError;
using tacit::InternalError;
using tacit::KeyMismatch;

/// Throws InputError with a sentence that is made as by fmt::format.
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> sentence, Args&&... args) {
  throw InputError(fmt::format(sentence, std::forward<Args>(args)...));
}

[[noreturn]] void contract_failed(const char* expression, const char* file, int line);

}  // namespace tacit::base

/// Checks a contract inside the library. A violation aborts debug builds; release builds do not check.
#ifdef NDEBUG
#define TACIT_ASSERT(expression) static_cast<void>(0)
#else
#define TACIT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::tacit::base::contract_failed(#expression, __FILE__, __LINE__))
#endif
