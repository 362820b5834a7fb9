#include <fmt/format.h>

#include "check/slots/validation_run.h"
#include "runtime/slots/client.h"
#include "runtime/slots/executor.h"
#include "session/owner/engine.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/result_reader.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

class EncryptedEngine final : public Engine {
 public:
  EncryptedEngine(const Compilation& compilation, const base::MemoryBudget& memory, base::Progress& progress)
      : parts_(compilation.model.parts), reader_(parts_, Disclosure{}) {
    const Stopwatch watch;
    const graph::CompiledModel& model = compilation.model;
    auto client = std::make_shared<runtime::ClientModel>();
    client->name = compilation.name;
    client->literal = model.parameters;
    client->interface = model.client;
    const check::OwnerKeys keys = check::OwnerKeys::generate(model, progress, memory);
    client_ = std::make_unique<runtime::Client>(std::move(client), keys.context, keys.secret);
    key_bytes_ = keys.evaluation->bytes();
    const auto prepared = std::make_shared<const runtime::PreparedProgram>(
        keys.context, model.program, runtime::PrepareOptions{.memory = memory, .progress = &progress});
    executor_ = std::make_unique<runtime::Executor>(prepared, keys.evaluation);
    keygen_seconds_ = watch.seconds();
    const Stopwatch encoding;
    prepared->encode();
    encode_seconds_ = encoding.seconds();
  }

  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    Inference inference;
    const Stopwatch encrypting;
    const std::vector<runtime::CiphertextArray> inputs = encrypt_samples(*client_, parts_, samples);
    inference.encrypt_seconds = encrypting.seconds();
    const Stopwatch evaluating;
    const runtime::RunResult result = executor_->run(inputs);
    inference.evaluate_seconds = evaluating.seconds();
    inference.instruction_seconds = result.seconds;
    const Stopwatch decrypting;
    inference.outputs = reader_.read(*client_, result.outputs, samples.size());
    inference.decrypt_seconds = decrypting.seconds();
    return inference;
  }
  bool concurrent() const override { return false; }
  double keygen_seconds() const override { return keygen_seconds_; }
  double encode_seconds() const override { return encode_seconds_; }
  std::uint64_t key_bytes() const override { return key_bytes_; }

 private:
  const graph::ClientParts& parts_;
  ResultReader reader_;
  std::unique_ptr<runtime::Client> client_;
  std::unique_ptr<runtime::Executor> executor_;
  double keygen_seconds_ = 0, encode_seconds_ = 0;
  std::uint64_t key_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_encrypted_engine(const Compilation& compilation, const base::MemoryBudget& memory,
                                              base::Progress& progress) {
  return std::make_unique<EncryptedEngine>(compilation, memory, progress);
}

}  // namespace tacit::session
