#pragma once

namespace tacit::bench {

/// Bytes a second that so many threads, at most base::thread_limit(), read from memory together: the best of a few
/// passes over half a GiB.
double memory_bandwidth(int threads);

}  // namespace tacit::bench
