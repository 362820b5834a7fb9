#include "ring/ntt.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "ring/bit_reversal.h"
#include "ring/simd/dispatch.h"
#include "ring/two_pass_tables.h"

namespace tacit::ring {
namespace {

// Blocks long enough that what a caller does around each costs little.
constexpr std::size_t kLeastBlock = 1024;

/// The smallest primitive 2n-th root of unity, or 0 if none is found (q is then not a prime that is 1 mod 2n).
std::uint64_t smallest_root(const Modulus& q, std::size_t n) {
  constexpr std::uint64_t kCandidates = 1000;  // half of all candidates succeed for a prime
  std::uint64_t root = 0;
  for (std::uint64_t candidate = 2; candidate < kCandidates && candidate < q.value() && root == 0; ++candidate) {
    const std::uint64_t power = q.pow(candidate, (q.value() - 1) / (2 * n));
    if (q.pow(power, n) == q.value() - 1) root = power;
  }
  if (root == 0) return 0;
  // The primitive roots are the odd powers of any one of them.
  const std::uint64_t square = q.mul(root, root);
  std::uint64_t smallest = root;
  for (std::size_t i = 1; i < n; ++i) {
    root = q.mul(root, square);
    if (root < smallest) smallest = root;
  }
  return smallest;
}

}  // namespace

NttTables::NttTables(const Modulus& q, std::size_t n, base::Isa isa) : modulus_(q), kernels_(&simd::kernels_of(isa)) {
  if (!std::has_single_bit(n) || n < 8 || n > std::size_t{1} << 17)
    throw base::InputError("NTT degree " + std::to_string(n) + ": expected a power of two from 2^3 to 2^17");
  psi_ = (q.value() - 1) % (2 * n) == 0 ? smallest_root(q, n) : 0;
  if (psi_ == 0)
    throw base::InputError("modulus " + std::to_string(q.value()) + " has no NTT of degree " + std::to_string(n) +
                           ": choose a prime that is 1 modulo " + std::to_string(2 * n));
  words_.modulus = q.words();
  words_.n = n;
  words_.log_n = static_cast<unsigned>(std::countr_zero(n));
  if (const unsigned log_rows = kernels_->tiled->log_rows(words_.log_n); log_rows == 0) {
    tiling_ = {.tiles = 1, .tile_words = n, .tile_stride = n, .blocks = 1, .block_words = n};
  } else {
    const std::size_t tile = simd::kTileColumns << log_rows;
    const std::size_t block = std::max(kLeastBlock, n >> log_rows);
    tiling_ = {.tiles = n / tile,
               .tile_words = tile,
               .tile_stride = simd::tile_stride(log_rows),
               .blocks = n / block,
               .block_words = block};
    kernel_blocks_ = block / (n >> log_rows);
  }
  words_.scale = q.inverse(n % q.value());
  words_.scale_shoup = q.shoup(words_.scale);

  const bool two_pass = isa == base::Isa::avx512ifma && n >= simd::kTwoPassRow;
  const bool real_roots = isa == base::Isa::avx2 && n >= simd::kRealRootsMinimum;
  const auto real_q = static_cast<double>(q.value());
  const std::size_t stride = std::max<std::size_t>(two_pass ? n / simd::kTwoPassRow : n, 8);
  const TwoPassShape shape = two_pass ? two_pass_shape(n) : TwoPassShape{};
  auto tables = std::make_shared<base::AlignedVector<std::uint64_t>>(4 * stride + 2 * (shape.rows + shape.twist));
  std::uint64_t* at = tables->data();
  const auto take = [&at](std::size_t words) { return std::exchange(at, at + words); };
  const std::uint64_t psi_inverse = q.inverse(psi_);
  const auto fill = [&](std::uint64_t psi, const std::uint64_t*& root, const std::uint64_t*& root_shoup) {
    std::uint64_t* values = take(stride);
    std::uint64_t* companions = take(stride);
    // Entries [0, stride) of the full table are the powers of psi^(n / stride) in bit-reversed order.
    const std::size_t used = std::min(stride, n);
    const auto bits = static_cast<unsigned>(std::countr_zero(used));
    const std::uint64_t step = q.pow(psi, n / used);
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < used; ++i, power = q.mul(power, step)) {
      const std::size_t j = reverse_bits(i, bits);
      values[j] = real_roots ? std::bit_cast<std::uint64_t>(static_cast<double>(power)) : power;
      companions[j] = real_roots ? std::bit_cast<std::uint64_t>(static_cast<double>(power) / real_q) : q.shoup(power);
    }
    root = values;
    root_shoup = companions;
  };
  fill(psi_, words_.root, words_.root_shoup);
  fill(psi_inverse, words_.inverse_root, words_.inverse_root_shoup);
  words_.scale_root = q.mul(words_.scale, q.pow(psi_inverse, n / 2));
  words_.scale_root_shoup = q.shoup(words_.scale_root);
  if (two_pass) {
    std::uint64_t* rows = take(shape.rows);
    std::uint64_t* inverse_rows = take(shape.rows);
    std::uint64_t* twist = take(shape.twist);
    std::uint64_t* inverse_twist = take(shape.twist);
    fill_two_pass(q, n, psi_, 1, rows, twist);
    fill_two_pass(q, n, psi_inverse, words_.scale, inverse_rows, inverse_twist);
    words_.rows = rows;
    words_.twist = twist;
    words_.inverse_rows = inverse_rows;
    words_.inverse_twist = inverse_twist;
  }
  tables_ = std::move(tables);
}

void NttTables::forward(std::uint64_t* a) const {
  TACIT_ASSERT(std::all_of(a, a + n(), [this](std::uint64_t word) { return word < modulus_.value(); }));
  kernels_->ntt_forward(a, words_);
}

void NttTables::inverse(std::uint64_t* a) const {
  TACIT_ASSERT(std::all_of(a, a + n(), [this](std::uint64_t word) { return word < modulus_.value(); }));
  kernels_->ntt_inverse(a, words_);
}

void NttTables::forward_tile(std::uint64_t* from, std::uint64_t* to, bool around) const {
  kernels_->tiled->forward_tile(from, to, words_, around);
}

void NttTables::forward_block(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const {
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    kernels_->tiled->forward_block(tiled, block * kernel_blocks_ + k, out + k * words, words_);
}

void NttTables::forward_block_lazy(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const {
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    kernels_->tiled->forward_block_lazy(tiled, block * kernel_blocks_ + k, out + k * words, words_);
}

void NttTables::inverse_block(const std::uint64_t* in, std::size_t block, std::uint64_t* tiled, bool around) const {
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    kernels_->tiled->inverse_block(in + k * words, block * kernel_blocks_ + k, tiled, words_, around);
}

void NttTables::inverse_tile(const std::uint64_t* from, std::uint64_t* to) const {
  kernels_->tiled->inverse_tile(from, to, words_);
}

}  // namespace tacit::ring
