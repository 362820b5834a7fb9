#include "bench/memory_bandwidth.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/aligned.h"
#include "base/parallel.h"
#include "session/owner/kernel_speeds.h"
#include "session/stopwatch.h"

namespace tacit::bench {
namespace {

constexpr std::size_t kWords = std::size_t{64} << 20, kPiece = std::size_t{64} << 10;
constexpr int kPasses = 5;

}  // namespace

double memory_bandwidth(int threads) {
  base::AlignedVector<std::uint64_t> words(kWords);
  const auto parts = static_cast<std::size_t>(threads);
  // The first writer of a page gets it in the nearest memory.
  base::parallel_for(0, parts, [&](std::size_t part) {
    std::fill(words.data() + kWords / parts * part, words.data() + kWords / parts * (part + 1), part);
  });
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const session::Stopwatch watch;
    base::parallel_for(0, parts, [&](std::size_t part) {
      const std::size_t end = kWords / parts * (part + 1);
      for (std::size_t at = kWords / parts * part; at < end; at += kPiece)
        session::read_words({words.data() + at, std::min(kPiece, end - at)});
    });
    best = std::max(best, static_cast<double>(kWords * sizeof(std::uint64_t)) / watch.seconds());
  }
  return best;
}

}  // namespace tacit::bench
