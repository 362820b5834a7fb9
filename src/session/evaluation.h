#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "runtime/receipt.h"
#include "session/server_half.h"

namespace tacit::session {

/// The files that a server reads and writes.
struct EvaluationFiles {
  std::filesystem::path model;  ///< the server's half
  std::filesystem::path keys;   ///< the client's evaluation keys
  std::filesystem::path input;  ///< ciphertexts from the client, for any number of inputs
  std::filesystem::path output;
  std::filesystem::path receipt;      ///< empty: the output's name and ".receipt"
  std::filesystem::path checkpoints;  ///< empty: none; else a folder for unfinished runs, which are resumed from it
  std::filesystem::path signing_key;  ///< empty: the receipt is not signed; else a private key of Ed25519 in PEM
};

/// The result of one evaluation, and facts about its model and keys. The receipt is signed if there is a signing key.
struct Evaluation : EvaluatedInputs {
  std::string model;  ///< its name
  int security_bits = 0;
  std::uint64_t key_bytes = 0;
  std::filesystem::path receipt_file;
};

/// Evaluates every input of a file, with the scheme of the model, and writes results and receipt. A file of results
/// appears completely or not at all. Throws
/// - InputError for a secret key among the files, for damage, and for a budget that is too small;
/// - KeyMismatch for files that do not belong together;
/// - Cancelled.
Evaluation evaluate(const EvaluationFiles& files, const base::MemoryBudget& memory, const ParameterCheck& check,
                    base::Progress& progress);

}  // namespace tacit::session
