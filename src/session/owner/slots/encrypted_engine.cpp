#include "check/slots/validation_run.h"
#include "runtime/communicator.h"
#include "runtime/slots/client.h"
#include "runtime/slots/ranked_runs.h"
#include "session/owner/engine.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/result_reader.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

class EncryptedEngine final : public Engine {
 public:
  EncryptedEngine(const Compilation& compilation, const base::MemoryBudget& memory, base::Progress& progress,
                  std::size_t runs)
      : parts_(compilation.model.parts), reader_(parts_, Disclosure{}) {
    const Stopwatch watch;
    const graph::CompiledModel& model = compilation.model;
    auto client = std::make_shared<runtime::ClientModel>();
    client->name = compilation.name;
    client->literal = model.parameters;
    client->interface = model.client;
    const check::OwnerKeys keys = check::OwnerKeys::generate(model, progress, memory);
    client_ = std::make_unique<runtime::Client>(std::move(client), keys.context, keys.secret);
    preparation_.key_bytes = keys.evaluation->bytes();
    runs_ = std::make_unique<runtime::RankedRuns>(runtime::world(), keys.context, model.program, keys.evaluation, runs,
                                                  runtime::PrepareOptions{.memory = memory, .progress = &progress});
    preparation_.keygen_seconds = watch.seconds();
    const Stopwatch encoding;
    runs_->encode();
    preparation_.encode_seconds = encoding.seconds();
  }

  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    Inference inference;
    const std::vector<std::vector<runtime::CiphertextArray>> inputs{encrypt(samples, inference)};
    const Stopwatch evaluating;
    const std::vector<runtime::RunResult> results = runs_->run(inputs);
    inference.evaluate_seconds = evaluating.seconds();
    decrypt(results.front(), samples, inference);
    return inference;
  }
  std::size_t at_once() const override { return runs_->at_once(); }
  std::vector<Inference> infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs) override {
    std::vector<Inference> round(runs.size());
    std::vector<std::vector<runtime::CiphertextArray>> inputs;
    std::vector<std::size_t> accepted;
    for (std::size_t r = 0; r < runs.size(); ++r)
      unless_refused(round[r], [&] {
        inputs.push_back(encrypt(runs[r], round[r]));
        accepted.push_back(r);
      });
    if (inputs.empty()) return round;
    const Stopwatch evaluating;
    const std::vector<runtime::RunResult> results = runs_->run(inputs);
    const double share = evaluating.seconds() / static_cast<double>(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      Inference& inference = round[accepted[i]];
      inference.evaluate_seconds = share;
      unless_refused(inference, [&] { decrypt(results[i], runs[accepted[i]], inference); });
    }
    return round;
  }
  bool concurrent() const override { return false; }

 private:
  std::vector<runtime::CiphertextArray> encrypt(std::span<const std::vector<graph::Tensor>> samples,
                                                Inference& inference) {
    const Stopwatch encrypting;
    std::vector<runtime::CiphertextArray> inputs = encrypt_samples(*client_, parts_, samples);
    inference.encrypt_seconds = encrypting.seconds();
    return inputs;
  }
  void decrypt(const runtime::RunResult& result, std::span<const std::vector<graph::Tensor>> samples,
               Inference& inference) {
    inference.instruction_seconds = result.seconds;
    const Stopwatch decrypting;
    inference.outputs = reader_.read(*client_, result.outputs, samples.size(), graph::kept_tensors(parts_, samples),
                                     &inference.refusals);
    inference.decrypt_seconds = decrypting.seconds();
  }

  const graph::ClientParts& parts_;
  ResultReader reader_;
  std::unique_ptr<runtime::Client> client_;
  std::unique_ptr<runtime::RankedRuns> runs_;
};

}  // namespace

std::unique_ptr<Engine> make_encrypted_engine(const Compilation& compilation, const base::MemoryBudget& memory,
                                              base::Progress& progress, std::size_t runs) {
  return std::make_unique<EncryptedEngine>(compilation, memory, progress, runs);
}

}  // namespace tacit::session
