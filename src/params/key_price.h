#pragma once

namespace tacit::params {

/// What a byte of a rotation key counts for where schedules are chosen, in seconds. A key is made, sent and held, and
/// streamed from memory, which is priced as 5 GB/s: without it schedules would take many keys for little time.
inline constexpr double kKeySecondsPerByte = 2e-10;

}  // namespace tacit::params
