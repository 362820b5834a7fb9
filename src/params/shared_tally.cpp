#include "params/shared_tally.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tacit::params {

void SharedTally::add(std::uint64_t more, const Sharing& sharing, const char* where) {
  const double least = std::min(promised, sharing.decryptions);
  if (static_cast<double>(results) + static_cast<double>(more) > least)
    base::refuse(
        "sharing {} results is refused: {} were shared under this key, and at most {} were promised to be ({} counts). "
        "Make new keys, and promise as many as you will share",
        more, results, std::floor(least), where);
  results += more;
  promised = least;
}

}  // namespace tacit::params
