#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "runtime/receipt.h"
#include "session/server_half.h"

namespace tacit::session {

/// What a server reads and writes.
struct EvaluationFiles {
  std::filesystem::path model;  ///< the server's half
  std::filesystem::path keys;   ///< the client's evaluation keys
  std::filesystem::path input;  ///< ciphertexts from the client, any number of inputs
  std::filesystem::path output;
  std::filesystem::path receipt;      ///< empty: the output's name and ".receipt"
  std::filesystem::path checkpoints;  ///< empty: none; else a folder where unfinished runs are kept and taken up
  std::filesystem::path signing_key;  ///< empty: nobody signs the receipt; else a private key of Ed25519 in PEM
};

/// One evaluation, and what it was done with. Its receipt is signed where somebody asks for it.
struct Evaluation : EvaluatedInputs {
  std::string model;  ///< its name
  int security_bits = 0;
  std::uint64_t key_bytes = 0;
  std::filesystem::path receipt_file;
};

/// Evaluates every input of a file, by the scheme of the model, and writes results and receipt; a file of results
/// appears whole or not at all. Throws InputError for a secret key among the files, damage, a budget that is too small;
/// KeyMismatch for files that do not belong together; Cancelled.
Evaluation evaluate(const EvaluationFiles& files, const base::MemoryBudget& memory, const ParameterCheck& check,
                    base::Progress& progress);

}  // namespace tacit::session
