#include "session/evaluation.h"

#include <optional>
#include <string>
#include <system_error>

#include "base/ed25519.h"
#include "base/error.h"
#include "base/private_file.h"
#include "runtime/artefact.h"
#include "session/output_files.h"

namespace tacit::session {
namespace {

void require_folder(const std::filesystem::path& folder, const std::string& option) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  if (!std::filesystem::create_directory(folder, error))
    throw base::InputError(option + " " + folder.string() + " is no folder and none can be made there");
}

}  // namespace

Evaluation evaluate(const EvaluationFiles& files, const base::MemoryBudget& memory, const ParameterCheck& check,
                    base::Progress& progress) {
  // Whatever the name it comes under: a server has no business with a secret key.
  for (const auto& file : {files.model, files.keys, files.input}) runtime::refuse_secret_key(file, "evaluate");
  if (files.output.empty()) throw base::InputError("evaluate: no file was named for the results");
  Evaluation done;
  done.receipt_file = files.receipt;
  if (done.receipt_file.empty()) (done.receipt_file = files.output) += ".receipt";

  check_output_files({files.output, done.receipt_file}, {files.model, files.keys, files.input, files.signing_key});
  require_folder(files.checkpoints, "--checkpoint");
  std::optional<base::SigningKey> signer;
  if (!files.signing_key.empty()) {
    signer = base::SigningKey::from_pem(files.signing_key);
    base::require_private(files.signing_key, "signing key");
  }
  const std::unique_ptr<ServerHalf> half = load_server_half(files.model, memory, check);
  progress.begin("reading keys", 0);
  const std::shared_ptr<const LoadedKeys> keys = half->load_keys(files.keys);
  progress.end();
  static_cast<EvaluatedInputs&>(done) = half->evaluate(*keys, {files.input, files.output, files.checkpoints}, progress);
  // Results without a receipt are none: they go again where the receipt cannot be written.
  WrittenFiles written;
  written.add(files.output);
  done.model = half->model().name;
  done.security_bits = half->model().parameters.security_bits;
  done.key_bytes = keys->bytes();
  if (signer) runtime::sign(done.receipt, *signer);
  runtime::save(done.receipt, done.receipt_file);
  written.keep();
  return done;
}

}  // namespace tacit::session
