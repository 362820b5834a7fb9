#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/artefact.h"
#include "runtime/slots/owner_group.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {

/// The rounds in which owners make keys. The numbers are part of the format.
enum class KeyRound { commitment = 0, first = 1, second = 2 };

/// What a file of one owner's part states about itself.
struct KeyPartHead {
  Binding binding{};     ///< with the key set of the agreed group; zero for a commitment
  base::Digest group{};  ///< OwnerGroup::id
  int owner = 0;
  KeyRound round{};
};

/// Returns what a file of a part of keys states, for whoever passes it on. It is compared with no group, and its keys
/// are not read. Throws InputError for damage, and for an owner beyond kMostMembers.
KeyPartHead key_part_head(const Source& source);

/// What an owner sends in the first round: sums over the parts that the owner leads.
struct FirstPart {
  scheme::ckks::PublicKey open;
  scheme::ckks::EvaluationKeys galois;  ///< rotations and conjugation
  /// The masked halves of every digit, then the second ones. None if the model multiplies nothing encrypted.
  std::optional<scheme::ckks::RelinearisationRound> relinearisation{};
};
/// Returns SHA-256 of the bytes of a first part. An owner commits to it.
base::Digest digest_of(const scheme::ckks::Context& context, const FirstPart& part);

/// Write the file of a round. Return the root. Throw InputError naming the sink.
base::Digest save(const scheme::ckks::ContextPtr& context, const KeyPartHead& head, const Commitment& commitment,
                  const Sink& sink);
base::Digest save(const scheme::ckks::ContextPtr& context, const KeyPartHead& head, const FirstPart& part,
                  const Sink& sink);
base::Digest save(const scheme::ckks::ContextPtr& context, const KeyPartHead& head,
                  const scheme::ckks::RelinearisationRound& second, const Sink& sink);

/// Reads a file of one owner's part of keys. Throws InputError for damage, for another round than is read, and for an
/// owner that the group does not have. Throws KeyMismatch for a file of another group or key set.
class KeyPartReader {
 public:
  KeyPartReader(const Source& source, scheme::ckks::ContextPtr context, const OwnerGroup& group);
  const std::string& name() const { return reader_.name(); }
  const KeyPartHead& head() const { return head_; }
  Commitment commitment(const params::OwnerParts& parts) const;
  /// Throws InputError unless the part is the one that its owner committed to.
  FirstPart first(const base::Digest& committed) const;
  scheme::ckks::RelinearisationRound second() const;

 private:
  void require_round(KeyRound round) const;

  ArtefactReader reader_;
  scheme::ckks::ContextPtr context_;
  KeyPartHead head_;
};

}  // namespace tacit::runtime
