#pragma once

#include <cstddef>
#include <functional>

namespace tacit::base {

/// Calls body(i) for every i in [begin, end) through oneTBB, on as many threads as set_thread_limit allows. Calls may
/// be nested. Iterations must be independent. The first exception is rethrown to the caller. Non-temporal stores are
/// ordered like others: those before the call precede the iterations, and those of the iterations precede the return.
void parallel_for(std::size_t begin, std::size_t end, const std::function<void(std::size_t)>& body);

/// Bounds the number of threads of the whole process; 0 means all the processors that it may run on.
void set_thread_limit(int threads);
int thread_limit();

}  // namespace tacit::base
