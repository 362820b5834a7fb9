#pragma once

namespace tacit::bench {

/// Returns the bytes per second that `threads` threads read from memory together, with base::thread_limit() at most. It
/// is the best of a few passes over half a GiB.
double memory_bandwidth(int threads);

}  // namespace tacit::bench
