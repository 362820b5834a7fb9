#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/ed25519.h"
#include "base/error.h"
#include "merkle/digest.h"
#include "runtime/artefact.h"
#include "runtime/compiled_model.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/receipt.h"

namespace tacit::app::commands {
namespace {

struct VerifyReceiptOptions {
  std::filesystem::path receipt, client, signer;
  std::string model, keys, input, output;  ///< a file or a root
  bool json = false;
};

struct Part {
  const char* name;
  const char* what;
  std::string VerifyReceiptOptions::*given;
  base::Digest runtime::Receipt::*root;
  runtime::ArtefactKind kind;
  runtime::ArtefactKind of_search;  ///< the kind of the same part where a store answered
};
constexpr Part kParts[] = {
    {"model", "server's file of the model", &VerifyReceiptOptions::model, &runtime::Receipt::model,
     runtime::ArtefactKind::server_model, runtime::ArtefactKind::search_store},
    {"keys", "keys that it was evaluated under", &VerifyReceiptOptions::keys, &runtime::Receipt::keys,
     runtime::ArtefactKind::evaluation_keys, runtime::ArtefactKind::evaluation_keys},
    {"input", "input", &VerifyReceiptOptions::input, &runtime::Receipt::input, runtime::ArtefactKind::ciphertexts,
     runtime::ArtefactKind::search_question},
    {"output", "output", &VerifyReceiptOptions::output, &runtime::Receipt::output, runtime::ArtefactKind::ciphertexts,
     runtime::ArtefactKind::search_answer},
};

bool is_root(const std::string& text) {
  std::error_code error;
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
         !std::filesystem::exists(text, error);
}

/// The root that was given as 64 hexadecimal digits, or that of a file whose every chunk was checked against it.
std::string root_of(const std::string& given, const Part& part) {
  if (is_root(given)) return merkle::hexadecimal(merkle::digest_from_hexadecimal(given, given));
  const bool of_search = runtime::artefact_kind(given) == part.of_search;
  const runtime::ArtefactReader reader(given, of_search ? part.of_search : part.kind, std::nullopt);
  reader.verify();
  return base::hexadecimal(reader.root());
}

/// What was compared with a receipt, and what was not, as sentences.
struct Findings {
  std::vector<std::string> checked, open;
};

void check_roots(const VerifyReceiptOptions& options, const runtime::Receipt& receipt, Findings& findings) {
  for (const Part& part : kParts) {
    const std::string& given = options.*part.given;
    if (given.empty()) {
      findings.open.push_back(fmt::format("the {} (--{})", part.what, part.name));
      continue;
    }
    const std::string found = root_of(given, part), said = base::hexadecimal(receipt.*part.root);
    if (found != said)
      throw base::KeyMismatch(fmt::format("{} is not the {} of {}: its root is {}, the receipt's {}", given, part.name,
                                          options.receipt.string(), found, said));
    findings.checked.emplace_back(part.name);
  }
}

/// Holds a half of a model, whose id follows from its content, to the receipt.
template <class Half>
void check_model(const Half& half, const std::filesystem::path& file, const VerifyReceiptOptions& options,
                 const runtime::Receipt& receipt) {
  if (half.id != receipt.model_id)
    throw base::KeyMismatch(fmt::format("{} speaks of another model than {}: its id is {}, the half's {}",
                                        options.receipt.string(), file.string(), base::hexadecimal(receipt.model_id),
                                        base::hexadecimal(half.id)));
  if (runtime::identity_of(half).hash != receipt.parameters)
    throw base::KeyMismatch(
        fmt::format("{} has other parameters than {} says", file.string(), options.receipt.string()));
}

/// The file was read twice, for its root and for its content.
template <class Half>
void check_server(const Half& half, const VerifyReceiptOptions& options, const runtime::Receipt& receipt) {
  if (half.root != receipt.model)
    throw base::KeyMismatch(fmt::format("{} was replaced while it was checked; check again", options.model));
  check_model(half, options.model, options, receipt);
}

bool on_integers(const std::filesystem::path& half) {
  return runtime::artefact_scheme(half) == runtime::ArtefactScheme::tfhe;
}

void check_signer(const VerifyReceiptOptions& options, const runtime::Receipt& receipt, Findings& findings) {
  if (options.signer.empty()) {
    findings.open.emplace_back(receipt.signed_by ? "whose signature it is (--signer)"
                                                 : "who made it: it is not signed (evaluate --sign)");
    return;
  }
  if (!receipt.signed_by)
    throw base::KeyMismatch(fmt::format("{} is not signed; ask for one by evaluate --sign", options.receipt.string()));
  if (receipt.signed_by->signer != base::signer_from_pem(options.signer))
    throw base::KeyMismatch(fmt::format("{} is signed by {}, which is not the key in {}", options.receipt.string(),
                                        base::hexadecimal(receipt.signed_by->signer), options.signer.string()));
  findings.checked.emplace_back("signature");
}

int verify_receipt(const VerifyReceiptOptions& options) {
  ProgressBar bar;
  const runtime::Receipt receipt = runtime::load_receipt(options.receipt);
  Findings findings;
  bar.begin("checking artefacts", 0);
  check_roots(options, receipt, findings);
  const bool server_half = !options.model.empty() && !is_root(options.model) &&
                           runtime::artefact_kind(options.model) == runtime::ArtefactKind::server_model;
  if (server_half) {
    if (on_integers(options.model))
      check_server(runtime::load_integer_server_model(options.model), options, receipt);
    else
      check_server(runtime::load_server_model(options.model), options, receipt);
  }
  if (!options.client.empty()) {
    if (on_integers(options.client))
      check_model(runtime::load_integer_client_model(options.client), options.client, options, receipt);
    else
      check_model(runtime::load_client_model(options.client), options.client, options, receipt);
  }
  if (server_half || !options.client.empty())
    findings.checked.insert(findings.checked.end(), {"model id", "parameters"});
  check_signer(options, receipt, findings);
  bar.end();
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(runtime::receipt_json(receipt));
  json["checked"] = findings.checked;
  json["not_checked"] = findings.open;
  std::string text = fmt::format(
      "receipt of tacit {}, commitment {}\nchecked: {}\n", receipt.version,
      base::hexadecimal(runtime::commitment(receipt)),
      findings.checked.empty() ? "that its fields belong together" : fmt::to_string(fmt::join(findings.checked, ", ")));
  if (!findings.open.empty()) text += fmt::format("not checked: {}\n", fmt::join(findings.open, "; "));
  print_report(options.json, json, text);
  return kSuccess;
}

}  // namespace

void add_verify_receipt(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "verify-receipt", "Check which model, keys, input and output a receipt speaks of", verify_receipt,
      "Files are read whole and checked chunk by chunk. A receipt says what was computed with; it does not prove that\n"
      "the computation was right. Ends with status 3 if a file, a root or the signer is another than the receipt's; "
      "says\n"
      "what was not checked.\n\n"
      "Example:\n  tacit verify-receipt y.ct.receipt --client lenet/client.tacit --keys my.evaluation --input x.ct "
      "--output y.ct\n");
  command.add_option("receipt", options.receipt, "A receipt that evaluate wrote")->required();
  command.add_option("--client", options.client, "The client's half of the network that it is to speak of");
  command.add_option("--signer", options.signer, "The public key (Ed25519, PEM) that must have signed it");
  command.add_option("--model", options.model, "The server's half of a network, or its root");
  command.add_option("--keys", options.keys, "Evaluation keys, or their root");
  command.add_option("--input", options.input, "The ciphertexts that were evaluated, or their root");
  command.add_option("--output", options.output, "The ciphertexts that came out, or their root");
  command.add_flag("--json", options.json, "Print JSON on standard output instead of text");
}

}  // namespace tacit::app::commands
