#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/error.h"
#include "base/secret_memory.h"
#include "session/output_files.h"
#include "session/owner/group/new_group.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct KeyOptions {
  std::filesystem::path client, secret, open;
  bool force = false;
  InsecureOption insecure;
  ComputeOptions compute;
};

int make_key(const KeyOptions& options) {
  base::forbid_core_dumps();
  options.compute.apply();
  session::check_output_files({options.secret, options.open}, {options.client});
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.secret, error))
    base::refuse("{} exists, and what others encrypted for a lost key is lost; choose another name or give --force",
                 options.secret.string());
  options.insecure.require_permitted(session::load_group_model(options.client).context->parameters().identity());
  session::make_member_key(options.client, options.secret, options.open);
  print_report(options.compute.json, {{"secret", options.secret.string()}, {"public", options.open.string()}},
               fmt::format("  secret  {} (keep it)\n  public  {} (for the group)\n", options.secret.string(),
                           options.open.string()));
  return kSuccess;
}

struct NewOptions {
  std::filesystem::path client, output;
  std::vector<std::filesystem::path> owners, receivers;
  int threshold = 0;
  params::Sharing promise;
  InsecureOption insecure;
  ComputeOptions compute;
};

std::vector<session::NamedKey> named(const std::vector<std::filesystem::path>& files) {
  std::vector<session::NamedKey> keys;
  for (const std::filesystem::path& file : files) keys.push_back({file.stem().string(), file});
  return keys;
}

int make_group(const NewOptions& options) {
  options.compute.apply();
  std::vector<std::filesystem::path> read = options.owners;
  read.insert(read.end(), options.receivers.begin(), options.receivers.end());
  read.push_back(options.client);
  session::check_output_files({options.output}, read);
  options.insecure.require_permitted(session::load_group_model(options.client).context->parameters().identity());
  const runtime::OwnerGroup group = session::new_group({.client = options.client,
                                                        .owners = named(options.owners),
                                                        .receivers = named(options.receivers),
                                                        .threshold = options.threshold,
                                                        .promise = options.promise},
                                                       options.output);
  const params::OwnerParts parts = group.parts();
  std::vector<std::string> owners, receivers;
  for (const runtime::GroupMember& owner : group.owners) owners.push_back(owner.name);
  for (const runtime::GroupMember& receiver : group.receivers) receivers.push_back(receiver.name);
  const std::string id = base::hexadecimal(group.id);
  print_report(options.compute.json,
               {{"group", options.output.string()},
                {"id", id},
                {"owners", owners},
                {"receivers", receivers},
                {"threshold", group.threshold},
                {"parts", parts.parts()},
                {"statistical_bits", group.promise.statistical_bits},
                {"decryptions", group.promise.decryptions}},
               fmt::format("  group  {}: {} of {} decrypt, {} of the key\n  id     {}\n", options.output.string(),
                           parts.threshold(), session::printable(fmt::format("{}", fmt::join(owners, ", "))),
                           session::counted(parts.parts(), "part"), id));
  return kSuccess;
}

}  // namespace

void add_group(CLI::App& app, int& status) {
  CLI::App* const group = app.add_subcommand("group", "Several owners of one secret key");
  group->require_subcommand(1);
  group->footer(
      "Each owner makes a key pair (tacit group key). One of them makes the group (tacit group new). All make "
      "the keys together\n(tacit keygen --group, tacit combine), and enough of them decrypt results (tacit "
      "share, tacit combine).\nA server relays what they send (tacit group send, state, fetch).\n");
  {
    auto [command, options] =
        add_command(*group, status, "key", "Make the key pair of an owner or a receiver", make_key,
                    "Example:\n  tacit group key model/client.tacit --secret a.secret --public "
                    "a.id\n");
    command.add_option("client", options.client, "The client's half of a network that was compiled with --owners")
        ->required();
    command.add_option("--secret", options.secret, "File for the secret half, readable by its owner only")->required();
    command.add_option("--public", options.open, "File for the public half")->required();
    command.add_flag("--force", options.force, "Overwrite an existing secret");
    options.insecure.add_to(command);
    options.compute.add_to(command);
  }
  {
    auto [command, options] = add_command(
        *group, status, "new", "Propose a group of owners", make_group,
        "Example:\n  tacit group new model/client.tacit --owner a.id --owner b.id --owner c.id --threshold 2 -o "
        "g.tacit\n");
    command.add_option("client", options.client, "The client's half of a network that was compiled with --owners")
        ->required();
    command.add_option("--owner", options.owners, "The public half of an owner (repeated for every owner)")->required();
    command.add_option("--threshold", options.threshold, "How many owners decrypt together")->required();
    command.add_option("--receiver", options.receivers,
                       "The public half of somebody who may receive results without being an owner (repeated)");
    add_bounded(command, "--statistical-bits", options.promise.statistical_bits,
                "s: results of n numbers diverge from noiseless ones by at most n / (24 * 2^s) (Kullback, Leibler)", 20,
                80);
    add_bounded(command, "--decryptions", options.promise.decryptions, "Results under the key that are ever decrypted",
                1.0, 1099511627776.0);
    command.add_option("-o,--output", options.output, "File for the group")->required();
    options.insecure.add_to(command);
    options.compute.add_to(command);
  }
  add_group_exchange(*group, status);
}

}  // namespace tacit::app::commands
