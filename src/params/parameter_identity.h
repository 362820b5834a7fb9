#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tacit::params {

/// The most characters of the name of a parameter set.
inline constexpr std::size_t kMaxNameLength = 100;

/// SHA-256 over the canonical text of a parameter set: one comparison finds every mismatch.
using ParameterHash = std::array<std::uint8_t, 32>;

/// The identity of a checked parameter set of any scheme.
struct ParameterIdentity {
  std::string name;
  int security_bits = 0;  ///< 128, 192 or 256; 0 for an insecure set
  ParameterHash hash{};
  std::string size{};  ///< basis of the security: "N = 2^13, log QP 213.4"
};

}  // namespace tacit::params
