#include "app/commands/merkle_proofs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/merkle_source.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/error.h"
#include "merkle/proof_check.h"
#include "merkle/proof_format.h"
#include "session/bounded_file.h"
#include "session/merkle_files.h"
#include "session/output_files.h"

namespace tacit::app::commands {
namespace {

struct ProveOptions {
  MerkleSource source;
  std::vector<std::filesystem::path> files;
  std::vector<std::uint64_t> indices;
  unsigned cap_levels = 0;
  std::filesystem::path output;
};

struct AppendOptions {
  MerkleSource source;
  std::filesystem::path old_file, output;
  std::vector<std::filesystem::path> added;
};

struct VerifyOptions {
  std::filesystem::path proof, cap;
  std::string hash = merkle::scheme_name({}), root, old_root;
  std::vector<std::filesystem::path> payloads;
  bool json = false;
};

int prove(const ProveOptions& options) {
  options.source.compute.apply();
  session::check_output_files({options.output}, options.files);
  ProgressBar bar;
  std::vector<std::uint64_t> indices = options.indices;
  std::sort(indices.begin(), indices.end());
  nlohmann::ordered_json json = options.source.describe(options.files);
  const merkle::Tree tree = options.source.tree(options.files, bar);
  const merkle::InclusionProof proof = tree.prove(indices, options.cap_levels);
  session::write_proof(proof, options.output);
  json["leaves"] = proof.leaves;
  json["root"] = merkle::hexadecimal(tree.root());
  json["height"] = proof.height;
  json["indices"] = indices;
  json["nodes"] = proof.nodes.size();
  json["output"] = options.output.string();
  print_report(options.source.compute.json, json,
               fmt::format("root {}\n{} of {} leaves proven with {} nodes in {}\n", merkle::hexadecimal(tree.root()),
                           indices.size(), proof.leaves, proof.nodes.size(), options.output.string()));
  return kSuccess;
}

int append(const AppendOptions& options) {
  options.source.compute.apply();
  std::vector<std::filesystem::path> read = options.added;
  read.push_back(options.old_file);
  session::check_output_files({options.output}, read);
  ProgressBar bar;
  merkle::Tree tree = options.source.tree({options.old_file}, bar);
  const merkle::Digest old_root = tree.root();
  const std::uint64_t old_leaves = tree.shape().leaves();
  // One log in several files: their names are no part of it.
  for (const std::filesystem::path& file : options.added) tree.append(options.source.leaves({file}, bar));
  const merkle::ConsistencyProof proof = tree.prove_extension(old_leaves);
  session::write_proof(proof, options.output);
  nlohmann::ordered_json json = options.source.describe();
  json["old_leaves"] = old_leaves;
  json["old_root"] = merkle::hexadecimal(old_root);
  json["leaves"] = proof.new_leaves;
  json["root"] = merkle::hexadecimal(tree.root());
  json["nodes"] = proof.nodes.size();
  json["output"] = options.output.string();
  print_report(
      options.source.compute.json, json,
      fmt::format("old root {} of {} leaves\nroot {} of {} leaves\nthat the second extends the first is proven in {}\n",
                  merkle::hexadecimal(old_root), old_leaves, merkle::hexadecimal(tree.root()), proof.new_leaves,
                  options.output.string()));
  return kSuccess;
}

std::vector<merkle::Payload> payloads_of(const VerifyOptions& options, const merkle::InclusionProof& proof) {
  std::vector<merkle::Payload> payloads;
  for (const std::filesystem::path& file : options.payloads)
    payloads.push_back(
        {file.string(), [&file, &proof] { return session::read_bounded(file, proof.scheme.chunk_bytes); }});
  return payloads;
}

merkle::Verdict verify_inclusion(const merkle::InclusionProof& proof, const VerifyOptions& options) {
  const std::string name = options.proof.string();
  if (!options.old_root.empty())
    base::refuse("{}: --old-root is for consistency proofs; this one is of inclusion", name);
  merkle::Verdict verdict;
  if (options.cap.empty()) {
    if (options.root.empty()) base::refuse("{}: give the root to check against, with --root", name);
    verdict = merkle::verify(proof, merkle::digest_from_hexadecimal(options.root, "--root"));
  } else {
    const merkle::ProofFile file = session::load_proof(options.cap);
    const auto* cap = std::get_if<merkle::Cap>(&file);
    if (cap == nullptr) base::refuse("{}: this is a proof, not the cap of a tree", options.cap.string());
    const merkle::Digest root = merkle::cap_root(*cap);
    if (!options.root.empty() && root != merkle::digest_from_hexadecimal(options.root, "--root"))
      return {false, fmt::format("the cap {} belongs to the root {}", options.cap.string(), merkle::hexadecimal(root))};
    verdict = merkle::verify(proof, *cap);
  }
  return verdict && !options.payloads.empty() ? merkle::check_payloads(proof, payloads_of(options, proof), "--data")
                                              : verdict;
}

merkle::Verdict verify_consistency(const merkle::ConsistencyProof& proof, const VerifyOptions& options) {
  if (options.root.empty() || options.old_root.empty() || !options.payloads.empty() || !options.cap.empty())
    base::refuse("{}: a consistency proof needs --root and --old-root, and has no --data or --cap",
                 options.proof.string());
  return merkle::verify(proof, merkle::digest_from_hexadecimal(options.old_root, "--old-root"),
                        merkle::digest_from_hexadecimal(options.root, "--root"));
}

int verify(const VerifyOptions& options) {
  const std::string name = options.proof.string();
  const merkle::ProofFile proof = session::load_proof(options.proof);
  const auto* inclusion = std::get_if<merkle::InclusionProof>(&proof);
  const auto* consistency = std::get_if<merkle::ConsistencyProof>(&proof);
  if (inclusion == nullptr && consistency == nullptr)
    base::refuse("{}: this is a cap; give the proof, and the cap with --cap", name);
  const merkle::TreeScheme& scheme = inclusion != nullptr ? inclusion->scheme : consistency->scheme;
  merkle::require_hash(scheme, options.hash, name);
  const merkle::Verdict verdict =
      inclusion != nullptr ? verify_inclusion(*inclusion, options) : verify_consistency(*consistency, options);
  if (options.json) {
    nlohmann::ordered_json json{{"holds", verdict.holds}};
    if (!verdict) json["reason"] = verdict.reason;
    json["proof"] = nlohmann::ordered_json::parse(merkle::proof_json(proof));
    print_json(json);
    if (!verdict) return kKeyMismatch;
  }
  if (!verdict) throw base::KeyMismatch(fmt::format("{} does not hold: {}", name, verdict.reason));
  if (options.json) return kSuccess;
  if (inclusion != nullptr)
    print_text("holds: {} of {} leaves ({}, {}{})\n", fmt::join(inclusion->indices, ", "), inclusion->leaves,
               options.hash, merkle::leaf_rule_name(scheme.leaf_rule),
               scheme.chunk_bytes == 0 ? "" : fmt::format(", chunks of {} bytes", scheme.chunk_bytes));
  else
    print_text("holds: {} leaves were extended to {}\n", consistency->old_leaves, consistency->new_leaves);
  return kSuccess;
}

}  // namespace

void add_merkle_proofs(CLI::App& group, int& status) {
  auto [prover, proving] =
      add_command(group, status, "prove", "Prove that leaves stand in the tree over the files", prove,
                  "Example:\n  tacit merkle prove weights.bin --chunk 4KiB --index 3,17 -o weights.proof\n");
  prover
      .add_option("files", proving.files,
                  "Files whose chunks are the leaves, as root takes them: of several each begins with a leaf of its "
                  "own, whose place --json tells")
      ->required();
  prover.add_option("--index", proving.indices, "Leaves to prove, from 0 (a,b,c)")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint64_t{0}, merkle::kMostLeaves - 1));
  prover.add_option("-o,--output", proving.output, "File for the proof; JSON if its name ends in .json")->required();
  prover.add_option("--cap", proving.cap_levels, "Prove against the cap so many levels below the top, not the root")
      ->check(CLI::Range(1u, kMostCapLevels));
  proving.source.add_to(prover);

  auto [verifier, checking] =
      add_command(group, status, "verify", "Check a proof against a root or a cap that you trust", verify,
                  "Ends with status 3 if the proof does not hold.\n\nExample:\n"
                  "  tacit merkle verify weights.proof --root 1f0e...c3 --data chunk3.bin chunk17.bin\n");
  verifier.add_option("proof", checking.proof, "A proof from prove or append")->required();
  verifier.add_option("--root", checking.root, "The root, 64 hexadecimal digits");
  verifier.add_option("--cap", checking.cap,
                      "The cap that the proof ends at, from root; checked against --root, if given");
  verifier.add_option("--hash", checking.hash, "The hash of the tree that the root is of")->capture_default_str();
  verifier.add_option("--old-root", checking.old_root, "The older root of a consistency proof");
  verifier.add_option("--data", checking.payloads, "Files that must be the proven chunks, in the order of the proof");
  verifier.add_flag("--json", checking.json, "Print JSON on standard output instead of text");

  auto [appender, appending] =
      add_command(group, status, "append", "Prove that a tree extends an older one, for logs that only grow", append,
                  "The files are pieces of one log: its leaves are their chunks, without names.\n\n"
                  "Example:\n  tacit merkle append log.1 log.2 -o growth.proof\n");
  appender.add_option("old", appending.old_file, "The file whose chunks are the older tree's leaves")->required();
  appender.add_option("added", appending.added, "Files whose chunks come after them")->required();
  appender.add_option("-o,--output", appending.output, "File for the proof; JSON if its name ends in .json")
      ->required();
  appending.source.add_to(appender);
}

}  // namespace tacit::app::commands
