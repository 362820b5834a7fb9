#pragma once

#include <functional>
#include <vector>

namespace tacit::session {

/// What repeated timing of one operation showed, in seconds an operation.
struct Measurement {
  double median = 0;
  double lower = 0, upper = 0;  ///< first and last decile
  int samples = 0;
};

/// Median and deciles of timings; `seconds` must not be empty.
Measurement summarise(std::vector<double> seconds);

/// Calls `operation` once to warm up, then in samples long enough for the clock (200 microseconds) until
/// `budget_seconds` have passed, at least five times.
Measurement measure(const std::function<void()>& operation, double budget_seconds);

/// The clock of the core that runs this, in hertz, while it runs integer code: additions that depend on each other take
/// one cycle each. The fastest of many runs of a fraction
/// of a millisecond, so that other work on the machine does not count.
double measured_clock_hertz();

/// The one-minute load average of the machine, or 0 if it is unknown.
double load_average();

}  // namespace tacit::session
