#include "base/parallel.h"

namespace tacit::base {

void parallel_for(std::size_t begin, std::size_t end, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = begin; i < end; ++i) body(i);
}
void set_thread_limit(int) {}
int thread_limit() { return 1; }

}  // namespace tacit::base
