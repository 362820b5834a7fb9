#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "graph/graph.h"

namespace tacit::session {

/// Inputs that a client keeps because the model returns them unchanged. A question has several runs, and the digest of
/// a run leads to the tensors of each of its samples. They are in the clear, for the owner of the inputs.
class KeptInputs {
 public:
  /// Returns the file next to the file of a question: the same name with the suffix ".kept".
  static std::filesystem::path beside(const std::filesystem::path& question);

  void add(const base::Digest& run, std::vector<std::vector<graph::Tensor>> samples);
  /// True if the run is kept.
  bool holds(const base::Digest& run) const { return runs_.contains(run); }
  /// Returns the tensors of a run's samples. Throws InputError if the run is not kept.
  const std::vector<std::vector<graph::Tensor>>& of(const base::Digest& run) const;

  /// Convert to bytes and back. `from_bytes` reads untrusted bytes, and throws InputError naming `name`.
  std::vector<std::byte> to_bytes() const;
  static KeptInputs from_bytes(std::span<const std::byte> bytes, const std::string& name);

  /// Writes a file that only its owner may read (mode 0600). Throws InputError if it cannot be written.
  void save(const std::filesystem::path& path) const;
  /// Reads untrusted bytes. Throws InputError naming the file.
  static KeptInputs load(const std::filesystem::path& path);

 private:
  std::map<base::Digest, std::vector<std::vector<graph::Tensor>>> runs_;
};

}  // namespace tacit::session
