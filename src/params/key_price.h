#pragma once

namespace tacit::params {

/// The price of a byte of a rotation key in the choice of schedules, in seconds. It assumes that memory is read at 5
/// GB/s. Keys are made, sent and held. Schedules chosen by time alone would take many keys to save little time.
inline constexpr double kKeySecondsPerByte = 2e-10;

}  // namespace tacit::params
