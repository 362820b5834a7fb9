#include "merkle/rescue.h"

#include <algorithm>

#include "base/error.h"
#include "merkle/simd/dispatch.h"
#include "merkle/tree_shape.h"

namespace tacit::merkle {
namespace {

constexpr std::size_t kRate = 8;
constexpr std::size_t kBytesPerWord = 7;
constexpr std::size_t kSha256Words = 5;

/// Where a variant keeps things in its state.
struct Places {
  std::size_t rate, count, domain, capacity;
};

Places places(Variant variant) { return variant == Variant::a ? Places{0, 11, 10, 8} : Places{4, 0, 1, 0}; }

std::array<std::uint64_t, 4> capacity_of(Variant variant, std::uint64_t count, Domain domain) {
  const Places at = places(variant);
  std::array<std::uint64_t, 4> capacity{};
  capacity[at.count - at.capacity] = count % goldilocks::kModulus;
  capacity[at.domain - at.capacity] = static_cast<std::uint64_t>(domain);
  return capacity;
}

State fresh_state(Variant variant, std::uint64_t count, Domain domain) {
  State state{};
  const auto capacity = capacity_of(variant, count, domain);
  std::copy(capacity.begin(), capacity.end(), state.begin() + static_cast<std::ptrdiff_t>(places(variant).capacity));
  return state;
}

Digest digest_of(Variant variant, const State& state) {
  Digest digest;
  std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(places(variant).rate), 4, digest.words.begin());
  return digest;
}

/// Absorbs words one by one. An empty input permutes once in a domain of its own, and not at all in the plain one.
class Sponge {
 public:
  Sponge(Variant variant, std::uint64_t count, Domain domain)
      : variant_(variant), rate_(places(variant).rate), state_(fresh_state(variant, count, domain)) {
    open_ = domain != Domain::plain && count == 0;
  }
  void absorb(std::uint64_t word) {
    state_[rate_ + filled_] = goldilocks::add(state_[rate_ + filled_], word);
    open_ = true;
    if (++filled_ == kRate) flush();
  }
  Digest finish() {
    if (open_) flush();
    Digest digest = digest_of(variant_, state_);
    for (std::uint64_t& word : digest.words) word = goldilocks::canonical(word);
    return digest;
  }

 private:
  void flush() {
    permute(variant_, state_);
    filled_ = 0;
    open_ = false;
  }
  Variant variant_;
  std::size_t rate_, filled_ = 0;
  bool open_ = false;
  State state_;
};

Domain in_scheme(const TreeScheme& scheme, Domain domain) {
  return scheme.mode == Mode::strict ? Domain::plain : domain;
}

/// The bytes [7 i, 7 i + 7) of `bytes` as a word, with the closing 1 in the last.
std::uint64_t word_of(std::span<const std::byte> bytes, std::size_t i) {
  const std::size_t begin = i * kBytesPerWord, count = std::min(kBytesPerWord, bytes.size() - begin);
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k) word |= static_cast<std::uint64_t>(bytes[begin + k]) << 8 * k;
  if (begin + count == bytes.size()) word |= std::uint64_t{1} << 8 * count;
  return word;
}

}  // namespace

void permute(Variant variant, State& state) { simd::kernels().permute(round_constants(variant), state.data(), 1); }

Digest hash_elements(Variant variant, std::span<const std::uint64_t> elements, Domain domain) {
  Sponge sponge(variant, elements.size(), domain);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] >= goldilocks::kModulus)
      base::refuse("element {} is {}, which is not below the field's modulus {}; reduce it first", i, elements[i],
                   goldilocks::kModulus);
    sponge.absorb(elements[i]);
  }
  return sponge.finish();
}

Digest hash_bytes(Variant variant, std::span<const std::byte> bytes, Domain domain) {
  const std::size_t words = (bytes.size() + kBytesPerWord - 1) / kBytesPerWord;
  Sponge sponge(variant, words, domain);
  for (std::size_t i = 0; i < words; ++i) sponge.absorb(word_of(bytes, i));
  return sponge.finish();
}

std::array<std::uint64_t, 4> merge_capacity(const TreeScheme& scheme) {
  return capacity_of(scheme.variant, kRate, in_scheme(scheme, Domain::node));
}

void merge_pairs(const TreeScheme& scheme, std::span<const Digest> children, std::span<Digest> parents) {
  TACIT_ASSERT(children.size() == 2 * parents.size());
  const auto capacity = merge_capacity(scheme);
  if (parents.empty()) return;
  simd::kernels().merge(round_constants(scheme.variant), capacity.data(), children.front().words.data(),
                        parents.front().words.data(), parents.size());
}

Digest merge(const TreeScheme& scheme, const Digest& left, const Digest& right) {
  const Digest children[2] = {left, right};
  Digest parent;
  merge_pairs(scheme, children, {&parent, 1});
  return parent;
}

Digest leaf_of_elements(const TreeScheme& scheme, std::span<const std::uint64_t> elements) {
  return hash_elements(scheme.variant, elements, in_scheme(scheme, Domain::elements));
}

Digest leaf_of_bytes(const TreeScheme& scheme, std::span<const std::byte> bytes) {
  return hash_bytes(scheme.variant, bytes, in_scheme(scheme, Domain::bytes));
}

void leaves_of_bytes(const TreeScheme& scheme, std::span<const std::span<const std::byte>> chunks,
                     std::span<Digest> leaves) {
  TACIT_ASSERT(chunks.size() == leaves.size());
  constexpr std::size_t kAtOnce = 16;
  const std::size_t rate = places(scheme.variant).rate;
  for (std::size_t done = 0; done < chunks.size(); done += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, chunks.size() - done);
    std::array<State, kAtOnce> states;
    std::array<std::size_t, kAtOnce> words{}, chunk{};  // of the states still at work, which stand first
    std::size_t active = 0;
    for (std::size_t i = done; i < done + count; ++i) {
      const std::size_t length = (chunks[i].size() + kBytesPerWord - 1) / kBytesPerWord;
      if (length == 0) {
        leaves[i] = leaf_of_bytes(scheme, chunks[i]);
        continue;
      }
      states[active] = fresh_state(scheme.variant, length, in_scheme(scheme, Domain::bytes));
      words[active] = length;
      chunk[active++] = i;
    }
    for (std::size_t at = 0; active > 0; at += kRate) {
      for (std::size_t k = 0; k < active; ++k)
        for (std::size_t w = 0; w < kRate && at + w < words[k]; ++w)
          states[k][rate + w] = goldilocks::add(states[k][rate + w], word_of(chunks[chunk[k]], at + w));
      simd::kernels().permute(round_constants(scheme.variant), states[0].data(), active);
      std::size_t kept = 0;
      for (std::size_t k = 0; k < active; ++k) {
        if (at + kRate >= words[k]) {
          leaves[chunk[k]] = digest_of(scheme.variant, states[k]);
          continue;
        }
        states[kept] = states[k];
        words[kept] = words[k];
        chunk[kept++] = chunk[k];
      }
      active = kept;
    }
  }
}

Digest leaf_of_sha256(const TreeScheme& scheme, std::span<const std::byte, 32> sha256) {
  return hash_bytes(scheme.variant, sha256, in_scheme(scheme, Domain::sha256));
}

void leaves_of_sha256(const TreeScheme& scheme, std::span<const std::array<std::uint8_t, 32>> values,
                      std::span<Digest> leaves) {
  TACIT_ASSERT(values.size() == leaves.size());
  constexpr std::size_t kBatch = 64;
  const auto capacity = capacity_of(scheme.variant, kSha256Words, in_scheme(scheme, Domain::sha256));
  std::array<std::uint64_t, kRate * kBatch> rates;
  for (std::size_t done = 0; done < values.size(); done += kBatch) {
    const std::size_t count = std::min(kBatch, values.size() - done);
    rates.fill(0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t w = 0; w < kSha256Words; ++w)
        rates[i * kRate + w] = word_of(std::as_bytes(std::span(values[done + i])), w);
    simd::kernels().merge(round_constants(scheme.variant), capacity.data(), rates.data(), leaves[done].words.data(),
                          count);
  }
}

Digest root_of(const TreeScheme& scheme, const Digest& top, std::uint64_t leaves) {
  if (scheme.mode == Mode::strict) return top;
  const std::uint64_t words[] = {top.words[0],
                                 top.words[1],
                                 top.words[2],
                                 top.words[3],
                                 leaves,
                                 TreeShape(leaves).depth(),
                                 static_cast<std::uint64_t>(scheme.leaf_rule),
                                 scheme.chunk_bytes};
  return hash_elements(scheme.variant, words, Domain::root);
}

}  // namespace tacit::merkle
