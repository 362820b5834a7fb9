#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/insecure_parameters.h"
#include "app/key_file.h"
#include "app/npy.h"
#include "app/options.h"
#include "app/output_files.h"
#include "app/progress_bar.h"
#include "app/sentence.h"
#include "app/stopwatch.h"
#include "base/error.h"
#include "runtime/ciphertext_file.h"
#include "runtime/client.h"
#include "runtime/key_store.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::filesystem::path client, key, input, output;
  ComputeOptions compute;
};

/// One array of the batch: an output of the network over all samples.
struct OutputBatch {
  std::string name;
  std::vector<std::int64_t> shape;  ///< leading dimension: samples
  std::vector<double> values;
};

/// Outputs keep the network's own batch dimension of 1 as the batch of the file.
void append(OutputBatch& batch, const runtime::DecryptedOutput& output) {
  if (batch.shape.empty()) {
    batch.name = output.name;
    batch.shape.push_back(0);
    const std::size_t skipped = !output.shape.empty() && output.shape.front() == 1 ? 1 : 0;
    batch.shape.insert(batch.shape.end(), output.shape.begin() + static_cast<std::ptrdiff_t>(skipped),
                       output.shape.end());
  }
  ++batch.shape.front();
  batch.values.insert(batch.values.end(), output.values.begin(), output.values.end());
}

std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '_';
  return safe;
}

/// Y.npy for a single output; Y.NAME.npy for each of several, with a number where two names look the same as files.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path,
                                            const std::vector<OutputBatch>& batches) {
  if (batches.size() == 1) return {path};
  std::vector<std::filesystem::path> files;
  for (const OutputBatch& batch : batches) {
    const auto named = [&](const std::string& name) {
      return std::filesystem::path(path).replace_extension(name + path.extension().string());
    };
    std::filesystem::path file = named(safe_name(batch.name));
    for (int copy = 2; std::find(files.begin(), files.end(), file) != files.end(); ++copy)
      file = named(fmt::format("{}_{}", safe_name(batch.name), copy));
    files.push_back(std::move(file));
  }
  return files;
}

int decrypt(const Options& options) {
  options.compute.apply();
  check_output_files({options.output}, {options.client, options.key, options.input});
  ProgressBar bar(stderr, isatty(STDERR_FILENO));
  base::Progress& progress = bar;
  const auto model = std::make_shared<const runtime::ClientModel>(runtime::load_client_model(options.client));
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model->literal));
  warn_if_insecure(context->parameters());
  runtime::Binding binding;
  warn_if_readable_by_others(options.key);
  auto secret = std::make_shared<const scheme::ckks::SecretKey>(
      runtime::load_secret_key(options.key, context, &model->id, binding));
  const runtime::CiphertextReader file(options.input, context, runtime::CiphertextRole::results);
  runtime::require_same_keys(binding, options.key.string(), file.binding(), options.input.string());
  const runtime::Client client(model, context, std::move(secret));

  const Stopwatch watch;
  progress.begin("decrypting", file.samples());
  std::vector<OutputBatch> batches(model->interface.outputs.size());
  for (std::size_t s = 0; s < file.samples(); ++s) {
    const std::vector<runtime::DecryptedOutput> outputs =
        naming(fmt::format("{}, result {}", options.input.string(), s), [&] { return client.decrypt(file.read(s)); });
    for (std::size_t i = 0; i < batches.size(); ++i) append(batches[i], outputs.at(i));
    progress.advance(1);
  }
  progress.end();
  const double seconds = watch.seconds() / static_cast<double>(std::max<std::size_t>(file.samples(), 1));
  nlohmann::ordered_json report{{"model", model->name},
                                {"security_bits", context->parameters().security_bits()},
                                {"images", file.samples()},
                                {"outputs", nlohmann::json::array()}};
  const std::vector<std::filesystem::path> files = files_of(options.output, batches);
  // A key is not lost to an output that happens to be called like it.
  check_output_files(files, {options.client, options.key, options.input});
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const OutputBatch& batch = batches[i];
    const std::filesystem::path& path = files[i];
    write_npy(path, batch.shape, std::span<const double>(batch.values));
    report["outputs"].push_back({{"name", batch.name}, {"file", path.string()}, {"shape", batch.shape}});
    if (!options.compute.json)
      fmt::print("  {} of {} decrypted to {}\n", batch.name, counted(file.samples(), "input"), path.string());
  }
  report["seconds"] = {{"decrypt", seconds}};
  if (options.compute.json) fmt::print("{}\n", report.dump(2));
  return kSuccess;
}

}  // namespace

void add_decrypt(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("decrypt", "Decrypt the results of a network");
  command->add_option("client", options->client, "The client's half of a compiled network")->required();
  command->add_option("--key", options->key, "The secret key")->required();
  command->add_option("--input", options->input, "Encrypted results from evaluate")->required();
  command
      ->add_option("-o,--output", options->output,
                   "A .npy file for the results, one row an input; several outputs go to NAME.OUTPUT.npy each")
      ->required();
  options->compute.add_to(*command);
  command->footer(
      "What only post-processes the output, like a softmax, is computed here; the plan lists it. A result outside the\n"
      "calibrated bounds is refused.\n\n"
      "Example:\n  tacit decrypt lenet/client.tacit --key my.secret --input y.ct -o y.npy\n");
  command->callback([options, &status] { status = decrypt(*options); });
}

}  // namespace tacit::app::commands
