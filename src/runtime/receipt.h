#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/ed25519.h"
#include "base/sha256.h"
#include "params/parameter_identity.h"
#include "runtime/binding.h"
#include "runtime/source.h"

namespace tacit::runtime {

/// The signer of a receipt, with an Ed25519 signature over "tacit receipt 2" and the commitment.
struct SignedBy {
  base::SignerId signer{};
  base::Signature signature{};
  bool operator==(const SignedBy&) const = default;
};

/// The statement of an evaluation about its files: the model, and the roots of the artefacts that were read and
/// written. It fixes the subject of the statement. It does not prove that the output follows from the rest.
struct Receipt {
  std::string version;  ///< version of the program that evaluated
  params::ParameterHash parameters{};
  ModelId model_id{};    ///< id that both halves of the model compute from their content
  base::Digest model{};  ///< root of the server's half
  base::Digest keys{};   ///< root of the evaluation keys
  base::Digest input{}, output{};
  std::optional<SignedBy> signed_by{};  ///< without a signature, the evaluator can deny the receipt
  bool operator==(const Receipt&) const = default;
};

/// Returns one digest for the whole statement: the root of a Merkle tree (merkle::TreeScheme{}) with seven leaves.
/// These are the four roots, and then the model's id, the parameter hash and the version as leaves of bytes.
base::Digest commitment(const Receipt& receipt);
/// Signs a receipt, and replaces an earlier signature.
void sign(Receipt& receipt, const base::SigningKey& key);

/// Returns a receipt as JSON with its commitment.
std::string receipt_json(const Receipt& receipt);
/// Reads a receipt. Throws InputError naming `what` unless the text has the fields of the format and no others, each
/// once. The commitment must match them. A signature, if there is one, must be that of its signer.
Receipt parse_receipt(std::string_view text, std::string_view what);
/// Writes a file. Throws InputError naming the path.
void save(const Receipt& receipt, const std::filesystem::path& path);
/// Reads a receipt. Throws InputError naming the source.
Receipt load_receipt(const Source& source);

}  // namespace tacit::runtime
