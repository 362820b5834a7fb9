#include "runtime/receipt.h"

#include <tacit/receipt.h>

#include "app/api/bytes.h"
#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "base/sha256.h"
#include "runtime/artefact.h"
#include "session/evaluation.h"

namespace tacit {
namespace {

Receipt public_receipt(const runtime::Receipt& receipt) {
  return {receipt.version,
          base::hexadecimal(receipt.parameters),
          base::hexadecimal(receipt.model_id),
          base::hexadecimal(receipt.model),
          base::hexadecimal(receipt.keys),
          base::hexadecimal(receipt.input),
          base::hexadecimal(receipt.output),
          base::hexadecimal(runtime::commitment(receipt)),
          receipt.signed_by ? base::hexadecimal(receipt.signed_by->signer) : "",
          runtime::receipt_json(receipt)};
}

}  // namespace

Receipt evaluate_files(const EvaluationFiles& files, std::uint64_t memory_bytes, Progress& progress,
                       InsecureParameters insecure) {
  const session::Evaluation done = session::evaluate(
      {.model = files.model,
       .keys = files.keys,
       .input = files.input,
       .output = files.output,
       .receipt = files.receipt,
       .checkpoints = files.checkpoint,
       .signing_key = files.signing_key},
      app::api::work_budget(memory_bytes),
      [&](const params::ParameterIdentity& set) { app::api::require_permitted(set, insecure); }, progress);
  return public_receipt(done.receipt);
}

Receipt load_receipt(const Source& source) { return public_receipt(runtime::load_receipt(open(source))); }

std::string root_of(const Source& source) {
  const runtime::Source& from = open(source);
  const runtime::ArtefactReader reader(from, runtime::artefact_kind(from), std::nullopt);
  reader.verify();
  return base::hexadecimal(reader.root());
}

}  // namespace tacit
