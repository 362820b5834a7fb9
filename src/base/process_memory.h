#pragma once

#include <cstdint>
#include <exception>
#include <optional>

namespace tacit::base {

/// The largest resident set of this process so far, in bytes.
std::uint64_t peak_resident_bytes();
/// Lets peak_resident_bytes count from now on. Where the system does not allow it, nothing changes.
void restart_peak_resident_bytes();
/// Gives memory that is kept for reuse back to the system, as far as it can be.
void release_kept_memory();
/// The same for large blocks alone, where a request of another kind failed. Whether any were kept. Allocates nothing.
/// Thread safe; a handler of `operator new` may call it.
bool give_up_kept_memory() noexcept;
/// The resident set now, in bytes.
std::uint64_t resident_bytes();
/// What a limit of the system on this process's data leaves now, in bytes, the gaps in its heaps counted as used; none
/// where there is no limit.
std::optional<std::uint64_t> bytes_below_data_limit();
/// True if memory was short: std::bad_alloc, or a thread that could not be made, whose stack counts too.
bool is_want_of_memory(const std::exception& error) noexcept;

}  // namespace tacit::base
