#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "runtime/artefact.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// Takes any artefact of evaluation keys, which are said to hold as many bytes in memory as in their file, and
/// evaluates as it is told to.
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
  runtime::Binding inputs_of(const std::filesystem::path&) const override { return inputs; }
  std::uint64_t prepare(const session::Capacity&, std::uint64_t, base::Progress&) override { return 0; }
  session::EvaluatedInputs evaluate(const session::LoadedKeys&, const session::EvaluatedFiles& files,
                                    base::Progress& progress) override {
    return evaluation(files, progress);
  }

  bool refused = false, internal = false;
  runtime::Binding inputs{};  ///< of whatever file of inputs
  std::function<session::EvaluatedInputs(const session::EvaluatedFiles&, base::Progress&)> evaluation;
};

}  // namespace tacit::app::service
