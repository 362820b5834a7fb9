#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "session/output_files.h"
#include "session/owner/client_half.h"
#include "session/owner/group/group_keys.h"
#include "session/owner/group/new_group.h"
#include "session/owner/group/shared_outputs.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct CombineOptions {
  std::filesystem::path client, group, output, open, evaluation, results, receiver;
  std::vector<std::filesystem::path> files;
  InsecureOption insecure;
  ComputeOptions compute;
};

std::vector<runtime::Source> sources_of(const std::vector<std::filesystem::path>& files) {
  return {files.begin(), files.end()};
}

void require_given(const std::filesystem::path& file, const char* option, const char* what) {
  if (file.empty()) base::refuse("combine: {} needs {}", what, option);
}

std::string size_of(const std::filesystem::path& file) {
  return base::byte_size_text(static_cast<double>(std::filesystem::file_size(file)));
}

/// Returns the key set of the group that was agreed.
std::string combine_commitments(const CombineOptions& options, const session::OpenGroup& group) {
  require_given(options.output, "--output", "a group with commitments");
  session::agree(group, sources_of(options.files), options.output);
  const session::OpenGroup agreed = session::open_group(options.client, options.output);
  const std::string key_set = base::hexadecimal(agreed.group.key_set);
  print_report(options.compute.json, {{"group", options.output.string()}, {"key_set", key_set}},
               fmt::format("  group    {} (every owner makes its part with it)\n  key set  {}\n",
                           options.output.string(), key_set));
  return key_set;
}

void combine_parts(const CombineOptions& options, const session::OpenGroup& group, base::Progress& progress) {
  require_given(options.open, "--public", "parts of keys");
  require_given(options.evaluation, "--evaluation", "parts of keys");
  const session::KeyRoots roots =
      session::combine_keys(group, sources_of(options.files), options.open, options.evaluation, progress);
  const std::string root = base::hexadecimal(roots.evaluation);
  print_report(options.compute.json,
               {{"public", options.open.string()},
                {"public_root", base::hexadecimal(*roots.public_key)},
                {"evaluation", options.evaluation.string()},
                {"evaluation_root", root}},
               fmt::format("  public      {} ({}, for whoever encrypts inputs)\n  evaluation  {} ({}, for the server)\n"
                           "              root {}\n",
                           options.open.string(), size_of(options.open), options.evaluation.string(),
                           size_of(options.evaluation), root));
}

void combine_results(const CombineOptions& options, const session::OpenGroup& group, base::Progress& progress) {
  require_given(options.output, "--output", "a file of results");
  require_given(options.results, "--results", "shares of results");
  require_given(options.receiver, "--for", "shares of results");
  session::combine_shares(group, options.results, options.receiver, sources_of(options.files), options.output,
                          progress);
  print_report(options.compute.json, {{"output", options.output.string()}},
               fmt::format("  results  {} ({}, for the receiver to decrypt)\n", options.output.string(),
                           size_of(options.output)));
}

/// Without --group, the parts of the question need only be under one key.
void combine_question(const CombineOptions& options, base::Progress& progress) {
  require_given(options.output, "--output", "parts of a question");
  const std::unique_ptr<session::ClientHalf> model = session::load_client_half(options.client);
  options.insecure.require_permitted(model->parameters());
  std::optional<runtime::KeySetId> key_set;
  if (!options.group.empty()) key_set = session::open_group(options.client, options.group).group.key_set;
  const session::CombinedQuestion question =
      model->combine_questions(sources_of(options.files), key_set, options.output, progress);
  const std::string root = base::hexadecimal(question.root);
  print_report(options.compute.json, {{"output", options.output.string()}, {"images", question.inputs}, {"root", root}},
               fmt::format("  {} in {} ({}, for the server)\n  root {}\n", session::counted(question.inputs, "input"),
                           options.output.string(), size_of(options.output), root));
}

int combine(const CombineOptions& options) {
  options.compute.apply();
  std::vector<std::filesystem::path> read = options.files;
  read.insert(read.end(), {options.client, options.group, options.results, options.receiver});
  session::check_output_files({options.output, options.open, options.evaluation}, read);
  ProgressBar bar;
  if (runtime::artefact_kind(options.files.front()) == runtime::ArtefactKind::ciphertexts) {
    combine_question(options, bar);
    return kSuccess;
  }
  require_given(options.group, "--group", "what owners send for keys and results");
  const session::OpenGroup group = session::open_group(options.client, options.group);
  options.insecure.require_permitted(group.context->parameters().identity());
  switch (runtime::artefact_kind(options.files.front())) {
    case runtime::ArtefactKind::key_part:
      if (runtime::KeyPartReader(options.files.front(), group.context, group.group).head().round ==
          runtime::KeyRound::commitment) {
        combine_commitments(options, group);
      } else {
        combine_parts(options, group, bar);
      }
      break;
    case runtime::ArtefactKind::result_share: combine_results(options, group, bar); break;
    default:
      base::refuse("{} is {}, and combine takes commitments, parts of keys, parts of a question, or shares of results",
                   options.files.front().string(), runtime::kind_name(runtime::artefact_kind(options.files.front())));
  }
  return kSuccess;
}

}  // namespace

void add_combine(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "combine", "Combine what several owners sent", combine,
      "Takes one of four:\n"
      "- commitments (keygen --commit) of all owners, with the proposed group: writes the agreed group\n"
      "- parts of keys (keygen --part1, --part2) of all owners: writes --public and --evaluation\n"
      "- parts of a question (encrypt --only) with all inputs of the model: writes the question. With --group, parts "
      "under another key are refused\n"
      "- shares of results (share) of enough owners, with --results and --for: writes results\n\n"
      "Example:\n  tacit combine model/client.tacit --group g.tacit a.commit b.commit -o agreed.tacit\n"
      "  tacit combine model/client.tacit --group agreed.tacit a.1 b.1 a.2 b.2 --public g.public --evaluation "
      "g.evaluation\n"
      "  tacit combine model/client.tacit --group agreed.tacit left.ct right.ct -o question.ct\n"
      "  tacit combine model/client.tacit --group agreed.tacit a.share b.share --results y.ct --for r.id -o r.ct\n");
  command.add_option("client", options.client, "The client's half of a compiled network")->required();
  command.add_option("files", options.files, "What the owners sent")->required();
  command.add_option("--group", options.group, "The group; parts of a question need none");
  command.add_option("--public", options.open, "File for the public key, which encrypts");
  command.add_option("--evaluation", options.evaluation, "File for the evaluation keys, which the server needs");
  command.add_option("--results", options.results, "The results that evaluate wrote and the owners shared");
  command.add_option("--for", options.receiver, "The public half of the receiver");
  command.add_option("-o,--output", options.output,
                     "File for the agreed group, the question, or the receiver's results");
  options.insecure.add_to(command);
  options.compute.add_to(command);
}

}  // namespace tacit::app::commands
