#pragma once

#include <cstdint>
#include <exception>
#include <optional>

namespace tacit::base {

/// Returns the largest resident set of this process so far, in bytes.
std::uint64_t peak_resident_bytes();
/// Makes peak_resident_bytes count from this moment. If the system does not allow it, nothing changes.
void restart_peak_resident_bytes();
/// Returns memory that is kept for reuse to the system, as far as possible.
void release_kept_memory();
/// Returns the large kept blocks alone to the system, after another request has failed. The result is true if there
/// were any. Allocates nothing. Thread safe; a handler of `operator new` may call it.
bool give_up_kept_memory() noexcept;
/// Returns the current resident set, in bytes.
std::uint64_t resident_bytes();
/// Returns the bytes that the system's limit on this process's data leaves. Gaps in its heaps count as used. The result
/// is empty without a limit.
std::optional<std::uint64_t> bytes_below_data_limit();
/// Returns true for std::bad_alloc and for a thread that could not be made, because its stack needs memory too.
bool is_want_of_memory(const std::exception& error) noexcept;

}  // namespace tacit::base
