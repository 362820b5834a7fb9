#include "base/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace tacit::base {
namespace {
std::mutex limit_mutex;
std::unique_ptr<tbb::global_control> limit_control;
int limit = 0;

// A fence waits until what was stored around the caches has reached memory: once for each iteration, not for each
// store.
void order_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}
}  // namespace

void parallel_for(std::size_t begin, std::size_t end, const std::function<void(std::size_t)>& body) {
  if (thread_limit() == 1 || end - begin < 2) {
    for (std::size_t i = begin; i < end; ++i) body(i);
    order_stores();
    return;
  }
  order_stores();
  tbb::parallel_for(begin, end, [&body](std::size_t i) {
    body(i);
    order_stores();
  });
}

void set_thread_limit(int threads) {
  const std::lock_guard lock(limit_mutex);
  limit = threads > 0 ? threads : tbb::info::default_concurrency();
  limit_control.reset();
  limit_control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                        static_cast<std::size_t>(limit));
}

int thread_limit() {
  const std::lock_guard lock(limit_mutex);
  if (limit == 0) limit = tbb::info::default_concurrency();
  return limit;
}

}  // namespace tacit::base
