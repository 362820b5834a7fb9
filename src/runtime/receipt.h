#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/ed25519.h"
#include "base/sha256.h"
#include "params/parameter_identity.h"
#include "runtime/binding.h"

namespace tacit::runtime {

/// Who signed a receipt, by Ed25519 over "tacit receipt 2" and the commitment.
struct SignedBy {
  base::SignerId signer{};
  base::Signature signature{};
  bool operator==(const SignedBy&) const = default;
};

/// What an evaluation says it computed with: the model, and the roots of the artefacts that were read and written. It
/// is a statement by whoever evaluated, which fixes what the statement is about; that the output follows from the rest
/// is proven by nothing yet.
struct Receipt {
  std::string version;  ///< of the program that evaluated
  params::ParameterHash parameters{};
  ModelId model_id{};    ///< that both halves of the model compute from their content
  base::Digest model{};  ///< root of the server's half
  base::Digest keys{};   ///< of the evaluation keys
  base::Digest input{}, output{};
  std::optional<SignedBy> signed_by{};  ///< without it, whoever evaluated can deny it
  bool operator==(const Receipt&) const = default;
};

/// One digest for the whole statement: the root of a Merkle tree (merkle::Scheme{}) with seven leaves, the four roots,
/// then the model's id, the parameter hash and the version as leaves of bytes.
base::Digest commitment(const Receipt& receipt);
/// Signs, in place of who signed it before.
void sign(Receipt& receipt, const base::SigningKey& key);

/// A receipt as JSON with its commitment.
std::string receipt_json(const Receipt& receipt);
/// Throws InputError naming `what` unless the text is a receipt: it has the fields of the format and no others, each
/// once. Its commitment must match them. A signature, if there is one, must be its signer's.
Receipt parse_receipt(std::string_view text, std::string_view what);
/// Throws InputError naming the path.
void save(const Receipt& receipt, const std::filesystem::path& path);
Receipt load_receipt(const std::filesystem::path& path);

}  // namespace tacit::runtime
