#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.h"
#include "runtime/sink.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/result_share.h"
#include "session/owner/group/open_group.h"

namespace tacit::session {

/// Returns the receiver's key in a file. Throws InputError unless it is that of an owner or a receiver of the group.
runtime::GroupMember receiver_of(const OpenGroup& group, const runtime::Source& receiver);

/// The outputs of a model as several owners decrypt them for a receiver: each with its flood. Thread safe.
class SharedOutputs {
 public:
  /// Throws InputError for a model whose noise is not known.
  SharedOutputs(const OpenGroup& group, const scheme::ckks::PublicKey& receiver);

  /// Throws InputError for a sample that the model does not end with: other numbers of ciphertexts, levels or scales,
  /// or numbers in the clear.
  void require(const runtime::CiphertextReader& results, std::span<const runtime::CiphertextArray> sample) const;
  /// Returns the bytes of the shares of all ciphertexts of a sample.
  std::vector<std::uint8_t> share(const scheme::ckks::SubSecret& secret,
                                  std::span<const runtime::CiphertextArray> sample) const;
  /// Returns the number of these bytes.
  std::size_t share_bytes(std::span<const runtime::CiphertextArray> sample) const;
  /// Returns the sample under the receiver's key, from the bytes of one share for every part.
  std::vector<runtime::CiphertextArray> combine(std::span<const runtime::CiphertextArray> sample,
                                                std::span<const std::vector<std::uint8_t>* const> shares) const;

 private:
  struct Output {
    std::string name;
    std::size_t ciphertexts;
    int level;
    double scale;
    int log_gap;  ///< of shares and results (runtime::answer_gap)
    scheme::ckks::ResultSharing sharing;
  };
  std::vector<Output> outputs_;  ///< by output of the program
};

/// Writes the results for the receiver from the shares of enough owners. Throws InputError in these cases:
/// - Two files are of one owner.
/// - A share is of other results, or for another receiver.
/// - The owners do not hold all parts together.
/// - Copies of a share differ. The sentence names the owner whose copy differs from two others, or the two owners.
/// Throws KeyMismatch for shares of another group.
void combine_shares(const OpenGroup& group, const runtime::Source& results, const runtime::Source& receiver,
                    const std::vector<runtime::Source>& shares, const runtime::Sink& sink, base::Progress& progress);

}  // namespace tacit::session
