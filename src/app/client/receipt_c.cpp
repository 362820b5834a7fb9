#include <tacit/client_c.h>

#include <algorithm>
#include <cstring>

#include "app/client/guarded.h"
#include "app/client/opened_model.h"
#include "runtime/artefact.h"
#include "runtime/receipt.h"

using namespace tacit;
using namespace tacit::app::client;

namespace {

/// Throws KeyMismatch unless the receipt names the root of these ciphertexts. Checks every byte of them.
void require_named(TacitBytes bytes, const char* name, const base::Digest& said) {
  if (bytes.size == 0) return;
  const runtime::ArtefactReader reader(source_of(bytes, name), runtime::ArtefactKind::ciphertexts, std::nullopt);
  reader.verify();
  if (reader.root() != said)
    throw base::KeyMismatch(fmt::format("the receipt is not of {}: its root is {}, the receipt's {}", name,
                                        base::hexadecimal(reader.root()), base::hexadecimal(said)));
}

}  // namespace

TacitStatus tacit_client_check_receipt(const TacitClientModel* model, TacitBytes receipt, const uint8_t* keys_root,
                                       TacitBytes question, TacitBytes results, uint8_t signer[32]) {
  return guarded([&] {
    require(model != nullptr, "the model");
    require(signer != nullptr, "the place of the signer");
    std::fill_n(signer, sizeof(base::SignerId), std::uint8_t{0});
    const runtime::Receipt found = runtime::load_receipt(source_of(receipt, "the receipt"));
    if (found.model_id != model->half->id())
      throw base::KeyMismatch(fmt::format("the receipt speaks of another model: its id is {}, the model's {}",
                                          base::hexadecimal(found.model_id), base::hexadecimal(model->half->id())));
    if (found.parameters != model->half->parameters().hash)
      throw base::KeyMismatch("the receipt has other parameters than the model");
    if (keys_root != nullptr && !std::equal(found.keys.begin(), found.keys.end(), keys_root))
      throw base::KeyMismatch(
          fmt::format("the receipt is of other evaluation keys: their root is {}", base::hexadecimal(found.keys)));
    require_named(question, "the question", found.input);
    require_named(results, "the answer", found.output);
    if (found.signed_by) std::ranges::copy(found.signed_by->signer, signer);
  });
}
