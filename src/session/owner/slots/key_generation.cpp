#include "session/owner/slots/key_generation.h"

#include "base/parallel.h"
#include "params/account.h"
#include "runtime/slots/key_store.h"
#include "session/output_files.h"

namespace tacit::session {

void require_memory_for_keys(const std::string& owner, const params::CkksLiteral& literal,
                             const params::KeyManifest& keys, const base::MemoryBudget& memory) {
  memory.require("the keys of " + owner + " need", params::key_generation_bytes(literal, keys, base::thread_limit()));
}

KeyRoots generate_keys(const runtime::ClientModel& model, const KeyFiles& files, const base::MemoryBudget& memory,
                       base::Progress& progress) {
  require_memory_for_keys("model '" + model.name + "'", model.literal, model.keys, memory);
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model.literal));
  const runtime::Binding binding{model.id, context->parameters().hash(), runtime::new_key_set_id()};
  const scheme::ckks::KeyGenerator generator(context);
  const scheme::ckks::SecretKey secret = generator.secret_key();
  // The secret goes last: when a file cannot be written, there is none whose keys are missing.
  WrittenFiles written;
  KeyRoots roots;
  roots.evaluation =
      runtime::save(context, generator.evaluation_keys(secret, model.keys, progress), binding, files.evaluation);
  written.add(files.evaluation);
  if (!files.public_key.empty()) {
    roots.public_key = runtime::save(context, generator.public_key(secret), binding, files.public_key);
    written.add(files.public_key);
  }
  runtime::save(context, secret, binding, files.secret);
  written.keep();
  return roots;
}

}  // namespace tacit::session
