#pragma once

#include <cstdint>

#include "base/aligned.h"

namespace tacit::scheme::rlwe {

/// `count` rows of n words that live as long as this object, from buffers that each thread keeps and reuses, so that a
/// key switch does not pay for fresh pages. Rows are skewed by a cache line. Not for secrets.
class ScratchRows {
 public:
  ScratchRows(std::size_t n, std::size_t count);
  ~ScratchRows();
  ScratchRows(const ScratchRows&) = delete;
  ScratchRows& operator=(const ScratchRows&) = delete;
  std::uint64_t* operator[](std::size_t i) { return words_.data() + i * stride_; }
  const std::uint64_t* operator[](std::size_t i) const { return words_.data() + i * stride_; }

 private:
  std::size_t stride_;
  base::AlignedVector<std::uint64_t> words_;
};

}  // namespace tacit::scheme::rlwe
