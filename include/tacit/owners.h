#pragma once

/// Several owners of one secret key, of whom a threshold decrypts together. The steps are those of the commands `tacit
/// group`, `keygen --group`, `share` and `combine`, between the same files. For models on slots that were compiled with
/// CompileOptions::owners.

#include <tacit/compile_options.h>
#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/model.h>
#include <tacit/progress.h>
#include <tacit/sink.h>
#include <tacit/source.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit {

namespace detail {
struct GroupOwnerImpl;
}

/// The public half of an owner's or a receiver's key pair.
struct NamedKey {
  std::string name;  ///< for people; different for all owners, and for all receivers
  Source key;
};

/// What a group is made of.
struct GroupProposal {
  std::vector<NamedKey> owners;
  int threshold = 0;                  ///< the owners who decrypt together, from 2 to all
  std::vector<NamedKey> receivers{};  ///< who may receive results besides the owners
  double statistical_bits = 30;       ///< 20 to 80, as Disclosure::statistical_bits
  double decryptions = 1024;          ///< 1 to 2^40: the most results under the key that are ever decrypted
};

/// Makes the key pair of an owner or a receiver. `client` is the client's half of the model, here and below. Writes
/// both halves or none. Throws InputError for a model on integers, for an insecure one that is not allowed, and for a
/// secret that is a file which exists.
TACIT_API void make_owner_key(const Source& client, const Sink& secret, const Sink& public_half,
                              InsecureParameters insecure = InsecureParameters::refuse);

/// Writes a proposed group. Throws InputError for a threshold that no group has, for owners that are listed twice, and
/// for a model that was compiled for other owners. Throws KeyMismatch for keys of another model.
TACIT_API void propose_group(const Source& client, const GroupProposal& proposal, const Sink& group,
                             InsecureParameters insecure = InsecureParameters::refuse);

/// Writes the group with the commitments of all its owners. Throws InputError for a missing or repeated one.
TACIT_API void agree_group(const Source& client, const Source& proposed, std::span<const Source> commitments,
                           const Sink& agreed);

/// One owner of a group. The owner sends the same bytes whenever the same is asked. Thread safe.
class TACIT_API GroupOwner : public detail::Handle<const detail::GroupOwnerImpl> {
 public:
  /// Throws InputError for a secret of nobody in the group, and KeyMismatch for one of another model.
  GroupOwner(const Source& client, const Source& group, const Source& secret,
             InsecureParameters insecure = InsecureParameters::refuse);

  /// Each writes one of the three messages for the keys. `memory_bytes` bounds the keys (0: the free memory of this
  /// machine). commit takes the proposed group, the others the agreed one. `first` are the first parts of all owners.
  /// Throws InputError, and writes nothing, if other commitments were answered for this group before, and for a first
  /// part that is missing, repeated, or not the one that its owner committed to.
  void commit(const Sink& sink, Progress& progress = Progress::silent(), std::uint64_t memory_bytes = 0) const;
  void first_part(const Sink& sink, Progress& progress = Progress::silent(), std::uint64_t memory_bytes = 0) const;
  void second_part(std::span<const Source> first, const Sink& sink, Progress& progress = Progress::silent()) const;

  /// Writes the owner's share of results for a receiver, and returns the number of results. They count for
  /// GroupProposal::decryptions. Each of `signers` (files of Ed25519 public keys in PEM) must have signed one of
  /// `receipts` for these results. Throws InputError for a receiver outside of the group, for results that the model
  /// does not end with, without a receipt, and for more results than were promised. Throws KeyMismatch for results of
  /// other keys.
  std::size_t share(const Source& results, const Source& receiver, const Sink& sink,
                    std::span<const Source> receipts = {}, std::span<const std::filesystem::path> signers = {},
                    Progress& progress = Progress::silent()) const;

 private:
  using Handle::Handle;
  friend struct detail::Access;
};

/// Writes the public key and the evaluation keys of a group from the first and second parts of all its owners. Throws
/// InputError for a missing, repeated or altered part, and KeyMismatch for one of another group.
TACIT_API void combine_keys(const Source& client, const Source& group, std::span<const Source> parts,
                            const Sink& public_key, const Sink& evaluation, Progress& progress = Progress::silent());

/// Encrypts inputs of a model that one owner has, under a public key, and writes a part of a question. `names` are the
/// inputs of the model. `rows` has a tensor for each of them, in their order, per evaluation. Works for models of both
/// schemes. Throws InputError as Client::encrypt does, and for an unknown or repeated name. Throws it for an input that
/// nothing encrypted depends on, and for a model that returns inputs unchanged. Throws it if the client computes an
/// encrypted tensor from these inputs and from others.
TACIT_API void encrypt_only(const Source& client, const Source& public_key, std::span<const std::string> names,
                            std::span<const Tensors> rows, const Sink& part, Progress& progress = Progress::silent(),
                            InsecureParameters insecure = InsecureParameters::refuse);

/// Writes a question from the parts of a question of all owners. Evaluation i takes row i of every part. Throws
/// InputError for an input that two parts hold or none holds, and for parts with different numbers of rows. Throws
/// KeyMismatch for parts under different keys or of another model. With `group`, all parts must be under its key.
TACIT_API void combine_questions(const Source& client, std::span<const Source> parts, const Sink& question,
                                 const Source& group = {}, Progress& progress = Progress::silent());

/// Writes the results for a receiver from the shares of enough owners. Throws InputError for too few, repeated or
/// foreign shares, and where copies of a share differ, naming the owner if three hold it.
TACIT_API void combine_shares(const Source& client, const Source& group, const Source& results, const Source& receiver,
                              std::span<const Source> shares, const Sink& sink,
                              Progress& progress = Progress::silent());

/// Returns what a receiver decrypts: the outputs of every input, in order. `question` names the encrypted inputs that
/// the results must answer. Throws InputError and KeyMismatch for files that do not belong together.
TACIT_API std::vector<Tensors> decrypt_shared(const Source& client, const Source& secret, const Source& results,
                                              const Source& question = {});

}  // namespace tacit
