#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "app/api/bytes.h"
#include "app/api/slots/tile_impl.h"
#include "base/naming.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/key_store.h"

namespace tacit::tile {
namespace {

using runtime::Binding;

const EncryptedSession& of_ciphertexts(const tensor::SessionPtr& session, const char* what) {
  const auto* const found = dynamic_cast<const EncryptedSession*>(session.get());
  if (found == nullptr)
    throw base::InputError(std::string(what) + ": only an encrypted session has keys and tiles that a file can hold");
  return *found;
}

/// A tensor's name in a file: its shape, and how far a sum went whose copies wait to be made.
std::string name_of(const tensor::TileTensor& tensor) {
  std::string name = tensor.shape().to_string();
  if (tensor.pending_dim() >= 0) name += fmt::format(" {} {}", tensor.pending_dim(), tensor.pending_places());
  return name;
}

tensor::TileTensor named(const std::string& name, const tensor::SessionPtr& session, program::ArrayPtr tiles) {
  const std::size_t end = name.rfind('}') + 1;
  layout::TileShape shape = layout::TileShape::parse(std::string_view(name).substr(0, end));
  if (shape.is_recipe() || shape.slots() != session->slots() || shape.tiles() != tiles->count())
    throw base::InputError("the shape " + shape.to_string() + " does not fit its " + std::to_string(tiles->count()) +
                           " tiles of " + std::to_string(session->slots()) + " slots");
  const tensor::TileTensor tensor(session, shape, std::move(tiles));
  if (end == name.size()) return tensor;
  int dim = -1;
  layout::Index places = 0;
  const char *const begin = name.data() + end + 1, *const last = name.data() + name.size();
  const auto [middle, first_error] = std::from_chars(begin, last, dim);
  const bool parted = first_error == std::errc() && middle != last && *middle == ' ';
  const auto [stop, error] =
      parted ? std::from_chars(middle + 1, last, places) : std::from_chars_result{begin, first_error};
  if (!parted || error != std::errc() || stop != last || dim < 0 || dim >= shape.rank() || places < 1 ||
      (places & (places - 1)) != 0 || places >= shape.dim(dim).tile || shape.dim(dim).size != 1 || !shape.leads(dim))
    throw base::InputError("the tensor's description is damaged");
  return tensor.with_pending(dim, places);
}

}  // namespace

void Session::save_keys(const Sink& secret, const Sink& evaluation) const {
  const EncryptedSession& session = of_ciphertexts(impl_->value, "save_keys");
  if (impl_->secret == nullptr || impl_->keys == nullptr)
    throw base::InputError("save_keys: this session was opened with one half of its keys, which are in a file already");
  runtime::save(session.context(), *impl_->secret, session.binding(), open(secret));
  runtime::save(session.context(), *impl_->keys, session.binding(), open(evaluation));
}

Session Session::from_keys(std::string_view requirement, const Source& secret, const Source& evaluation,
                           InsecureParameters insecure) {
  const runtime::Source &from_secret = open(secret), &from_keys = open(evaluation);
  if (!from_secret && !from_keys)
    throw base::InputError("from_keys: a file with a secret or one with evaluation keys is needed");
  const params::RequiredParameters parameters = required_parameters(requirement, insecure);
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(parameters.literal));
  std::shared_ptr<const scheme::ckks::SecretKey> own;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
  runtime::Provenance of_secret, of_keys;
  if (from_secret)
    own = std::make_shared<const scheme::ckks::SecretKey>(
        runtime::load_secret_key(from_secret, context, nullptr, of_secret));
  if (from_keys)
    keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
        runtime::load_evaluation_keys(from_keys, context, nullptr, of_keys));
  if (own != nullptr && keys != nullptr)
    runtime::require_same_keys(of_secret, from_secret.name(), of_keys, from_keys.name());
  auto made = std::make_shared<EncryptedSession>(context, parameters.base_level, own.get(), keys,
                                                 own != nullptr ? of_secret : of_keys);
  return Access::make<Session>(std::move(made), nullptr, std::move(own), std::move(keys));
}

void save(const Tensor& tensor, const Sink& sink) {
  const tensor::TileTensor& saved = open(tensor);
  const EncryptedSession& tiles = of_ciphertexts(saved.session(), "save");
  const std::vector<runtime::CiphertextArray> sample{tiles.ciphertexts(saved.view())};
  runtime::save_sample(tiles.context(), {runtime::CiphertextRole::tiles, tiles.binding(), {name_of(saved)}}, sample,
                       open(sink));
}

Tensor load(const Session& session, const Source& source) {
  const EncryptedSession& tiles = of_ciphertexts(open(session), "load");
  const runtime::CiphertextReader reader(open(source), tiles.context(), runtime::CiphertextRole::tiles);
  runtime::require_same_keys(tiles.binding(), "the session", reader.binding(), reader.name());
  if (reader.samples() != 1 || reader.names().size() != 1)
    throw base::InputError(reader.name() + ": holds more or less than one tensor; it was not written by tile::save");
  return base::naming(reader.name(), [&] {
    return Access::make<Tensor>(
        named(reader.names().front(), open(session), tiles.array_of(std::move(reader.read(0).front()))));
  });
}

}  // namespace tacit::tile
