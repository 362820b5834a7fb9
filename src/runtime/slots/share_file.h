#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/artefact.h"
#include "runtime/slots/owner_group.h"

namespace tacit::runtime {

/// What a file of one owner's shares states about itself.
struct ShareFileHead {
  Binding binding{};  ///< of the group
  int owner = 0;
  KeySetId receiver{};     ///< key set of the receiver's key pair
  base::Digest results{};  ///< root of the results
  std::uint64_t samples = 0;
};

/// Returns what a file of shares states, for whoever passes it on. It is compared with no group, and its shares are not
/// read. Throws InputError for damage, and for an owner beyond kMostMembers.
ShareFileHead share_head(const Source& source);

/// The shares of one sample: of every part that the owner holds, in ascending order, the bytes of its shares
/// (scheme::ckks::ResultSharing) of all ciphertexts of all outputs.
using SampleShares = std::vector<std::vector<std::uint8_t>>;

/// Writes a file of shares. `shares_of` returns the shares of a sample, and is called for one sample at a time.
/// Returns the root. Throws InputError naming the sink.
base::Digest save_shares(const ShareFileHead& head, const std::function<SampleShares(std::uint64_t)>& shares_of,
                         const Sink& sink);

/// Reads a file of shares. Throws InputError for damage and for an owner that the group does not have, and KeyMismatch
/// for a file of another group. Thread safe.
class ShareReader {
 public:
  ShareReader(const Source& source, const OwnerGroup& group);
  const std::string& name() const { return reader_.name(); }
  const ShareFileHead& head() const { return head_; }
  /// Returns the shares of a sample: `parts` of `bytes` bytes each. Throws InputError for other sizes.
  SampleShares read(std::uint64_t sample, std::size_t parts, std::size_t bytes) const;

 private:
  ArtefactReader reader_;
  ShareFileHead head_;
};

}  // namespace tacit::runtime
