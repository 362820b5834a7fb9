#include <tacit/owners.h>

#include <optional>
#include <utility>

#include "app/api/bytes.h"
#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "session/owner/client_half.h"
#include "session/owner/group/group_keys.h"
#include "session/owner/group/group_owner.h"
#include "session/owner/group/new_group.h"
#include "session/owner/group/shared_outputs.h"

namespace tacit {

struct detail::GroupOwnerImpl {
  session::GroupOwner owner;
};

namespace {

std::vector<session::NamedKey> named(const std::vector<NamedKey>& keys) {
  std::vector<session::NamedKey> result;
  for (const NamedKey& key : keys) result.push_back({key.name, open(key.key)});
  return result;
}

std::vector<runtime::Source> all_of(std::span<const Source> sources) {
  std::vector<runtime::Source> result;
  for (const Source& source : sources) result.push_back(open(source));
  return result;
}

void require_permitted_model(const Source& client, InsecureParameters insecure) {
  app::api::require_permitted(session::load_group_model(open(client)).context->parameters().identity(), insecure);
}

std::shared_ptr<const detail::GroupOwnerImpl> owner_of(const Source& client, const Source& group, const Source& secret,
                                                       InsecureParameters insecure) {
  session::OpenGroup opened = session::open_group(open(client), open(group));
  app::api::require_permitted(opened.context->parameters().identity(), insecure);
  return std::make_shared<const detail::GroupOwnerImpl>(
      detail::GroupOwnerImpl{session::GroupOwner(std::move(opened), open(secret))});
}

}  // namespace

void make_owner_key(const Source& client, const Sink& secret, const Sink& public_half, InsecureParameters insecure) {
  require_new(secret);
  require_permitted_model(client, insecure);
  session::make_member_key(open(client), open(secret), open(public_half));
}

void propose_group(const Source& client, const GroupProposal& proposal, const Sink& group,
                   InsecureParameters insecure) {
  require_permitted_model(client, insecure);
  session::new_group({.client = open(client),
                      .owners = named(proposal.owners),
                      .receivers = named(proposal.receivers),
                      .threshold = proposal.threshold,
                      .promise = {.statistical_bits = proposal.statistical_bits, .decryptions = proposal.decryptions}},
                     open(group));
}

void agree_group(const Source& client, const Source& proposed, std::span<const Source> commitments,
                 const Sink& agreed) {
  session::agree(session::open_group(open(client), open(proposed)), all_of(commitments), open(agreed));
}

GroupOwner::GroupOwner(const Source& client, const Source& group, const Source& secret, InsecureParameters insecure)
    : Handle(owner_of(client, group, secret, insecure)) {}

void GroupOwner::commit(const Sink& sink, Progress& progress, std::uint64_t memory_bytes) const {
  impl_->owner.commit(app::api::work_budget(memory_bytes), open(sink), progress);
}

void GroupOwner::first_part(const Sink& sink, Progress& progress, std::uint64_t memory_bytes) const {
  impl_->owner.first_part(app::api::work_budget(memory_bytes), open(sink), progress);
}

void GroupOwner::second_part(std::span<const Source> first, const Sink& sink, Progress& progress) const {
  impl_->owner.second_part(all_of(first), open(sink), progress);
}

std::size_t GroupOwner::share(const Source& results, const Source& receiver, const Sink& sink,
                              std::span<const Source> receipts, std::span<const std::filesystem::path> signers,
                              Progress& progress) const {
  session::ShareRequest request{.results = open(results), .receiver = open(receiver), .receipts = all_of(receipts)};
  for (const std::filesystem::path& signer : signers) request.signers.push_back(base::signer_from_pem(signer));
  return impl_->owner.share(request, open(sink), progress);
}

void combine_keys(const Source& client, const Source& group, std::span<const Source> parts, const Sink& public_key,
                  const Sink& evaluation, Progress& progress) {
  session::combine_keys(session::open_group(open(client), open(group)), all_of(parts), open(public_key),
                        open(evaluation), progress);
}

void encrypt_only(const Source& client, const Source& public_key, std::span<const std::string> names,
                  std::span<const Tensors> rows, const Sink& part, Progress& progress, InsecureParameters insecure) {
  const std::unique_ptr<session::ClientHalf> half = session::load_client_half(open(client))->only(names);
  app::api::require_permitted(half->parameters(), insecure);
  std::vector<std::vector<graph::Tensor>> samples;
  for (std::size_t i = 0; i < rows.size(); ++i)
    samples.push_back(sample_of(half->parts().before, rows[i], "row " + std::to_string(i)));
  const runtime::BatchedInputs batched{samples.size(), half->batch()};
  const auto encryptor = half->encryptor({open(public_key), true}, open(part), batched);
  progress.begin("encrypting", batched.samples());
  for (std::size_t run = 0; run < batched.samples(); ++run) {
    encryptor->add(std::span(samples).subspan(run * batched.batch, batched.of(run)));
    progress.advance();
  }
  encryptor->finish();
  progress.end();
}

void combine_questions(const Source& client, std::span<const Source> parts, const Sink& question, const Source& group,
                       Progress& progress) {
  std::optional<runtime::KeySetId> key_set;
  if (const runtime::Source source = open(group)) key_set = session::open_group(open(client), source).group.key_set;
  session::load_client_half(open(client))->combine_questions(all_of(parts), key_set, open(question), progress);
}

void combine_shares(const Source& client, const Source& group, const Source& results, const Source& receiver,
                    std::span<const Source> shares, const Sink& sink, Progress& progress) {
  session::combine_shares(session::open_group(open(client), open(group)), open(results), open(receiver), all_of(shares),
                          open(sink), progress);
}

std::vector<Tensors> decrypt_shared(const Source& client, const Source& secret, const Source& results,
                                    const Source& question) {
  const std::unique_ptr<session::ClientHalf> half = session::load_client_half(open(client));
  session::ResultRequest request{.key = open(secret), .results = open(results), .question = open(question)};
  const std::unique_ptr<session::ResultFile> file = half->results(request);
  std::vector<Tensors> answers;
  for (std::size_t run = 0; run < file->batched().samples(); ++run)
    for (const std::vector<graph::Tensor>& outputs : file->read(run)) answers.push_back(graph::numbers_of(outputs));
  return answers;
}

}  // namespace tacit
