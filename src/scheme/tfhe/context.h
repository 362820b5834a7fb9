#pragma once

#include <memory>

#include "params/tfhe_parameters.h"
#include "ring/negacyclic_fft.h"

namespace tacit::scheme::tfhe {

/// Everything precomputed from a checked parameter set. Immutable, thread safe, shared by all actors.
class Context {
 public:
  static std::shared_ptr<const Context> make(params::TfheParameters parameters) {
    return std::shared_ptr<const Context>(new Context(std::move(parameters)));
  }
  const params::TfheParameters& parameters() const { return parameters_; }
  const ring::NegacyclicFft& fft() const { return fft_; }

  std::size_t small() const { return parameters_.lwe().value; }        ///< n
  std::size_t large() const { return parameters_.large_lwe().value; }  ///< k N
  std::size_t glwe() const { return parameters_.glwe().value; }        ///< k
  std::size_t polynomial() const { return parameters_.polynomial().value; }
  std::size_t extension() const { return parameters_.extension().value; }

 private:
  explicit Context(params::TfheParameters parameters)
      : parameters_(std::move(parameters)), fft_(parameters_.polynomial().value) {}
  params::TfheParameters parameters_;
  ring::NegacyclicFft fft_;
};
using ContextPtr = std::shared_ptr<const Context>;

}  // namespace tacit::scheme::tfhe
