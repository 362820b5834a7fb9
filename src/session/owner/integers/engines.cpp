#include "session/owner/integers/engines.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/error.h"
#include "graph/client_answers.h"
#include "program/integers/noise.h"
#include "runtime/communicator.h"
#include "runtime/integers/ranked_integers.h"
#include "session/owner/integers/parties.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using graph::quant::CompiledIntegers;
using integers::Integers;
using scheme::tfhe::LweCiphertexts;

/// A run takes one sample, so that those of a call follow each other.
constexpr const char* kOneSample = "a run on integers takes one sample";

class IntegerEngine final : public Engine {
 public:
  IntegerEngine(const CompiledIntegers& model, const base::MemoryBudget& memory, base::Progress& progress,
                std::size_t runs)
      : model_(model), client_(model.parts), parties_(model, memory, progress) {
    preparation_.keygen_seconds = watch_.seconds();
    preparation_.key_bytes = parties_.keys->bytes();
    runs_ = std::make_unique<runtime::RankedIntegers>(runtime::world(), parties_.context, model.program, parties_.keys,
                                                      runs, runtime::PrepareOptions{.memory = memory});
    preparation_.encode_seconds = watch_.seconds() - preparation_.keygen_seconds;
  }

  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    Inference inference;
    const std::vector<std::vector<LweCiphertexts>> inputs{encrypt(samples, inference)};
    const Stopwatch evaluating;
    const std::vector<runtime::IntegerRunResult> results = runs_->run(inputs);
    inference.evaluate_seconds = evaluating.seconds();
    decrypt(results.front(), samples, inference);
    return inference;
  }
  std::size_t at_once() const override { return runs_->at_once(); }
  std::vector<Inference> infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs) override {
    std::vector<Inference> round(runs.size());
    std::vector<std::vector<LweCiphertexts>> inputs;
    std::vector<std::size_t> accepted;
    for (std::size_t r = 0; r < runs.size(); ++r)
      unless_refused(round[r], [&] {
        inputs.push_back(encrypt(runs[r], round[r]));
        accepted.push_back(r);
      });
    if (inputs.empty()) return round;
    const Stopwatch evaluating;
    const std::vector<runtime::IntegerRunResult> results = runs_->run(inputs);
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
  std::vector<LweCiphertexts> encrypt(std::span<const std::vector<graph::Tensor>> samples, Inference& inference) const {
    if (samples.size() != 1) throw base::InternalError(kOneSample);
    const Stopwatch encrypting;
    std::vector<LweCiphertexts> inputs = parties_.encrypt(model_, samples[0]);
    inference.encrypt_seconds = encrypting.seconds();
    return inputs;
  }
  void decrypt(const runtime::IntegerRunResult& result, std::span<const std::vector<graph::Tensor>> samples,
               Inference& inference) const {
    inference.instruction_seconds = result.seconds;
    const Stopwatch decrypting;
    inference.outputs.push_back(graph::answers_of(client_, parties_.client.decrypt(result.outputs),
                                                  graph::kept_tensors(model_.parts, samples[0])));
    inference.decrypt_seconds = decrypting.seconds();
  }

  const Stopwatch watch_;  ///< of what is made before the first sample
  const CompiledIntegers& model_;
  const graph::ClientRun client_;
  IntegerParties parties_;
  std::unique_ptr<runtime::RankedIntegers> runs_;
};

class SimulatedIntegerEngine final : public Engine {
 public:
  SimulatedIntegerEngine(const CompiledIntegers& model, const integers::ClearProgram& reading)
      : model_(model),
        client_(model.parts),
        reading_(reading),
        deviations_(integers::noise_deviations(model.program, params::TfheParameters::check(model.parameters))),
        of_bits_(integers::rounding_deviations(model.program, params::TfheParameters::check(model.parameters))),
        moved_(deviations_.size(), 0) {}

  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    if (samples.size() != 1) throw base::InternalError(kOneSample);
    const Stopwatch watch;
    Inference inference;
    std::vector<std::size_t> moved(moved_.size(), 0);
    inference.outputs.push_back(
        model_outputs(model_, client_,
                      reading_.run(quantised_inputs(model_, samples[0]), {},
                                   integers::ClearProgram::Noise{deviations_, next_seed_++, of_bits_, moved}),
                      graph::kept_tensors(model_.parts, samples[0])));
    inference.evaluate_seconds = watch.seconds();
    const std::lock_guard lock(mutex_);
    ++runs_;
    for (std::size_t i = 0; i < moved.size(); ++i) moved_[i] += moved[i];
    return inference;
  }
  bool concurrent() const override { return true; }
  std::vector<double> neighbour_shares() const override {
    const std::lock_guard lock(mutex_);
    std::vector<double> shares;
    for (std::size_t i = 0; i < moved_.size(); ++i)
      shares.push_back(
          static_cast<double>(moved_[i]) /
          static_cast<double>(std::max<std::size_t>(1, runs_ * integers::elements(model_.program.instructions[i]))));
    return shares;
  }

 private:
  const CompiledIntegers& model_;
  const graph::ClientRun client_;
  const integers::ClearProgram& reading_;
  std::vector<double> deviations_;
  std::vector<std::vector<double>> of_bits_;
  mutable std::mutex mutex_;
  std::vector<std::size_t> moved_;  ///< lookups, by value
  std::size_t runs_ = 0;
  std::atomic<std::uint64_t> next_seed_{1};
};

}  // namespace

std::vector<Integers> quantised_inputs(const CompiledIntegers& model, const std::vector<graph::Tensor>& sample) {
  const std::vector<graph::Tensor> tensors = graph::run_before(model.parts, sample);
  std::vector<Integers> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    inputs.push_back(integers::quantise(model.client.inputs.at(i), tensors[i].data));
  return inputs;
}

std::vector<graph::Tensor> model_outputs(const CompiledIntegers& model, const graph::ClientRun& client,
                                         const std::vector<Integers>& results, std::span<const graph::Tensor> kept) {
  std::vector<std::vector<double>> decrypted;
  for (std::size_t o = 0; o < results.size(); ++o)
    decrypted.push_back(integers::dequantise(model.client.outputs.at(o), results[o]));
  return graph::answers_of(client, decrypted, kept);
}

std::unique_ptr<Engine> make_integer_engine(const CompiledIntegers& model, const base::MemoryBudget& memory,
                                            base::Progress& progress, std::size_t runs) {
  return std::make_unique<IntegerEngine>(model, memory, progress, runs);
}

std::unique_ptr<Engine> make_simulated_integer_engine(const CompiledIntegers& model,
                                                      const integers::ClearProgram& reading) {
  return std::make_unique<SimulatedIntegerEngine>(model, reading);
}

}  // namespace tacit::session
