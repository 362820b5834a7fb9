#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "runtime/artefact.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// Takes any artefact of evaluation keys, and evaluates as a test tells it to. The keys' size in memory is the size of
/// their file.
class AnyKeys final : public session::ServerHalf {
 public:
  static constexpr runtime::KeySetId kKeySet{7};
  AnyKeys() { model_.scheme = runtime::ArtefactScheme::ckks; }
  std::shared_ptr<const session::LoadedKeys> load_keys(const std::filesystem::path& file) const override {
    if (internal) throw base::InternalError("a contract is broken");
    if (refused) throw base::InputError(file.string() + " holds keys of another model");
    const runtime::ArtefactReader reader(file, runtime::ArtefactKind::evaluation_keys);
    runtime::Provenance provenance;
    provenance.root = reader.root();
    provenance.key_set = kKeySet;
    return std::make_shared<session::LoadedKeysOf<int>>(provenance, file, std::make_shared<const int>(0),
                                                        reader.file_bytes());
  }
  session::FoundInputs inputs_of(const std::filesystem::path&) const override {
    return {.binding = inputs, .runs = runs, .result_bytes = result_bytes};
  }
  std::unique_ptr<session::StartedEvaluation> start(const session::LoadedKeys&, const std::filesystem::path& input,
                                                    const std::filesystem::path& output) override {
    return std::make_unique<Started>(*this, input, output);
  }
  std::uint64_t prepare(const session::Capacity&, std::uint64_t, base::Progress&) override { return 0; }
  session::EvaluatedInputs evaluate(const session::LoadedKeys&, const session::EvaluatedFiles& files,
                                    base::Progress& progress) override {
    return evaluation(files, progress);
  }

  bool refused = false, internal = false;
  runtime::Binding inputs{};  ///< binding of every file of inputs
  std::size_t runs = 1;
  std::uint64_t result_bytes = 0;
  /// Called after each of `runs`, when an evaluation may pause.
  std::function<void(const session::EvaluatedFiles&)> after_run;
  std::function<session::EvaluatedInputs(const session::EvaluatedFiles&, base::Progress&)> evaluation;

 private:
  class Started final : public session::StartedEvaluation {
   public:
    Started(AnyKeys& half, const std::filesystem::path& input, const std::filesystem::path& output)
        : half_(half), files_{input, output} {}
    std::optional<session::EvaluatedInputs> go_on(const session::LoadedKeys&, base::Progress& progress,
                                                  const std::function<bool()>& pause) override {
      while (++done_ < half_.runs) {
        if (half_.after_run) half_.after_run(files_);
        if (pause()) return {};
      }
      return half_.evaluation(files_, progress);
    }

   private:
    AnyKeys& half_;
    const session::EvaluatedFiles files_;
    std::size_t done_ = 0;
  };
};

}  // namespace tacit::app::service
