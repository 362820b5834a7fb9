#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/byte_size.h"
#include "base/ed25519.h"
#include "base/secret_memory.h"
#include "session/output_files.h"
#include "session/owner/group/group_owner.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct ShareOptions {
  std::filesystem::path client, group, secret, results, receiver, output;
  std::vector<std::filesystem::path> receipts, signers;
  InsecureOption insecure;
  ComputeOptions compute;
};

int share(const ShareOptions& options) {
  base::forbid_core_dumps();
  options.compute.apply();
  session::check_output_files({options.output},
                              {options.client, options.group, options.secret, options.results, options.receiver});
  ProgressBar bar;
  session::OpenGroup group = session::open_group(options.client, options.group);
  options.insecure.require_permitted(group.context->parameters().identity());
  session::ShareRequest request{.results = options.results,
                                .receiver = options.receiver,
                                .receipts = {options.receipts.begin(), options.receipts.end()}};
  for (const std::filesystem::path& signer : options.signers) request.signers.push_back(base::signer_from_pem(signer));
  const session::GroupOwner owner(std::move(group), options.secret);
  const session::Stopwatch watch;
  const std::size_t results = owner.share(request, options.output, bar);
  const double seconds = watch.seconds() / static_cast<double>(std::max<std::size_t>(results, 1));
  const auto bytes = std::filesystem::file_size(options.output);
  print_report(options.compute.json,
               {{"output", options.output.string()},
                {"owner", owner.group().group.owners[static_cast<std::size_t>(owner.index())].name},
                {"results", results},
                {"bytes", bytes},
                {"seconds", {{"share", seconds}}}},
               fmt::format("  {} shared to {} ({}), {:.1f} ms each\n", session::counted(results, "result"),
                           options.output.string(), base::byte_size_text(static_cast<double>(bytes)), seconds * 1e3));
  return kSuccess;
}

}  // namespace

void add_share(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "share", "Decrypt an owner's share of results for a receiver", share,
      "Share results only of an evaluation that the owners agreed on: a server that has shares of numbers of its own "
      "choice\nlearns the key. With --signer, each signer must have signed a receipt for these results.\n\n"
      "Example:\n  tacit share y.ct --client model/client.tacit --group agreed.tacit --secret a.secret --for r.id -o "
      "a.share\n");
  command.add_option("results", options.results, "The results that evaluate wrote")->required();
  command.add_option("--client", options.client, "The client's half of a compiled network")->required();
  command.add_option("--group", options.group, "The agreed group")->required();
  command.add_option("--secret", options.secret, "The owner's secret")->required();
  command
      .add_option("--for", options.receiver, "The public half of the receiver: an owner, or a receiver of the group")
      ->required();
  command.add_option("--receipt", options.receipts, "A receipt of the evaluation (repeated)");
  command.add_option("--signer", options.signers,
                     "The public key (PEM, Ed25519) of somebody who must have signed a receipt (repeated)");
  command.add_option("-o,--output", options.output, "File for the share")->required();
  options.insecure.add_to(command);
  options.compute.add_to(command);
}

}  // namespace tacit::app::commands
