#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/commands/merkle_proofs.h"
#include "app/commands/merkle_source.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "merkle/root_stream.h"
#include "merkle/tree.h"
#include "session/merkle_files.h"
#include "session/output_files.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct MerkleOptions {
  MerkleSource source;
  std::vector<std::filesystem::path> files;
  std::filesystem::path one, other, output;
  unsigned cap_levels = 0;
};

int root(const MerkleOptions& options) {
  options.source.compute.apply();
  session::check_output_files({options.output}, options.files);
  ProgressBar bar;
  const session::Stopwatch watch;
  const merkle::TreeScheme scheme = options.source.scheme();
  const merkle::FileLeaves leaves(scheme, options.files);
  session::require_a_leaf(leaves, options.files);
  nlohmann::ordered_json json = options.source.describe(options.files);
  merkle::Digest digest;
  std::optional<merkle::CapStream> cap;
  if (options.output.empty()) {
    merkle::RootStream stream(scheme);
    leaves.read([&](std::span<const merkle::Digest> run) { stream.append(run); }, bar);
    digest = stream.root();
  } else {
    cap.emplace(scheme, leaves.count(), options.cap_levels);
    leaves.read([&](std::span<const merkle::Digest> run) { cap->append(run); }, bar);
    digest = merkle::cap_root(cap->cap());
    session::write_proof(cap->cap(), options.output);
  }
  std::string text = merkle::hexadecimal(digest) + "\n";
  json["leaves"] = leaves.count();
  json["bytes"] = leaves.bytes();
  json["root"] = merkle::hexadecimal(digest);
  if (cap) {
    const std::string output = options.output.string();
    json["cap"] = {{"height", cap->cap().height}, {"nodes", cap->cap().nodes.size()}, {"output", output}};
    text += fmt::format("cap of {} nodes at height {} in {}\n", cap->cap().nodes.size(), cap->cap().height, output);
  }
  json["seconds"] = watch.seconds();
  print_report(options.source.compute.json, json, text);
  return kSuccess;
}

/// "leaf 5", "leaves 5 to 9".
std::string run_text(std::uint64_t first, std::uint64_t last) {
  return last - first == 1 ? fmt::format("leaf {}", first) : fmt::format("leaves {} to {}", first, last - 1);
}

int diff(const MerkleOptions& options) {
  options.source.compute.apply();
  ProgressBar bar;
  const merkle::Tree a = options.source.tree({options.one}, bar), b = options.source.tree({options.other}, bar);
  const auto runs = merkle::differing_leaves(a, b);
  nlohmann::ordered_json json = options.source.describe();
  json["leaves"] = {a.shape().leaves(), b.shape().leaves()};
  json["roots"] = {merkle::hexadecimal(a.root()), merkle::hexadecimal(b.root())};
  if (options.source.compute.json) {
    json["differing"] = runs;
    print_json(json);
    return kSuccess;
  }
  if (runs.empty()) print_text("no leaf differs\n");
  for (const auto& [first, last] : runs) print_text("{}\n", run_text(first, last));
  return kSuccess;
}

}  // namespace

void add_merkle(CLI::App& app, int& status) {
  CLI::App* const group = app.add_subcommand("merkle", "Commit to files with a Merkle tree over Rescue Prime");
  group->require_subcommand(1);
  group->footer("Example:\n  tacit merkle root weights.bin\n");

  auto [hasher, roots] = add_command(
      *group, status, "root", "The root of the tree over the files' chunks, in little memory", root,
      "The root of one file is that of its chunks. Of several files it also commits to their names (without folders),\n"
      "lengths and order: each file is a leaf for its name and length, and then its chunks.\n\n"
      "Example:\n  tacit merkle root weights.bin --chunk 4KiB\n  tacit merkle root a.bin b.bin c.bin\n");
  hasher.add_option("files", roots.files, "Files whose chunks are the leaves")->required();
  CLI::Option* const cap = hasher
                               .add_option("--cap", roots.cap_levels,
                                           "Write the nodes so many levels below the top, which make proofs shorter")
                               ->check(CLI::Range(1u, kMostCapLevels));
  CLI::Option* const output =
      hasher.add_option("-o,--output", roots.output, "File for the cap; JSON if its name ends in .json");
  cap->needs(output);
  output->needs(cap);
  roots.source.add_to(hasher);

  add_merkle_proofs(*group, status);

  auto [differ, differing] = add_command(*group, status, "diff", "The leaves in which two files differ", diff,
                                         "Example:\n  tacit merkle diff weights-1.bin weights-2.bin\n");
  differ.add_option("file", differing.one, "A file")->required();
  differ.add_option("other", differing.other, "Another file")->required();
  differing.source.add_to(differ);
}

}  // namespace tacit::app::commands
