#include "scheme/rlwe/scratch.h"

#include <utility>
#include <vector>

#include "base/random.h"

namespace tacit::scheme::rlwe {
namespace {
thread_local std::vector<base::AlignedVector<std::uint64_t>> free_buffers;
constexpr std::size_t kCacheLineWords = 8;
}  // namespace

ScratchRows::ScratchRows(std::size_t n, std::size_t count, Contents contents)
    : stride_(n + kCacheLineWords), count_(count), contents_(contents) {
  if (!free_buffers.empty()) {
    words_ = std::move(free_buffers.back());
    free_buffers.pop_back();
  }
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
