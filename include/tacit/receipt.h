#pragma once

/// Evaluation from files to files, as `tacit evaluate` does it, and the receipt of an evaluation.

#include <tacit/error.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>
#include <tacit/source.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace tacit {

/// A receipt: the statement of an evaluation about its files. Roots, the hash of the parameters and the commitment are
/// 64 hexadecimal digits. A receipt does not prove that the output follows from the rest.
struct Receipt {
  std::string version;     ///< version of the library that evaluated
  std::string parameters;  ///< hash of the parameter set
  std::string model_id;    ///< id that both halves of the model compute from their content: ClientModel::id()
  std::string model, keys, input, output;
  std::string commitment;  ///< one digest for all of the above
  std::string signer;      ///< the Ed25519 key that signed the receipt, checked; empty: not signed
  std::string json;        ///< the whole receipt, as its file holds it; load_receipt reads it
};

/// The files that a server reads and writes. `input` holds any number of inputs.
struct EvaluationFiles {
  std::filesystem::path model, keys, input;
  std::filesystem::path output;
  std::filesystem::path receipt{};      ///< empty: the output's name and ".receipt"
  std::filesystem::path signing_key{};  ///< empty, or a private key of Ed25519 in PEM, which signs the receipt
  std::filesystem::path checkpoint{};   ///< empty, or a folder where the evaluation is kept, to go on after an end
};

/// Evaluates every input. `memory_bytes` bounds keys, weights and values together (0: the free memory of this machine).
/// If it throws, it leaves no file of results. Throws InputError for
/// - a secret key among the files,
/// - damage,
/// - insecure parameters that are not allowed,
/// - a budget that cannot be met.
/// Throws KeyMismatch for files that do not belong together, and Cancelled.
TACIT_API Receipt evaluate_files(const EvaluationFiles& files, std::uint64_t memory_bytes = 0,
                                 Progress& progress = Progress::silent(),
                                 InsecureParameters insecure = InsecureParameters::refuse);

/// Reads a receipt. Throws InputError for other bytes, and if the commitment does not match the fields. Throws it also
/// if there is a signature that is not the signer's.
TACIT_API Receipt load_receipt(const Source& source);

/// Checks every chunk of a saved model, of keys or of ciphertexts, and returns its root. Compare it with a receipt's.
/// Throws InputError on damage.
TACIT_API std::string root_of(const Source& source);

}  // namespace tacit
