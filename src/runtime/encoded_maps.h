#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "layout/linear_operator.h"
#include "params/schedule.h"
#include "runtime/digest.h"
#include "scheme/ckks/diagonal_matrix.h"

namespace tacit::runtime {

/// A linear map with its diagonals encoded for one level: what Evaluator::linear reads.
struct EncodedMap {
  params::LinearSchedule schedule;
  std::vector<std::unique_ptr<const scheme::ckks::DiagonalMatrix>> matrices;
  std::vector<std::vector<const scheme::ckks::DiagonalMatrix*>> blocks;  ///< [output][input], null = no entry
  std::size_t bytes() const;
};

/// Linear maps by what they are (layouts, entries and level), encoded when first used and kept while they fit; those
/// that were not used for longest go first. Thread safe.
class EncodedMaps {
 public:
  explicit EncodedMaps(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  std::shared_ptr<const EncodedMap> get(const layout::LinearMap& map, int level,
                                        const std::function<EncodedMap()>& encode);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const EncodedMap> map;
    std::list<Digest>::iterator use;
  };
  mutable std::mutex mutex_;
  std::size_t most_bytes_, bytes_ = 0;
  std::map<Digest, Entry> entries_;
  std::list<Digest> uses_;  ///< the last used in front
};

}  // namespace tacit::runtime
