#include "scheme/rlwe/scratch.h"

#include <utility>
#include <vector>

#include "base/random.h"

namespace tacit::scheme::rlwe {
namespace {
thread_local std::vector<base::AlignedVector<std::uint64_t>> free_buffers;
constexpr std::size_t kCacheLineWords = 8;

/// The smallest free buffer of at least so many words, else the largest, taken from the free ones; empty where none is.
base::AlignedVector<std::uint64_t> take_fitting(std::size_t words) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < free_buffers.size(); ++i) {
    const std::size_t size = free_buffers[i].size(), found = free_buffers[best].size();
    if (found < words ? size > found : size >= words && size < found) best = i;
  }
  if (free_buffers.empty()) return {};
  base::AlignedVector<std::uint64_t> result = std::move(free_buffers[best]);
  std::swap(free_buffers[best], free_buffers.back());
  free_buffers.pop_back();
  return result;
}

}  // namespace

ScratchRows::ScratchRows(std::size_t n, std::size_t count, Contents contents)
    : stride_(n + kCacheLineWords), count_(count), contents_(contents), words_(take_fitting(stride_ * count)) {
  if (words_.size() < stride_ * count) {
    words_ = {};  // give the old block back first: its contents are not wanted
    words_.resize(stride_ * count);
  }
}

ScratchRows::~ScratchRows() {
  if (contents_ == Contents::secret) base::zeroise(words_.data(), stride_ * count_ * sizeof(std::uint64_t));
  free_buffers.push_back(std::move(words_));
}

}  // namespace tacit::scheme::rlwe
