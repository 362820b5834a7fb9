#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/secret_memory.h"
#include "scheme/tfhe/context.h"

namespace tacit::scheme::tfhe {

/// The binary secrets of both dimensions. The small key has n bits. The k polynomials of N bits are, in order, the
/// large key. The secrets are in secret memory (base/secret_memory.h), which is overwritten when the last copy goes.
/// Copies share it. Thread safe.
class SecretKey {
 public:
  /// Makes a secret from the operating system's randomness.
  static SecretKey generate(const Context& context);
  /// Takes n and k N words of 0 or 1 (throws InputError otherwise). The caller zeroises its own copies.
  SecretKey(const Context& context, std::span<const std::uint8_t> small, std::span<const std::uint8_t> large);

  const params::ParameterHash& parameters() const { return data_->parameters; }
  std::span<const std::uint8_t> small() const { return data_->small; }
  std::span<const std::uint8_t> large() const { return data_->large; }
  /// Returns the transforms of the k polynomials, a column that ring::NegacyclicFft::products reads.
  std::span<const double> spectra() const { return data_->spectra; }

 private:
  struct Data {
    params::ParameterHash parameters{};
    base::SecretVector<std::uint8_t> small, large;
    base::SecretVector<double> spectra;
  };
  SecretKey() = default;
  static std::shared_ptr<Data> make_spectra(const Context& context, std::shared_ptr<Data> data);
  std::shared_ptr<const Data> data_;
};

}  // namespace tacit::scheme::tfhe
