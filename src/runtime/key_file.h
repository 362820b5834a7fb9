#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/wipe.h"
#include "params/parameter_identity.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "runtime/description.h"

/// What files of keys share, whatever the scheme.
namespace tacit::runtime {

inline constexpr std::string_view kKeySection = "key";

/// Where a key comes from, held to the parameters and, where `model` is not null, to the model. Throws KeyMismatch.
Provenance checked_provenance(const ArtefactReader& reader, const params::ParameterIdentity& parameters,
                              const ModelId* model);

/// A section's bytes, wiped when they are no longer needed.
class WipedBytes {
 public:
  explicit WipedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  ~WipedBytes() { base::wipe(bytes_); }
  WipedBytes(const WipedBytes&) = delete;
  WipedBytes& operator=(const WipedBytes&) = delete;
  std::span<const std::uint8_t> get() const {
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tacit::runtime
