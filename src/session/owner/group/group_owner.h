#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/ed25519.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "runtime/slots/key_part_file.h"
#include "runtime/slots/share_file.h"
#include "scheme/ckks/sub_secret.h"
#include "session/owner/group/open_group.h"

namespace tacit::session {

/// What an owner decrypts, and for whom.
struct ShareRequest {
  runtime::Source results;   ///< of evaluate
  runtime::Source receiver;  ///< receiver's key: of an owner, or of a receiver of the group
  std::vector<runtime::Source> receipts{};
  std::vector<base::SignerId> signers{};  ///< each must have signed a receipt for these results
};

/// What one owner of a group does. All that an owner sends is a function of the secret and of what is asked: asked
/// again, the owner sends the same bytes. Thread safe.
class GroupOwner {
 public:
  /// Reads the secret of one of the group's owners. Throws InputError for a secret of nobody in the group, and
  /// KeyMismatch for one of another model.
  GroupOwner(OpenGroup group, const runtime::Source& secret);

  int index() const { return index_; }
  const OpenGroup& group() const { return group_; }

  /// Writes the commitment to the first part. Takes as long as making that part. Throws InputError if the budget does
  /// not hold the keys, or the file cannot be written.
  void commit(const base::MemoryBudget& memory, const runtime::Sink& sink, base::Progress& progress) const;
  /// Writes the first part. Throws InputError as above, for a group that is only proposed, and if the secret made parts
  /// of the same group with other commitments.
  void first_part(const base::MemoryBudget& memory, const runtime::Sink& sink, base::Progress& progress) const;
  /// Writes the second part from the first parts of all owners. Throws InputError as above, for a model whose keys need
  /// no second round, and for a first part that is missing, given twice, or not the one that its owner committed to.
  void second_part(const std::vector<runtime::Source>& first, const runtime::Sink& sink,
                   base::Progress& progress) const;
  /// Writes the owner's shares of results, and returns their number of samples. They count for the promise of the group
  /// (count_shared_results). Throws InputError in these cases:
  /// - The receiver is neither an owner nor a receiver of the group.
  /// - The model does not end with such results.
  /// - A signer has signed no receipt.
  /// - There are more results than the group promised.
  /// Throws KeyMismatch for results of other keys or of another model.
  std::size_t share(const ShareRequest& request, const runtime::Sink& sink, base::Progress& progress) const;

 private:
  base::Seed seed_of(std::size_t part) const;
  /// Throws InputError unless the group is the agreed one for which alone this secret makes parts.
  void note_agreed() const;
  runtime::FirstPart make_first_part(const base::MemoryBudget& memory, base::Progress& progress) const;
  runtime::KeyPartHead head(runtime::KeyRound round) const;
  /// Returns the sub-secrets of all parts that the owner holds, in ascending order.
  std::vector<scheme::ckks::SubSecret> held_secrets() const;
  void require_receipts(const ShareRequest& request, const base::Digest& results) const;

  OpenGroup group_;
  params::OwnerParts parts_;
  runtime::Source source_;
  int index_ = 0;
  scheme::ckks::SecretKey secret_;
};

}  // namespace tacit::session
