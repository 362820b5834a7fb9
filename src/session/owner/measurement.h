#pragma once

#include <functional>
#include <vector>

namespace tacit::session {

/// The result of repeated timing of one operation, in seconds per operation.
struct Measurement {
  double median = 0;
  double lower = 0, upper = 0;  ///< first and last decile
  int samples = 0;
};

/// Returns median and deciles of timings. `seconds` must not be empty.
Measurement summarise(std::vector<double> seconds);

/// Calls `operation` once to warm up. Then calls it in samples that are long enough for the clock (200 microseconds),
/// until `budget_seconds` have passed and there are at least five samples.
Measurement measure(const std::function<void()>& operation, double budget_seconds);

/// Returns the clock of the calling core, in hertz, while it runs integer code: additions that depend on each other
/// take one cycle each. It is the fastest of many runs of a fraction of a millisecond, so that other work on the
/// machine does not count.
double measured_clock_hertz();

/// Returns the one-minute load average of the machine, or 0 if it is unknown.
double load_average();

}  // namespace tacit::session
