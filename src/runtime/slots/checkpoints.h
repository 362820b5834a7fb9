#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/slots/program.h"
#include "runtime/binding.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// A run on its way: the values that the rest of the program reads.
struct RunState {
  program::ValueId next = 0;  ///< the instruction that comes next
  std::vector<std::pair<program::ValueId, CiphertextArray>> values;
};

/// A folder where the runs of one evaluation are kept after every layer, so that another process can go on with them.
/// The file of a run names version, model, keys and input, and is an artefact with a root of its own. It holds
/// ciphertexts only. Reading and writing are thread safe.
struct Checkpoints {
  std::filesystem::path folder;
  // What all runs have in common.
  std::string version{};
  Binding binding{};
  base::Digest keys{};  ///< root of the evaluation keys' artefact

  std::filesystem::path file(std::size_t run) const;

  /// Replaces what is there of this run.
  void save(const scheme::ckks::Context& context, std::size_t run, const base::Digest& input,
            const RunState& state) const;
  /// None where there is no file. Throws InputError on damage, on values that are none of the program's, and where a
  /// value is missing that the rest of the program reads. Throws KeyMismatch for a file of another version, model, key
  /// set or input, and names which.
  std::optional<RunState> load(const scheme::ckks::Context& context, const slots::Program& program, std::size_t run,
                               const base::Digest& input) const;
  /// Those of so many runs, and what processes left of them that were killed.
  void remove(std::size_t runs) const;
};

}  // namespace tacit::runtime
