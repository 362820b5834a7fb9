#pragma once

#include <cstddef>
#include <functional>

namespace tacit::base {

/// Calls body(i) for every i in [begin, end), on as many threads as set_thread_limit allows, through oneTBB. Nested
/// calls are allowed. Iterations must be independent; the first exception is rethrown to the caller. What is stored
/// around the caches before and within is ordered, as other stores are, before the iterations and before the return.
void parallel_for(std::size_t begin, std::size_t end, const std::function<void(std::size_t)>& body);

/// Bounds the threads used by the whole process; 0 means all the processors it may run on.
void set_thread_limit(int threads);
int thread_limit();

}  // namespace tacit::base
