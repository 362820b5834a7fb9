#pragma once

/// Evaluation from files to files, as `tacit evaluate` does it, and the receipt that it leaves.

#include <tacit/error.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace tacit {

/// What an evaluation says it computed with. Roots, the hash of the parameters and the commitment are 64 hexadecimal
/// digits. A receipt is no proof that the output follows from the rest.
struct Receipt {
  std::string version;     ///< of the library that evaluated
  std::string parameters;  ///< hash of the parameter set
  std::string model_id;    ///< that both halves of the model compute from their content: ClientModel::id()
  std::string model, keys, input, output;
  std::string commitment;  ///< one digest for all of the above
  std::string signer;      ///< the Ed25519 key that signed it, checked; empty: nobody did
};

/// What a server reads and writes. `input` holds any number of inputs.
struct EvaluationFiles {
  std::filesystem::path model, keys, input;
  std::filesystem::path output;
  std::filesystem::path receipt{};      ///< empty: the output's name and ".receipt"
  std::filesystem::path signing_key{};  ///< empty, or a private key of Ed25519 in PEM, which signs the receipt
};

/// Evaluates every input. `memory_bytes` bounds keys, weights and values together (0: what this machine has free).
/// Throws InputError for a secret key among the files, damage, insecure parameters that are not allowed and a budget
/// that cannot be met, KeyMismatch for files that do not belong together, Cancelled; no file of results is left then.
TACIT_API Receipt evaluate_files(const EvaluationFiles& files, std::uint64_t memory_bytes = 0,
                                 Progress& progress = Progress::silent(),
                                 InsecureParameters insecure = InsecureParameters::refuse);

/// Throws InputError unless the file is a receipt whose commitment matches its fields and whose signature, if it has
/// one, is its signer's.
TACIT_API Receipt load_receipt(const std::filesystem::path& path);

/// The root of a file of a model, of keys or of ciphertexts, to compare with a receipt's, after every chunk was checked
/// against it. Throws InputError on damage.
TACIT_API std::string root_of(const std::filesystem::path& path);

}  // namespace tacit
