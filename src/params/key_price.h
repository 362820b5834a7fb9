#pragma once

namespace tacit::params {

/// What a byte of a rotation key counts for where schedules are chosen, in seconds: memory that is read at 5 GB/s. Keys
/// are made, sent and held. Schedules that went by time alone would take many keys for little of it.
inline constexpr double kKeySecondsPerByte = 2e-10;

}  // namespace tacit::params
