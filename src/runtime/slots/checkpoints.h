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

/// The state of an unfinished run: the values that the rest of the program reads.
struct RunState {
  program::ValueId next = 0;  ///< next instruction
  std::vector<std::pair<program::ValueId, CiphertextArray>> values;
};

/// The common facts of the runs of one evaluation.
struct Evaluated {
  std::string version{};
  Binding binding{};
  base::Digest keys{};  ///< root of the evaluation keys' artefact
};

/// Writes the state of a run on `input`. The artefact names version, model, keys and input, and holds only ciphertexts.
base::Digest save_run(const scheme::ckks::Context& context, const Evaluated& of, const base::Digest& input,
                      const RunState& state, const Sink& sink);
/// Reads the state of a run on `input`. Throws InputError on damage, on values that are not the program's, and if a
/// value is missing that the rest of the program reads. Throws KeyMismatch for another version, model, key set or
/// input, naming which.
RunState load_run(const scheme::ckks::Context& context, const Evaluated& of, const slots::Program& program,
                  const base::Digest& input, const Source& source);

/// A folder that keeps the runs of one evaluation after every layer, so that another process can continue them. A run
/// is a file. Reading and writing are thread safe.
struct Checkpoints {
  std::filesystem::path folder;
  Evaluated of{};

  std::filesystem::path file(std::size_t run) const;

  /// Replaces the file of this run.
  void save(const scheme::ckks::Context& context, std::size_t run, const base::Digest& input,
            const RunState& state) const;
  /// Returns the state of a run; none if there is no file. Throws as `load_run` does.
  std::optional<RunState> load(const scheme::ckks::Context& context, const slots::Program& program, std::size_t run,
                               const base::Digest& input) const;
  /// Removes the files of this many runs, and temporary files that killed processes left of them.
  void remove(std::size_t runs) const;
};

}  // namespace tacit::runtime
