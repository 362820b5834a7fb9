#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

#include "params/sharing.h"

namespace tacit::params {

/// The results that were shared under one key, and the least number of results that any call promised.
struct SharedTally {
  std::uint64_t results = 0;
  double promised = std::numeric_limits<double>::infinity();

  /// Adds `more` results of a call that promises `sharing.decryptions`. Throws InputError, and adds nothing, if more
  /// results than promised would be shared. `where` says what counts.
  void add(std::uint64_t more, const Sharing& sharing, const char* where);
};

/// A tally in memory. Thread safe.
class SharedCounter {
 public:
  void add(std::uint64_t more, const Sharing& sharing, const char* where) {
    const std::lock_guard lock(mutex_);
    tally_.add(more, sharing, where);
  }

 private:
  std::mutex mutex_;
  SharedTally tally_;
};

}  // namespace tacit::params
