#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "base/random.h"
#include "params/tfhe_parameters.h"

namespace tacit::scheme::tfhe {

/// `count` consecutive LWE ciphertexts under one key. Each has a mask of `dimension` words and a body. It decrypts to
/// body - <mask, secret>, an element of the torus in units of 2^-bits of a word. Copyable.
template <class Word>
class LweBatch {
 public:
  LweBatch() = default;
  /// Leaves the words uninitialised: the caller fills them.
  LweBatch(params::LweDimension dimension, std::size_t count, const params::ParameterHash& parameters)
      : dimension_(dimension.value),
        stride_((dimension.value + kGrain) / kGrain * kGrain),
        count_(count),
        parameters_(parameters),
        words_(stride_ * count) {}

  std::size_t dimension() const { return dimension_; }
  std::size_t count() const { return count_; }
  const params::ParameterHash& parameters() const { return parameters_; }
  std::span<Word> operator[](std::size_t i) { return {words_.data() + i * stride_, dimension_ + 1}; }
  std::span<const Word> operator[](std::size_t i) const { return {words_.data() + i * stride_, dimension_ + 1}; }
  std::span<Word> mask(std::size_t i) { return (*this)[i].first(dimension_); }
  std::span<const Word> mask(std::size_t i) const { return (*this)[i].first(dimension_); }
  Word& body(std::size_t i) { return words_[i * stride_ + dimension_]; }
  Word body(std::size_t i) const { return words_[i * stride_ + dimension_]; }
  /// Returns the words from one ciphertext to the next: whole tiles of the key switch's kernels.
  std::size_t stride() const { return stride_; }
  Word* data() { return words_.data(); }

  bool operator==(const LweBatch& other) const {
    if (dimension_ != other.dimension_ || count_ != other.count_ || parameters_ != other.parameters_) return false;
    for (std::size_t i = 0; i < count_; ++i)
      if (!std::equal((*this)[i].begin(), (*this)[i].end(), other[i].begin())) return false;
    return true;
  }

 private:
  static constexpr std::size_t kGrain = 64;
  std::size_t dimension_ = 0, stride_ = 0, count_ = 0;
  params::ParameterHash parameters_{};
  base::AlignedVector<Word> words_;
};

/// Ciphertexts under the large key, of dimension k N, that are stored, added and looked up.
using LweCiphertexts = LweBatch<std::uint64_t>;
/// Ciphertexts under the small key, of dimension n, between key switch and bootstrap.
using SmallLweCiphertexts = LweBatch<std::uint32_t>;

/// Fresh ciphertexts under the large key as they are sent: a body each, and their masks in one of two forms.
/// - Under the secret key, a seed expands to the masks, and `masks` is empty.
/// - Under the public key, N bodies and k mask polynomials are one GLWE ciphertext. The last one may have fewer bodies.
struct FreshLweCiphertexts {
  base::Seed seed{};
  std::vector<std::uint64_t> masks{};  ///< k N words per GLWE ciphertext
  std::vector<std::uint64_t> bodies{};
  params::ParameterHash parameters{};

  /// Returns true for ciphertexts under the public key.
  bool is_packed() const { return !masks.empty(); }
};

}  // namespace tacit::scheme::tfhe
