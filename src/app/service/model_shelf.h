#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "search/score_noise.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// A model that is served, or a store that answers questions.
struct OfferedModel {
  std::string id;  ///< 64 hexadecimal digits
  std::unique_ptr<session::ServerHalf> half;
  std::filesystem::path client_half;                                  ///< the file that clients download
  runtime::ArtefactKind inputs = runtime::ArtefactKind::ciphertexts;  ///< the files that evaluations take
  std::uint64_t most_key_bytes = 0;                                   ///< of a file of evaluation keys
  nlohmann::ordered_json facts;                                       ///< facts for a client, before it makes keys
};

/// The models of a service, prepared. All clients and threads share them, once all are added.
class ModelShelf {
 public:
  ModelShelf() = default;
  /// Loads models and prepares each for `evaluations` at once. `files` are folders that compile wrote, server halves
  /// next to their client's halves, or stores, whose answers have `bits`. Throws InputError for other files, and if
  /// memory is short.
  ModelShelf(const std::vector<std::filesystem::path>& files, const base::MemoryBudget& memory, int evaluations,
             search::AnswerBits bits, const session::ParameterCheck& check, base::Progress& progress);
  /// Adds a prepared model. Returns false and adds nothing if there is a model of its id.
  bool add(std::unique_ptr<OfferedModel> model);
  /// Returns a model; null if there is none of this id.
  OfferedModel* find(const std::string& id) const;
  const std::map<std::string, std::unique_ptr<OfferedModel>>& all() const { return models_; }
  /// The bytes of the keys of this many clients, for the model with the largest keys.
  std::uint64_t key_bytes_of(int clients) const;

 private:
  std::map<std::string, std::unique_ptr<OfferedModel>> models_;
};

}  // namespace tacit::app::service
