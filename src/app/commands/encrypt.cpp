#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/naming.h"
#include "runtime/artefact.h"
#include "session/output_files.h"
#include "session/owner/client_half.h"
#include "session/owner/dataset.h"
#include "session/owner/kept_inputs.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct EncryptOptions {
  std::filesystem::path client, key, public_key, output;
  std::vector<std::string> only;
  InputOptions inputs;
  session::Preprocessing preprocessing;
  InsecureOption insecure;
  ComputeOptions compute;
  PrivacyOptions privacy;
};

/// Returns the key that --key or --public-key names.
session::EncryptionKey key_of(const EncryptOptions& options) {
  if (!options.key.empty() && !options.public_key.empty())
    base::refuse(
        "inputs are encrypted under one key, and --key and --public-key were both given; leave one of the two out");
  if (options.key.empty() && options.public_key.empty())
    base::refuse("give the key that encrypts: --key with a secret key, or --public-key with a public one");
  return options.key.empty() ? session::EncryptionKey{options.public_key, true} : session::EncryptionKey{options.key};
}

/// Public keys were given with --key once. That still works, with a warning. Reads the head of the file.
void accept_public_key(session::EncryptionKey& key) {
  if (key.is_public || runtime::artefact_kind(key.file) != runtime::ArtefactKind::public_key) return;
  key.is_public = true;
  warn_of({key.file.name() +
           " is a public key: give it with --public-key; a later version takes secret keys alone with --key"});
}

int encrypt(const EncryptOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  session::EncryptionKey key = key_of(options);
  std::vector<std::filesystem::path> read = options.inputs.files;
  read.insert(read.end(), {options.client, key.file.file()});
  session::check_output_files({options.output}, read);
  ProgressBar bar;
  base::Progress& progress = bar;
  std::unique_ptr<session::ClientHalf> model = session::load_client_half(options.client);
  if (!options.only.empty()) model = model->only(options.only);
  model->require_memory_for_input(options.compute.memory_budget());
  if (model->parts().kept > 0)
    session::check_output_files({options.output, session::KeptInputs::beside(options.output)}, read);
  const session::Dataset data(options.inputs.files, model->parts().before, options.preprocessing);
  const auto [begin, end] = options.inputs.rows(data.size());
  const params::ParameterIdentity parameters = model->parameters();
  options.insecure.require_permitted(parameters);
  const runtime::BatchedInputs batched{static_cast<std::size_t>(end - begin), model->batch()};
  accept_public_key(key);
  const std::unique_ptr<session::InputEncryptor> file = model->encryptor(key, options.output, batched);

  const session::Stopwatch watch;
  progress.begin("encrypting", static_cast<std::uint64_t>(end - begin));
  for (std::size_t run = 0; run < batched.samples(); ++run) {
    const std::int64_t first = begin + static_cast<std::int64_t>(run * batched.batch);
    const auto count = static_cast<std::int64_t>(batched.of(run));
    const std::string rows = count == 1 ? fmt::format("row {}", first) : fmt::format("rows from {} on", first);
    base::naming(fmt::format("{}, {}", options.inputs.files.front().string(), rows), [&] {
      std::vector<std::vector<graph::Tensor>> samples;
      for (std::int64_t i = first; i < first + count; ++i) samples.push_back(data.sample(i));
      file->add(samples);
    });
    progress.advance(static_cast<std::uint64_t>(count));
  }
  const std::string root = base::hexadecimal(file->finish());
  progress.end();
  const std::vector<std::string> warnings = file->warnings();
  warn_of(warnings);
  const double seconds = watch.seconds() / static_cast<double>(end - begin);
  const auto bytes = std::filesystem::file_size(options.output);
  const std::string kept =
      model->parts().kept > 0 ? session::KeptInputs::beside(options.output).string() : std::string();
  nlohmann::ordered_json report{{"model", model->name()}, {"security_bits", parameters.security_bits},
                                {"images", end - begin},  {"output", options.output.string()},
                                {"bytes", bytes},         {"root", root},
                                {"warnings", warnings}};
  if (!options.only.empty()) report["only"] = options.only;
  if (!kept.empty()) report["kept"] = kept;
  report["seconds"] = {{"encrypt", seconds}};
  std::string text =
      fmt::format("  {} encrypted to {} ({}), {:.1f} ms each\n  root {}\n", session::counted(end - begin, "input"),
                  options.output.string(), base::byte_size_text(static_cast<double>(bytes)), seconds * 1e3, root);
  if (!kept.empty())
    text += fmt::format(
        "  inputs that the model hands out as they are stay in {}, in the clear: it is yours alone, and decrypt reads "
        "it\n",
        kept);
  if (!options.only.empty())
    text += "  a part of a question: combine puts it together with the parts of the other owners\n";
  print_report(options.compute.json, report, text);
  return kSuccess;
}

}  // namespace

void add_encrypt(CLI::App& app, int& status) {
  auto [command, options] = add_command(app, status, "encrypt", "Encrypt inputs for a network", encrypt,
                                        "Preprocess as for compile.\n"
                                        "An input that is also an output stays with you: it is written in the clear to "
                                        "OUTPUT.kept (mode\n"
                                        "0600), where decrypt --question OUTPUT finds it. Never send that file.\n"
                                        "With --public-key, whoever has the inputs encrypts them for the owner of the "
                                        "secret key.\n"
                                        "With --only, several owners encrypt the inputs of one model, each its own. "
                                        "combine puts the files\n"
                                        "together.\n\n"
                                        "Example:\n  tacit encrypt lenet/client.tacit --key my.secret --input x.npy "
                                        "--scale 255 --mean 0.1307 --std 0.3081 --pad 2 -o x.ct\n"
                                        "  tacit encrypt model/client.tacit --public-key group.public --only left "
                                        "--input left.npy -o left.ct\n");
  command.add_option("client", options.client, "The client's half of a compiled network")->required();
  command.add_option("--key", options.key, "The secret key");
  command.add_option("--public-key", options.public_key,
                     "A public key (keygen --public), in place of the secret one: larger files, a little more noise");
  command.add_option("--only", options.only,
                     "Encrypt this input of the model alone; repeat it for several inputs, and give their --input in "
                     "the same order");
  options.inputs.add_to(command);
  command.add_option("-o,--output", options.output, "File for the ciphertexts")->required();
  add_preprocessing_to(command, options.preprocessing);
  options.insecure.add_to(command);
  options.compute.add_to(command);
  options.privacy.add_to(command);
}

}  // namespace tacit::app::commands
