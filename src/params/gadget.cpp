#include "params/gadget.h"

#include <algorithm>

namespace tacit::params {

double Gadget::count(int level) const {
  std::size_t covered = 0;
  double count = 0;
  for (const std::size_t digit : digits) {
    if (static_cast<int>(covered) > level) break;
    covered += digit;
    ++count;
  }
  return count;
}

double Gadget::special(int level) const {
  return static_cast<double>(special_primes[std::min(static_cast<std::size_t>(level), special_primes.size() - 1)]);
}

}  // namespace tacit::params
