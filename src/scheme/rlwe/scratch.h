#pragma once

#include <cstdint>

#include "base/aligned.h"

namespace tacit::scheme::rlwe {

/// Says if the contents of scratch rows may stay in their buffers.
enum class Contents { open, secret };

/// `count` rows of n words that live as long as this object. Each thread keeps and reuses the buffers, so that a key
/// switch does not pay for fresh pages. Rows are skewed by a cache line. Secret contents are wiped at the end.
class ScratchRows {
 public:
  ScratchRows(std::size_t n, std::size_t count, Contents contents = Contents::open);
  ~ScratchRows();
  ScratchRows(const ScratchRows&) = delete;
  ScratchRows& operator=(const ScratchRows&) = delete;
  std::uint64_t* operator[](std::size_t i) { return words_.data() + i * stride_; }
  const std::uint64_t* operator[](std::size_t i) const { return words_.data() + i * stride_; }

 private:
  std::size_t stride_, count_;
  Contents contents_;
  base::AlignedVector<std::uint64_t> words_;
};

}  // namespace tacit::scheme::rlwe
