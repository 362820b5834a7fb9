#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/remote_service.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "session/evaluation.h"
#include "session/output_files.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct EvaluateOptions {
  session::EvaluationFiles files;
  InsecureOption insecure;
  ComputeOptions compute;
  ServerOptions server;
};

/// By a server, with the keys that it has or, where a file names them, these.
int evaluate_remotely(const EvaluateOptions& options, base::Progress& progress) {
  const session::EvaluationFiles& files = options.files;
  std::filesystem::path receipt = files.receipt;
  if (receipt.empty()) (receipt = files.output) += ".receipt";
  session::check_output_files({files.output, receipt}, {files.keys, files.input, options.server.token});
  RemoteService server(options.server);
  if (!files.keys.empty()) server.upload_keys(files.keys, progress);
  const RemoteService::Evaluation done =
      server.evaluate({.input = files.input, .output = files.output, .receipt = receipt}, progress);
  const std::string root = base::hexadecimal(done.receipt.output);
  print_report(options.compute.json,
               {{"server", options.server.url},
                {"job", done.job},
                {"images", done.inputs},
                {"output", files.output.string()},
                {"bytes", std::filesystem::file_size(files.output)},
                {"root", root},
                {"receipt", receipt.string()},
                {"seconds", {{"evaluate", done.seconds}}}},
               fmt::format("  {} evaluated by {} to {}, {:.3f} s each\n  root {}, receipt {}\n",
                           session::counted(done.inputs, "input"), options.server.url, files.output.string(),
                           done.seconds, root, receipt.string()));
  return kSuccess;
}

int evaluate(const EvaluateOptions& options) {
  options.compute.apply();
  ProgressBar bar;
  if (!options.server.url.empty()) {
    if (!options.files.model.empty() || !options.files.signing_key.empty() || !options.files.checkpoints.empty())
      throw base::InputError(
          "with --server neither a model nor --sign nor --checkpoint is given: the server has its own");
    return evaluate_remotely(options, bar);
  }
  if (options.files.model.empty() || options.files.keys.empty())
    throw base::InputError("evaluate: name the server's half of a network and --keys, or a --server");
  const session::Evaluation done = session::evaluate(
      options.files, options.compute.memory_budget(),
      [&](const params::ParameterIdentity& set) { options.insecure.require_permitted(set); }, bar);
  const std::string output = options.files.output.string(), root = base::hexadecimal(done.receipt.output);
  print_report(options.compute.json,
               {{"model", done.model},
                {"security_bits", done.security_bits},
                {"images", done.inputs},
                {"threads", base::thread_limit()},
                {"output", output},
                {"bytes", std::filesystem::file_size(output)},
                {"root", root},
                {"receipt", done.receipt_file.string()},
                {"seconds", {{"evaluate", done.seconds}}},
                {"key_bytes", done.key_bytes},
                {"peak_memory_bytes", base::peak_resident_bytes()}},
               fmt::format("  {} evaluated to {}, {:.3f} s each, peak memory {}\n  root {}, receipt {}\n",
                           session::counted(done.inputs, "input"), output, done.seconds,
                           base::byte_size_text(static_cast<double>(base::peak_resident_bytes())), root,
                           done.receipt_file.string()));
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "evaluate", "Run a network on ciphertexts, without any secret", evaluate,
      "Example:\n  tacit evaluate lenet/server.tacit --keys my.evaluation --input x.ct -o y.ct\n"
      "  tacit evaluate --server https://host:8443 --token my.token --keys my.evaluation --input x.ct -o y.ct\n");
  command.add_option("model", options.files.model, "The server's half of a compiled network; none with --server");
  command.add_option("--keys", options.files.keys,
                     "The client's evaluation keys (a secret key is refused); with --server those that it lacks");
  command.add_option("--input", options.files.input, "Ciphertexts from encrypt")->required();
  command.add_option("-o,--output", options.files.output, "File for the encrypted results")->required();
  command.add_option(
      "--receipt", options.files.receipt,
      "File for the receipt, the roots of all that was computed with; the output's name and .receipt when absent");
  command.add_option("--sign", options.files.signing_key,
                     "Sign the receipt with this private key of Ed25519 (PEM, from openssl genpkey -algorithm "
                     "ed25519), which nobody else may be able to read");
  command.add_option("--checkpoint", options.files.checkpoints,
                     "Folder where an evaluation is kept after its layers; given again after it was interrupted, it "
                     "goes on from there");
  options.insecure.add_to(command);
  options.compute.add_to(command);
  options.server.add_to(command, "Let this server evaluate (https://host:port); the results are held to its receipt");
}

}  // namespace tacit::app::commands
