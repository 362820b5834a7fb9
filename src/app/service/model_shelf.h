#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// A model that is served.
struct OfferedModel {
  std::string id;  ///< 64 hexadecimal digits
  std::unique_ptr<session::ServerHalf> half;
  std::filesystem::path client_half;  ///< what clients download
  std::uint64_t most_key_bytes = 0;   ///< of a file of evaluation keys
  nlohmann::ordered_json facts;       ///< what a client sees of it before it makes keys
};

/// The models of a service, prepared: shared by all clients and threads, once all were added.
class ModelShelf {
 public:
  ModelShelf() = default;
  /// `files` are folders that compile wrote, or server halves with the client's half beside them. Prepares each for
  /// `evaluations` at once. Throws InputError for what is no such file, and where memory is short.
  ModelShelf(const std::vector<std::filesystem::path>& files, const base::MemoryBudget& memory, int evaluations,
             const session::ParameterCheck& check, base::Progress& progress);
  /// One more, which is prepared. False, and nothing added, where there is one of its id.
  bool add(std::unique_ptr<OfferedModel> model);
  /// Null where there is none.
  OfferedModel* find(const std::string& id) const;
  const std::map<std::string, std::unique_ptr<OfferedModel>>& all() const { return models_; }
  /// Of the keys of so many clients, for the model whose keys are the largest.
  std::uint64_t key_bytes_of(int clients) const;

 private:
  std::map<std::string, std::unique_ptr<OfferedModel>> models_;
};

}  // namespace tacit::app::service
