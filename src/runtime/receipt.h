#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "params/parameter_identity.h"

namespace tacit::runtime {

/// What an evaluation says it computed with: the roots of the artefacts that it read and wrote. It is a statement by
/// whoever evaluated, which fixes what the statement is about; that the output follows from the rest is proven by
/// nothing yet.
struct Receipt {
  std::string version;  ///< of the program that evaluated
  params::ParameterHash parameters{};
  base::Digest model{};  ///< root of the server's model
  base::Digest keys{};   ///< of the evaluation keys
  base::Digest input{}, output{};
  bool operator==(const Receipt&) const = default;
};

/// One digest for the whole statement: the root of a Merkle tree (merkle::Scheme{}) with six leaves, the four roots,
/// then the parameter hash and the version as leaves of bytes.
base::Digest commitment(const Receipt& receipt);

/// A receipt as JSON with its commitment.
std::string receipt_json(const Receipt& receipt);
/// Throws InputError naming `what` unless the text is a receipt whose commitment matches its fields.
Receipt parse_receipt(std::string_view text, std::string_view what);
/// Throws InputError naming the path.
void save(const Receipt& receipt, const std::filesystem::path& path);
Receipt load_receipt(const std::filesystem::path& path);

}  // namespace tacit::runtime
