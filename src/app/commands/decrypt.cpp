#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/warnings.h"
#include "base/error.h"
#include "base/wipe.h"
#include "graph/serialize.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/client.h"
#include "runtime/slots/key_store.h"
#include "session/output_files.h"
#include "session/owner/results.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::filesystem::path client, key, input;
  ResultOptions result;
  ComputeOptions compute;
  PrivacyOptions privacy;
};

int decrypt(const Options& options) {
  options.privacy.apply();
  options.compute.apply();
  session::check_output_files({options.result.output}, {options.client, options.key, options.input});
  ProgressBar bar(stderr, isatty(STDERR_FILENO));
  base::Progress& progress = bar;
  const auto model = std::make_shared<const runtime::ClientModel>(runtime::load_client_model(options.client));
  const params::ParameterIdentity parameters = runtime::identity_of(*model);
  warn_if_insecure(parameters);
  runtime::Binding binding;
  const runtime::Client client = runtime::Client::with_key(model, options.key, true, binding);
  const runtime::CiphertextReader file(options.input, client.context(), runtime::CiphertextRole::results);
  runtime::require_same_keys(binding, options.key.string(), file.binding(), options.input.string());
  const graph::ClientParts parts = graph::client_parts_from_bytes(model->parts);

  const session::Stopwatch watch;
  progress.begin("decrypting", file.samples());
  session::Results results(parts);
  for (std::size_t s = 0; s < file.samples(); ++s) {
    results.add(session::naming(fmt::format("{}, result {}", options.input.string(), s), [&] {
      std::vector<std::vector<double>> decrypted;
      const base::WipedAtExit wiped(decrypted);
      for (runtime::DecryptedOutput& output : client.decrypt(file.read(s)))
        decrypted.push_back(std::move(output.values));
      return graph::run_after(parts, decrypted);
    }));
    progress.advance(1);
  }
  progress.end();
  const double seconds = watch.seconds() / static_cast<double>(std::max<std::size_t>(file.samples(), 1));
  nlohmann::ordered_json report{
      {"model", model->name}, {"security_bits", parameters.security_bits}, {"images", file.samples()}};
  const auto& [output, format] = options.result;
  const std::vector<std::filesystem::path> files = results.files(output, format);
  // A key is not lost to an output that happens to be called like it.
  session::check_output_files(files, {options.client, options.key, options.input});
  results.write(output, format);
  report["outputs"] = results.describe(output, format);
  for (const auto& written : report["outputs"])
    if (!options.compute.json)
      print_text("  {} of {} decrypted to {}\n", session::printable(written["name"].get<std::string>()),
                 session::counted(file.samples(), "input"), written["file"].get<std::string>());
  report["seconds"] = {{"decrypt", seconds}};
  if (options.compute.json) print_json(report);
  return kSuccess;
}

}  // namespace

void add_decrypt(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("decrypt", "Decrypt the results of a network");
  command->add_option("client", options->client, "The client's half of a compiled network")->required();
  command->add_option("--key", options->key, "The secret key")->required();
  command->add_option("--input", options->input, "Encrypted results from evaluate")->required();
  options->result.add_to(*command, "File for the results, one row an input; several outputs go to NAME.OUTPUT.npy each",
                         true);
  options->compute.add_to(*command);
  options->privacy.add_to(*command);
  command->footer(
      "What lies behind the last encrypted operator, like a softmax or a label, is computed here; the plan lists it. "
      "A\n"
      "result outside the calibrated bounds is refused.\n\n"
      "Example:\n  tacit decrypt lenet/client.tacit --key my.secret --input y.ct -o y.npy\n"
      "  tacit decrypt iris/client.tacit --key my.secret --input y.ct -o y.csv --output-format csv\n");
  command->callback([options, &status] { status = decrypt(*options); });
}

}  // namespace tacit::app::commands
