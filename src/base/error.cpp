#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace tacit::base {

void contract_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: contract failed: %s\n", file, line, expression);
  std::abort();
}

}  // namespace tacit::base
