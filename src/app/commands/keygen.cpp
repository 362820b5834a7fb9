#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/remote_service.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/secret_memory.h"
#include "session/output_files.h"
#include "session/owner/client_half.h"
#include "session/owner/group/group_owner.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct KeygenOptions {
  std::filesystem::path client, secret, evaluation, public_key, group, output;
  std::vector<std::filesystem::path> parts;
  bool force = false, commit = false, first = false, second = false;
  InsecureOption insecure;
  ComputeOptions compute;
  ServerOptions server;
};

/// Makes what one owner of a group sends.
int keygen_of_owner(const KeygenOptions& options) {
  if (static_cast<int>(options.commit) + static_cast<int>(options.first) + static_cast<int>(options.second) != 1)
    base::refuse("keygen --group makes one thing at a time: give one of --commit, --part1 and --part2");
  if (options.output.empty()) base::refuse("keygen --group: name the file to send with --output");
  if (!options.evaluation.empty() || !options.public_key.empty())
    base::refuse(
        "keygen --group: the keys are made by combine, from the parts of all owners; leave --evaluation and "
        "--public out");
  std::vector<std::filesystem::path> read = options.parts;
  read.insert(read.end(), {options.client, options.group, options.secret});
  session::check_output_files({options.output}, read);
  ProgressBar bar;
  session::OpenGroup group = session::open_group(options.client, options.group);
  options.insecure.require_permitted(group.context->parameters().identity());
  const session::GroupOwner owner(std::move(group), options.secret);
  const session::Stopwatch watch;
  const char* what = "commitment";
  if (options.commit) {
    owner.commit(options.compute.memory_budget(), options.output, bar);
  } else if (options.first) {
    what = "first part";
    owner.first_part(options.compute.memory_budget(), options.output, bar);
  } else {
    what = "second part";
    owner.second_part({options.parts.begin(), options.parts.end()}, options.output, bar);
  }
  const auto bytes = std::filesystem::file_size(options.output);
  print_report(options.compute.json,
               {{"owner", owner.group().group.owners[static_cast<std::size_t>(owner.index())].name},
                {"output", options.output.string()},
                {"bytes", bytes},
                {"seconds", {{"keygen", watch.seconds()}}}},
               fmt::format("  {}  {} ({}, for all owners)\n", what, options.output.string(),
                           base::byte_size_text(static_cast<double>(bytes))));
  return kSuccess;
}

/// A number of a key takes 16 bits of a file at least, and 64 in memory.
constexpr double kLeastShareOnDisk = 0.25;

/// Refuses keys that the disk of a file surely has no room for. `bytes` are those of the keys in memory.
void require_room_on_disk(const std::filesystem::path& file, double bytes, const std::string& model) {
  std::error_code unknown;
  const std::filesystem::space_info space =
      std::filesystem::space(std::filesystem::absolute(file).parent_path(), unknown);
  const auto available = static_cast<double>(space.available);
  if (unknown || kLeastShareOnDisk * bytes <= available) return;
  base::refuse(
      "the keys of model '{}' take {} of a disk at least, and the disk of {} has {} free; free some, or name a file on "
      "another disk",
      model, base::byte_size_text(kLeastShareOnDisk * bytes), file.string(), base::byte_size_text(available));
}

int keygen(const KeygenOptions& options) {
  base::forbid_core_dumps();
  options.compute.apply();
  if (!options.group.empty()) return keygen_of_owner(options);
  if (options.commit || options.first || options.second || !options.parts.empty() || !options.output.empty())
    base::refuse(
        "keygen: --commit, --part1, --part2, --part and --output belong to several owners: name their --group");
  if (options.evaluation.empty())
    base::refuse("keygen: name the file for the evaluation keys, which the server needs, with --evaluation");
  session::check_output_files({options.secret, options.evaluation, options.public_key}, {options.client});
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.secret, error))
    base::refuse("{} exists, and data encrypted under a lost key is lost; choose another name or give --force",
                 options.secret.string());
  ProgressBar bar;
  // Before keys are made in vain.
  std::optional<RemoteService> server;
  if (!options.server.url.empty()) server.emplace(options.server);
  const session::Stopwatch watch;
  const std::unique_ptr<session::ClientHalf> model = session::load_client_half(options.client);
  const params::ParameterIdentity parameters = model->parameters();
  options.insecure.require_permitted(parameters);
  nlohmann::ordered_json facts = model->describe_keys();
  require_room_on_disk(options.evaluation, facts.at("key_bytes").get<double>(), model->name());
  facts.erase("key_bytes");  // the report has the bytes of the file
  session::KeyFiles files{options.secret, options.evaluation};
  if (!options.public_key.empty()) files.public_key = options.public_key;
  const session::KeyRoots roots = model->generate_keys(files, options.compute.memory_budget(), bar);
  if (server) server->upload_keys(options.evaluation, bar);
  const auto evaluation_bytes = std::filesystem::file_size(options.evaluation);
  const std::string root = base::hexadecimal(roots.evaluation);
  nlohmann::ordered_json report{{"model", model->name()},
                                {"security_bits", parameters.security_bits},
                                {"secret", options.secret.string()},
                                {"evaluation", options.evaluation.string()},
                                {"key_bytes", evaluation_bytes},
                                {"evaluation_root", root},
                                {"seconds", {{"keygen", watch.seconds()}}}};
  report.update(facts);
  std::string text = fmt::format(
      "  secret      {} (keep it; never give it to the server)\n  evaluation  {} ({}, for the server)\n"
      "              root {}\n",
      options.secret.string(), options.evaluation.string(), base::byte_size_text(static_cast<double>(evaluation_bytes)),
      root);
  if (roots.public_key) {
    report["public"] = options.public_key.string();
    report["public_root"] = base::hexadecimal(*roots.public_key);
    text += fmt::format("  public      {} ({}, for whoever encrypts inputs)\n", options.public_key.string(),
                        base::byte_size_text(static_cast<double>(std::filesystem::file_size(options.public_key))));
  }
  print_report(options.compute.json, report, text);
  return kSuccess;
}

}  // namespace

void add_keygen(CLI::App& app, int& status) {
  auto [command, options] =
      add_command(app, status, "keygen", "Generate the keys of a client", keygen,
                  "Example:\n  tacit keygen lenet/client.tacit --secret my.secret --evaluation my.evaluation\n"
                  "  tacit keygen lenet/client.tacit --group g.tacit --secret my.secret --commit -o my.commit\n");
  command.add_option("client", options.client, "The client's half of a compiled network")->required();
  command.add_option("--secret", options.secret, "File for the secret key, readable by its owner only")->required();
  command.add_option("--evaluation", options.evaluation, "File for the evaluation keys, which the server needs");
  command.add_option("--public", options.public_key,
                     "File for a public key: it encrypts (encrypt --public-key) and does not decrypt");
  command.add_flag("--force", options.force, "Overwrite an existing secret key");
  command.add_option("--group", options.group,
                     "A group of several owners: make what one of them, whose --secret group key made, sends");
  command.add_flag("--commit", options.commit, "With --group: the commitment to the first part");
  command.add_flag("--part1", options.first, "With the agreed group: the first part");
  command.add_flag("--part2", options.second, "With the agreed group, and --part for every owner: the second part");
  command.add_option("--part", options.parts, "A first part, for --part2 (repeated for every owner)");
  command.add_option("-o,--output", options.output, "With --group: the file to send");
  options.insecure.add_to(command);
  options.compute.add_to(command);
  options.server.add_to(command, "Upload the evaluation keys to this server (https://host:port) too");
}

}  // namespace tacit::app::commands
