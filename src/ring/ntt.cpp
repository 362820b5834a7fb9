#include "ring/ntt.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <string>
#include <utility>

#include "ring/bit_reversal.h"
#include "ring/simd/dispatch.h"
#include "ring/two_pass_tables.h"

namespace tacit::ring {
namespace {

constexpr std::size_t kLeastDegree = 8, kLargestLogDegree = 17;
// Blocks long enough that what a caller does around each costs little.
constexpr std::size_t kLeastBlock = 1024;
// Of the tiles of any kernel.
constexpr std::size_t kMostTileWords = simd::kTileColumns << 6;

/// The smallest primitive root of unity of this order, a power of two, or 0 if none is found (q is then not a prime
/// that is 1 modulo it).
std::uint64_t smallest_root(const Modulus& q, std::size_t order) {
  constexpr std::uint64_t kCandidates = 1000;  // half of all candidates succeed for a prime
  std::uint64_t root = 0;
  for (std::uint64_t candidate = 2; candidate < kCandidates && candidate < q.value() && root == 0; ++candidate) {
    const std::uint64_t power = q.pow(candidate, (q.value() - 1) / order);
    if (q.pow(power, order / 2) == q.value() - 1) root = power;
  }
  if (root == 0) return 0;
  // The primitive roots are the odd powers of any one of them.
  const std::uint64_t square = q.mul(root, root);
  std::uint64_t smallest = root;
  for (std::size_t i = 1; i < order / 2; ++i) {
    root = q.mul(root, square);
    if (root < smallest) smallest = root;
  }
  return smallest;
}

}  // namespace

/// By the logarithm of their degrees, made where they are asked for.
struct NttTables::Smaller {
  std::array<std::once_flag, kLargestLogDegree> asked;
  std::array<std::unique_ptr<const NttTables>, kLargestLogDegree> tables;
};

NttTables::NttTables(const Modulus& q, std::size_t n, base::Isa isa, Kind kind, bool scarce_multipliers)
    : modulus_(q), kind_(kind), isa_(isa), kernels_(&simd::kernels_of(isa)), smaller_(std::make_shared<Smaller>()) {
  if (!std::has_single_bit(n) || n < kLeastDegree || n > std::size_t{1} << kLargestLogDegree)
    throw base::InputError("NTT degree " + std::to_string(n) + ": expected a power of two from 2^3 to 2^17");
  const std::size_t order = root_order(n, kind);
  psi_ = (q.value() - 1) % order == 0 ? smallest_root(q, order) : 0;
  if (psi_ == 0)
    throw base::InputError("modulus " + std::to_string(q.value()) + " has no NTT of degree " + std::to_string(n) +
                           ": choose a prime that is 1 modulo " + std::to_string(order));
  lay_out(n, scarce_multipliers);
}

NttTables::NttTables(const NttTables& whole, std::size_t size)
    : modulus_(whole.modulus_),
      kind_(Kind::negacyclic),
      psi_(modulus_.pow(whole.psi_, whole.n() / size)),
      isa_(whole.isa_),
      kernels_(whole.kernels_) {
  lay_out(size, whole.words_.scarce_multipliers);
}

void NttTables::lay_out(std::size_t n, bool scarce_multipliers) {
  const Modulus& q = modulus_;
  words_.modulus = q.words();
  words_.n = n;
  words_.scarce_multipliers = scarce_multipliers;
  words_.log_n = static_cast<unsigned>(std::countr_zero(n));
  const unsigned log_rows = kernels_->tiled == nullptr ? 0 : kernels_->tiled->log_rows(words_.log_n);
  if (log_rows == 0) {
    tiling_ = {.tiles = 1, .tile_words = n, .tile_stride = n, .blocks = 1, .block_words = n};
  } else {
    tiled_ = kernels_->tiled;
    const std::size_t tile = simd::kTileColumns << log_rows;
    const std::size_t block = std::max(kLeastBlock, n >> log_rows);
    tiling_ = {.tiles = n / tile,
               .tile_words = tile,
               .tile_stride = simd::tile_stride(log_rows),
               .blocks = n / block,
               .block_words = block};
    kernel_blocks_ = block / (n >> log_rows);
  }
  kernel_tiling_ = tiling_;
  if (kind_ == Kind::conjugate_invariant) {
    tiling_.tiles = 1;
    tiling_.tile_words = n;
    tiling_.tile_stride = kernel_tiling_.words();
    inverse_mirror_ = q.pow(psi_, n);
    inverse_mirror_shoup_ = q.shoup(inverse_mirror_);
    mirror_ = q.negate(inverse_mirror_);
    mirror_shoup_ = q.shoup(mirror_);
  }
  make_tables();
}

void NttTables::make_tables() {
  const Modulus& q = modulus_;
  const std::size_t n = words_.n;
  const bool paired = kind_ == Kind::conjugate_invariant;
  // Both transforms as one at shift * root^(2 brv + 1) of a 2n-th root. That of pairs divides by two when it is undone.
  const std::uint64_t root = paired ? q.mul(psi_, psi_) : psi_, root_inverse = q.inverse(root);
  const std::uint64_t shift = paired ? q.inverse(psi_) : 1, shift_inverse = paired ? psi_ : 1;
  words_.scale = q.inverse((paired ? 2 * n : n) % q.value());
  words_.scale_shoup = q.shoup(words_.scale);

  const bool two_pass = isa_ == base::Isa::avx512ifma && n >= simd::kTwoPassRow;
  const bool real_roots = isa_ == base::Isa::avx2 && n >= simd::kRealRootsMinimum;
  const auto real_q = static_cast<double>(q.value());
  const std::size_t stride = std::max<std::size_t>(two_pass ? n / simd::kTwoPassRow : n, 8);
  const TwoPassShape shape = two_pass ? two_pass_shape(n) : TwoPassShape{};
  auto tables = std::make_shared<base::AlignedVector<std::uint64_t>>(4 * stride + 2 * (shape.rows + shape.twist));
  std::uint64_t* at = tables->data();
  const auto take = [&at](std::size_t words) { return std::exchange(at, at + words); };
  const auto fill = [&](std::uint64_t psi, std::uint64_t shift_of_psi, const std::uint64_t*& root_words,
                        const std::uint64_t*& root_shoup) {
    std::uint64_t* values = take(stride);
    std::uint64_t* companions = take(stride);
    // Entries [0, stride) of the full table are the powers of psi^(n / stride) in bit-reversed order.
    const std::size_t used = std::min(stride, n);
    const auto bits = static_cast<unsigned>(std::countr_zero(used));
    const std::uint64_t step = q.pow(psi, n / used);
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < used; ++i, power = q.mul(power, step)) values[reverse_bits(i, bits)] = power;
    for (std::size_t blocks = 1; blocks < used && shift_of_psi != 1; blocks *= 2) {
      const std::uint64_t factor = q.pow(shift_of_psi, n / (2 * blocks));
      for (std::size_t i = blocks; i < 2 * blocks; ++i) values[i] = q.mul(values[i], factor);
    }
    for (std::size_t i = 0; i < used; ++i) {
      const std::uint64_t value = values[i];
      values[i] = real_roots ? std::bit_cast<std::uint64_t>(static_cast<double>(value)) : value;
      companions[i] = real_roots ? std::bit_cast<std::uint64_t>(static_cast<double>(value) / real_q) : q.shoup(value);
    }
    root_words = values;
    root_shoup = companions;
  };
  fill(root, shift, words_.root, words_.root_shoup);
  fill(root_inverse, shift_inverse, words_.inverse_root, words_.inverse_root_shoup);
  words_.scale_root = q.mul(words_.scale, q.mul(q.pow(root_inverse, n / 2), q.pow(shift_inverse, n / 2)));
  words_.scale_root_shoup = q.shoup(words_.scale_root);
  if (two_pass) {
    std::uint64_t* rows = take(shape.rows);
    std::uint64_t* inverse_rows = take(shape.rows);
    std::uint64_t* twist = take(shape.twist);
    std::uint64_t* inverse_twist = take(shape.twist);
    fill_two_pass(q, n, root, shift, 1, rows, twist);
    fill_two_pass(q, n, root_inverse, shift_inverse, words_.scale, inverse_rows, inverse_twist);
    words_.rows = rows;
    words_.twist = twist;
    words_.inverse_rows = inverse_rows;
    words_.inverse_twist = inverse_twist;
  }
  tables_ = std::move(tables);
}

void NttTables::fold(std::uint64_t* a) const { kernels_->mirror_add(a, mirror_, mirror_shoup_, n(), words_.modulus); }

void NttTables::unfold(std::uint64_t* a) const {
  kernels_->mirror_add(a, inverse_mirror_, inverse_mirror_shoup_, n(), words_.modulus);
  a[0] = modulus_.add(a[0], a[0]);
}

void NttTables::forward(std::uint64_t* a) const {
  TACIT_ASSERT(std::all_of(a, a + n(), [this](std::uint64_t word) { return word < modulus_.value(); }));
  if (kind_ == Kind::conjugate_invariant) fold(a);
  kernels_->ntt_forward(a, words_);
}

// Value i is the one at psi^(n / size) to the power 2 brv(i) + 1.
void NttTables::forward_repeating(std::span<std::uint64_t> a) const {
  TACIT_ASSERT(kind_ == Kind::negacyclic && std::has_single_bit(a.size()) && a.size() >= 2 && a.size() <= n());
  if (a.size() == n()) return forward(a.data());
  TACIT_ASSERT(smaller_ != nullptr);
  const auto log_size = static_cast<std::size_t>(std::countr_zero(a.size()));
  std::call_once(smaller_->asked[log_size], [&] { smaller_->tables[log_size].reset(new NttTables(*this, a.size())); });
  smaller_->tables[log_size]->forward(a.data());
}

void NttTables::inverse(std::uint64_t* a) const {
  TACIT_ASSERT(std::all_of(a, a + n(), [this](std::uint64_t word) { return word < modulus_.value(); }));
  kernels_->ntt_inverse(a, words_);
  if (kind_ == Kind::conjugate_invariant) unfold(a);
}

void NttTables::forward_tile(std::uint64_t* from, Destination to) const {
  if (kind_ == Kind::conjugate_invariant) {
    fold(from);
    if (kernel_tiling_.tiles > 1) return forward_columns(from, to);
  }
  if (tiled_ != nullptr) return tiled_->forward_tile(from, to.words, words_, to.around);
  std::copy_n(from, n(), to.words);
  kernels_->ntt_forward(to.words, words_);
}

// The whole polynomial in its usual order is the tile of pairs; each tile of the kernels is some of its columns.
void NttTables::forward_columns(const std::uint64_t* from, Destination to) const {
  const std::size_t columns = simd::kTileColumns, row = columns * kernel_tiling_.tiles;
  alignas(64) std::uint64_t room[kMostTileWords];
  for (std::size_t tile = 0; tile < kernel_tiling_.tiles; ++tile) {
    for (std::size_t r = 0; r < kernel_tiling_.tile_words / columns; ++r)
      std::copy_n(from + r * row + tile * columns, columns, room + r * columns);
    tiled_->forward_tile(room, to.words + tile * kernel_tiling_.tile_stride, words_, to.around);
  }
}

void NttTables::inverse_columns(const std::uint64_t* from, std::uint64_t* to) const {
  const std::size_t columns = simd::kTileColumns, row = columns * kernel_tiling_.tiles;
  alignas(64) std::uint64_t room[kMostTileWords];
  for (std::size_t tile = 0; tile < kernel_tiling_.tiles; ++tile) {
    tiled_->inverse_tile(from + tile * kernel_tiling_.tile_stride, room, words_);
    for (std::size_t r = 0; r < kernel_tiling_.tile_words / columns; ++r)
      std::copy_n(room + r * columns, columns, to + r * row + tile * columns);
  }
}

void NttTables::forward_block(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const {
  if (tiled_ == nullptr) return void(std::copy_n(tiled, n(), out));
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    tiled_->forward_block(tiled, block * kernel_blocks_ + k, out + k * words, words_);
}

void NttTables::forward_block_lazy(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out) const {
  if (tiled_ == nullptr) return void(std::copy_n(tiled, n(), out));
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    tiled_->forward_block_lazy(tiled, block * kernel_blocks_ + k, out + k * words, words_);
}

void NttTables::inverse_block(const std::uint64_t* in, std::size_t block, Destination tiled) const {
  if (tiled_ == nullptr) return void(std::copy_n(in, n(), tiled.words));
  const std::size_t words = tiling_.block_words / kernel_blocks_;
  for (std::size_t k = 0; k < kernel_blocks_; ++k)
    tiled_->inverse_block(in + k * words, block * kernel_blocks_ + k, tiled.words, words_, tiled.around);
}

void NttTables::inverse_tile(const std::uint64_t* from, std::uint64_t* to) const {
  if (kernel_tiling_.tiles > tiling_.tiles) {
    inverse_columns(from, to);
  } else if (tiled_ != nullptr) {
    tiled_->inverse_tile(from, to, words_);
  } else {
    std::copy_n(from, n(), to);
    kernels_->ntt_inverse(to, words_);
  }
  if (kind_ == Kind::conjugate_invariant) unfold(to);
}

}  // namespace tacit::ring
