#pragma once

#include <filesystem>
#include <vector>

#include "base/aligned.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "merkle/digest.h"
#include "merkle/file_leaves.h"
#include "merkle/proof_format.h"

/// Merkle trees and proofs from and to files, shared by the command and the C++ interface.
namespace tacit::session {

/// Throws InputError naming the files unless there is a leaf.
void require_a_leaf(const merkle::FileLeaves& leaves, const std::vector<std::filesystem::path>& files);

/// Throws InputError, beginning with `what`, if a tree of this many leaves, 64 bytes each, exceeds the budget.
void require_room(std::uint64_t leaves, const base::MemoryBudget& budget, std::string_view what);

/// Returns all leaves of the files, in memory. Throws InputError if a tree over them exceeds the budget.
base::AlignedVector<merkle::Digest> leaves_of_files(const merkle::TreeScheme& scheme,
                                                    const std::vector<std::filesystem::path>& files,
                                                    const base::MemoryBudget& budget, base::Progress& progress);

/// Reads a proof or a cap. Throws InputError for a file that cannot be read, is larger than 1 GiB, or holds neither.
merkle::ProofFile load_proof(const std::filesystem::path& path);
/// Writes JSON if the name ends in .json, and the binary form otherwise. Throws InputError if that fails.
void write_proof(const merkle::ProofFile& proof, const std::filesystem::path& path);

}  // namespace tacit::session
