#include "runtime/encoded_maps.h"

#include <fmt/format.h>

#include <utility>

namespace tacit::runtime {
namespace {

/// Two maps with one digest have equal layouts and entries. Entries are hashed a row at a time.
Digest digest_of(const layout::LinearMap& map, int level) {
  struct Entry {
    layout::Index row, column;
    double weight;
  };
  Sha256 hash;
  const std::string shape = fmt::format("{} {} {} ", level, map.in.to_string(), map.out.to_string());
  hash.update(std::as_bytes(std::span(shape)));
  std::vector<Entry> entries;
  const layout::Index rows = layout::element_count(map.op->out_shape());
  for (layout::Index row = 0; row < rows; ++row) {
    map.op->row(row, [&](layout::Index column, double weight) { entries.push_back({row, column, weight}); });
    if (entries.size() < 1024 && row + 1 < rows) continue;
    hash.update(std::as_bytes(std::span(entries)));
    entries.clear();
  }
  return hash.finish();
}

}  // namespace

std::size_t EncodedMap::bytes() const {
  std::size_t sum = 0;
  for (const auto& matrix : matrices) sum += matrix->bytes();
  return sum;
}

std::shared_ptr<const EncodedMap> EncodedMaps::get(const layout::LinearMap& map, int level,
                                                   const std::function<EncodedMap()>& encode) {
  const Digest digest = digest_of(map, level);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = entries_.find(digest); known != entries_.end()) {
      uses_.splice(uses_.begin(), uses_, known->second.use);
      return known->second.map;
    }
  }
  auto made = std::make_shared<const EncodedMap>(encode());
  const std::size_t size = made->bytes();
  const std::lock_guard lock(mutex_);
  if (size > most_bytes_ || entries_.contains(digest)) return made;
  while (bytes_ + size > most_bytes_) {
    const auto oldest = entries_.find(uses_.back());
    bytes_ -= oldest->second.map->bytes();
    entries_.erase(oldest);
    uses_.pop_back();
  }
  uses_.push_front(digest);
  entries_[digest] = {made, uses_.begin()};
  bytes_ += size;
  return made;
}

std::size_t EncodedMaps::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace tacit::runtime
