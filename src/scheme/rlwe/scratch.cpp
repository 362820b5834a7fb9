#include "scheme/rlwe/scratch.h"

#include <utility>
#include <vector>

namespace tacit::scheme::rlwe {
namespace {
thread_local std::vector<base::AlignedVector<std::uint64_t>> free_buffers;
constexpr std::size_t kCacheLineWords = 8;
}  // namespace

ScratchRows::ScratchRows(std::size_t n, std::size_t count) : stride_(n + kCacheLineWords) {
  if (!free_buffers.empty()) {
    words_ = std::move(free_buffers.back());
    free_buffers.pop_back();
  }
  if (words_.size() < stride_ * count) {
    words_ = {};  // give the old block back first: its contents are not wanted
    words_.resize(stride_ * count);
  }
}

ScratchRows::~ScratchRows() { free_buffers.push_back(std::move(words_)); }

}  // namespace tacit::scheme::rlwe
