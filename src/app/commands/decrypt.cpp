#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/error.h"
#include "base/naming.h"
#include "session/output_files.h"
#include "session/owner/client_half.h"
#include "session/owner/results.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct DecryptOptions {
  std::filesystem::path client, key, input, question;
  ResultOptions result;
  SharingOptions share;
  bool labels = false;
  InsecureOption insecure;
  ComputeOptions compute;
  PrivacyOptions privacy;
};

std::string left_out_text(const std::vector<std::string>& outputs) {
  const bool one = outputs.size() == 1;
  return fmt::format(
      "left out: {} '{}', {}: encrypt kept {} beside the file of ciphertexts; name this file with --question, and keep "
      "FILE.kept beside it",
      one ? "output" : "outputs", fmt::join(outputs, "', '"),
      one ? "an input that the model hands out as it came in" : "inputs that the model hands out as they came in",
      one ? "it" : "them");
}

int decrypt(const DecryptOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  const std::vector<std::filesystem::path> read{options.client, options.key, options.input, options.question};
  session::check_output_files({options.result.output}, read);
  ProgressBar bar;
  base::Progress& progress = bar;
  const std::unique_ptr<session::ClientHalf> model = session::load_client_half(options.client);
  const params::ParameterIdentity parameters = model->parameters();
  options.insecure.require_permitted(parameters);
  const std::unique_ptr<session::ResultFile> file = model->results(
      {options.key, options.input, options.question, {.sharing = options.share.sharing(), .labels = options.labels}});

  const std::vector<std::string> left_out = file->left_out();
  if (!left_out.empty() && file->parts().after.outputs.empty()) throw base::InputError(left_out_text(left_out));
  const session::Stopwatch watch;
  const std::size_t inputs = file->batched().inputs;
  progress.begin("decrypting", inputs);
  session::Results results(file->parts());
  for (std::size_t s = 0; s < file->batched().samples(); ++s) {
    auto outputs = base::naming(fmt::format("{}, result {}", options.input.string(), s), [&] { return file->read(s); });
    for (std::vector<graph::Tensor>& output : outputs) results.add(std::move(output));
    progress.advance(file->batched().of(s));
  }
  progress.end();
  const double seconds = watch.seconds() / static_cast<double>(std::max<std::size_t>(inputs, 1));
  nlohmann::ordered_json report{
      {"model", model->name()}, {"security_bits", parameters.security_bits}, {"images", inputs}};
  if (!left_out.empty()) report["left_out"] = left_out;
  report["question_checked"] = !options.question.empty();
  report["shown_to"] = options.labels || options.share.bits ? "others" : "the owner of the key";
  const auto& [output, format] = options.result;
  const std::vector<std::filesystem::path> files = results.files(output, format);
  // A key is not lost to an output that happens to be called like it.
  session::check_output_files(files, read);
  results.write(output, format);
  report["outputs"] = results.describe(output, format);
  for (const auto& written : report["outputs"])
    if (!options.compute.json)
      print_text("  {} of {} decrypted to {}\n", session::printable(written["name"].get<std::string>()),
                 session::counted(inputs, "input"), written["file"].get<std::string>());
  if (!left_out.empty()) print_sentence("note: " + left_out_text(left_out));
  if (options.question.empty())
    print_sentence(
        "note: that the results answer your inputs, all of them and in their order, was not checked; name the file "
        "that encrypt wrote with --question");
  report["seconds"] = {{"decrypt", seconds}};
  if (options.compute.json) print_json(report);
  return kSuccess;
}

}  // namespace

void add_decrypt(CLI::App& app, int& status) {
  auto [command, options] =
      add_command(app, status, "decrypt", "Decrypt the results of a network", decrypt,
                  "What lies behind the last encrypted operator, like a softmax or a label, is computed here; the plan "
                  "lists it. A\n"
                  "result outside the calibrated bounds is refused, and so is one with a NaN. Do not tell the server "
                  "whether\n"
                  "decrypt refused: it would learn about the result.\n\n"
                  "Results are for the owner of the key, who may keep them beside the ciphertexts. To show them to "
                  "others use --share\n"
                  "or --labels: all digits of one decryption, beside its ciphertext, give the key away.\n\n"
                  "Example:\n  tacit decrypt lenet/client.tacit --key my.secret --input y.ct --question x.ct -o y.npy\n"
                  "  tacit decrypt lenet/client.tacit --key my.secret --input y.ct --question x.ct --share 3 -o y.npy\n"
                  "  tacit decrypt iris/client.tacit --key my.secret --input y.ct -o y.csv --output-format csv\n");
  command.add_option("client", options.client, "The client's half of a compiled network")->required();
  command.add_option("--key", options.key, "The secret key")->required();
  command.add_option("--input", options.input, "Encrypted results from evaluate")->required();
  command.add_option("--question", options.question,
                     "What encrypt wrote: results must answer its inputs, each once and in order. Outputs that are "
                     "inputs as they came in are read from the file beside it (FILE.kept)");
  options.share.add_to(command,
                       "For results that others see: floods the noise of the ciphertexts, which would tell of the key, "
                       "and leaves so many bits behind the binary point");
  command.add_flag("--labels", options.labels,
                   "For results that others see: labels alone (strings and whole numbers, or which number is the "
                   "largest), refused where they are close");
  options.insecure.add_to(command);
  options.result.add_to(command, "File for the results, one row an input; several outputs go to NAME.OUTPUT.npy each",
                        true);
  options.compute.add_to(command);
  options.privacy.add_to(command);
}

}  // namespace tacit::app::commands
