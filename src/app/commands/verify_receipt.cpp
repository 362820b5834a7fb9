#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/error.h"
#include "merkle/digest.h"
#include "runtime/artefact.h"
#include "runtime/compiled_model.h"
#include "runtime/receipt.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::filesystem::path receipt;
  std::string model, keys, input, output;  ///< a file or a root
  bool json = false;
};

struct Part {
  const char* name;
  std::string Options::*given;
  base::Digest runtime::Receipt::*root;
  runtime::ArtefactKind kind;
};
constexpr Part kParts[] = {
    {"model", &Options::model, &runtime::Receipt::model, runtime::ArtefactKind::server_model},
    {"keys", &Options::keys, &runtime::Receipt::keys, runtime::ArtefactKind::evaluation_keys},
    {"input", &Options::input, &runtime::Receipt::input, runtime::ArtefactKind::ciphertexts},
    {"output", &Options::output, &runtime::Receipt::output, runtime::ArtefactKind::ciphertexts},
};

bool is_root(const std::string& text) {
  std::error_code error;
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
         !std::filesystem::exists(text, error);
}

/// The root that was given as 64 hexadecimal digits, or that of a file whose every chunk was checked against it.
std::string root_of(const std::string& given, runtime::ArtefactKind kind) {
  if (is_root(given)) return merkle::hexadecimal(merkle::digest_from_hexadecimal(given, given));
  const runtime::ArtefactReader reader(given, kind);
  reader.verify();
  return base::hexadecimal(reader.root());
}

int verify_receipt(const Options& options) {
  ProgressBar bar(stderr, isatty(STDERR_FILENO));
  const runtime::Receipt receipt = runtime::load_receipt(options.receipt);
  const std::string name = options.receipt.string();
  nlohmann::ordered_json checked = nlohmann::json::array();
  bar.begin("checking artefacts", 0);
  for (const Part& part : kParts) {
    const std::string& given = options.*part.given;
    if (given.empty()) continue;
    const std::string found = root_of(given, part.kind), said = base::hexadecimal(receipt.*part.root);
    if (found != said)
      throw base::KeyMismatch(
          fmt::format("{} is not the {} of {}: its root is {}, the receipt's {}", given, part.name, name, found, said));
    checked.push_back(part.name);
  }
  if (!options.model.empty() && !is_root(options.model)) {
    if (runtime::identity_of(runtime::load_server_model(options.model)).hash != receipt.parameters)
      throw base::KeyMismatch(fmt::format("{} has other parameters than {} says", options.model, name));
    checked.push_back("parameters");
  }
  bar.end();
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(runtime::receipt_json(receipt));
    json["checked"] = checked;
    print_json(json);
    return kSuccess;
  }
  std::string list;
  for (const auto& part : checked) list += (list.empty() ? "" : ", ") + part.get<std::string>();
  print_text("receipt of tacit {}, commitment {}\nchecked: {}\n", receipt.version,
             base::hexadecimal(runtime::commitment(receipt)),
             list.empty() ? "that its fields belong together; give files or roots to compare" : list);
  return kSuccess;
}

}  // namespace

void add_verify_receipt(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("verify-receipt", "Check which model, keys, input and output a receipt speaks of");
  command->add_option("receipt", options->receipt, "A receipt that evaluate wrote")->required();
  command->add_option("--model", options->model, "The server's half of a network, or its root");
  command->add_option("--keys", options->keys, "Evaluation keys, or their root");
  command->add_option("--input", options->input, "The ciphertexts that were evaluated, or their root");
  command->add_option("--output", options->output, "The ciphertexts that came out, or their root");
  command->add_flag("--json", options->json, "Print JSON on standard output instead of text");
  command->footer(
      "Files are read whole and checked chunk by chunk. A receipt says what was computed with; it does not prove that\n"
      "the computation was right. Ends with status 3 if a file or root is another than the receipt's.\n\n"
      "Example:\n  tacit verify-receipt y.ct.receipt --keys my.evaluation --input x.ct --output y.ct\n");
  command->callback([options, &status] { status = verify_receipt(*options); });
}

}  // namespace tacit::app::commands
