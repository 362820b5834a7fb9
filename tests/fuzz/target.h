#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

/// What a fuzz target is: each target's source defines the four functions below, and driver.cpp or libfuzzer.cpp makes
/// a program of it.
namespace tacit::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// The folder of the target's past crashes below corpus/.
std::string_view target_name();
/// Valid inputs, made by the writers of the product. Each is accepted.
std::vector<Bytes> seeds();
/// One change of `from`, which may take from `other`. It knows the format as far as chance alone would stop at the
/// door.
Bytes mutate(const Bytes& from, const Bytes& other, Random& random);
/// Reads the bytes as the product would. InputError and KeyMismatch say that they are refused; no other
/// exception may leave. What is accepted is held to what acceptance promises by `require`.
void check(std::span<const std::uint8_t> bytes);

/// Ends the process, as a crash does, where something that is promised does not hold.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tacit::fuzz
