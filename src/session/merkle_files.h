#pragma once

#include <filesystem>
#include <vector>

#include "base/aligned.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "merkle/digest.h"
#include "merkle/file_leaves.h"
#include "merkle/proof_format.h"

/// Merkle trees and proofs from and to files, as the command and the C++ interface share them.
namespace tacit::session {

/// Throws InputError naming the files unless there is a leaf.
void require_a_leaf(const merkle::FileLeaves& leaves, const std::vector<std::filesystem::path>& files);

/// Throws InputError, beginning with `what`, where a tree of so many leaves, 64 bytes each, is more than the budget
/// has.
void require_room(std::uint64_t leaves, const base::MemoryBudget& budget, std::string_view what);

/// All leaves of the files, in memory. Throws InputError where there is no room for a tree over them.
base::AlignedVector<merkle::Digest> leaves_of_files(const merkle::Scheme& scheme,
                                                    const std::vector<std::filesystem::path>& files,
                                                    const base::MemoryBudget& budget, base::Progress& progress);

/// A proof or a cap. Throws InputError for a file that cannot be read, is larger than 1 GiB, or holds neither.
merkle::ProofFile load_proof(const std::filesystem::path& path);
/// Writes JSON where the name ends in .json, the binary form otherwise. Throws InputError where that fails.
void write_proof(const merkle::ProofFile& proof, const std::filesystem::path& path);

}  // namespace tacit::session
