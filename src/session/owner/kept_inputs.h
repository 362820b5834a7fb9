#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "graph/graph.h"

namespace tacit::session {

/// The inputs that a client keeps because the model hands them out unchanged. A question has several runs. The digest
/// of a run leads to the tensors of each of its samples. They are in the clear, for the owner of the inputs.
class KeptInputs {
 public:
  /// The file beside the file of a question: the same name with ".kept" behind it.
  static std::filesystem::path beside(const std::filesystem::path& question);

  void add(const base::Digest& run, std::vector<std::vector<graph::Tensor>> samples);
  /// True where a run is there.
  bool holds(const base::Digest& run) const { return runs_.contains(run); }
  /// The tensors of a run's samples. Throws InputError where the run is not there.
  const std::vector<std::vector<graph::Tensor>>& of(const base::Digest& run) const;

  /// Writes a file that only its owner may read (mode 0600). Throws InputError where it cannot be written.
  void save(const std::filesystem::path& path) const;
  /// Reads untrusted bytes. Throws InputError, naming the file.
  static KeptInputs load(const std::filesystem::path& path);

 private:
  std::map<base::Digest, std::vector<std::vector<graph::Tensor>>> runs_;
};

}  // namespace tacit::session
