#include "app/service/model_shelf.h"

#include <algorithm>

#include "base/error.h"
#include "runtime/compiled_model.h"
#include "runtime/integers/compiled_integers.h"

namespace tacit::app::service {
namespace {

/// Facts of a plan that say what a client's keys and evaluations cost; absent ones are left out.
nlohmann::ordered_json facts_of_plan(const std::string& text) {
  const nlohmann::ordered_json plan = nlohmann::ordered_json::parse(text, nullptr, false);
  nlohmann::ordered_json facts;
  if (!plan.is_object()) return facts;
  for (const char* name : {"parameters", "batch", "estimate", "precision", "accuracy", "inputs", "outputs"})
    if (plan.contains(name)) facts[name] = plan[name];
  return facts;
}

struct ClientFacts {
  runtime::ModelId id{};
  std::string plan;
};

ClientFacts client_facts(const std::filesystem::path& file, runtime::ArtefactScheme scheme) {
  if (scheme == runtime::ArtefactScheme::tfhe) {
    const runtime::IntegerClientModel half = runtime::load_integer_client_model(file);
    return {half.id, half.plan};
  }
  const runtime::ClientModel half = runtime::load_client_model(file);
  return {half.id, half.plan};
}

}  // namespace

ModelShelf::ModelShelf(const std::vector<std::filesystem::path>& files, const base::MemoryBudget& memory,
                       int evaluations, const session::ParameterCheck& check, base::Progress& progress) {
  base::MemoryBudget left = memory;
  for (const std::filesystem::path& named : files) {
    const std::filesystem::path file = std::filesystem::is_directory(named) ? named / "server.tacit" : named;
    auto offered = std::make_unique<OfferedModel>();
    offered->half = session::load_server_half(file, left, check);
    const session::ServedModel& model = offered->half->model();
    offered->id = base::hexadecimal(model.binding.model);
    offered->client_half = file.parent_path() / "client.tacit";
    const ClientFacts facts = client_facts(offered->client_half, model.scheme);
    if (facts.id != model.binding.model)
      base::refuse("{} is the half of another model than {}; serve what one compile wrote",
                   offered->client_half.string(), file.string());
    const std::uint64_t shared =
        offered->half->prepare({.memory = left, .evaluations = evaluations}, model.key_bytes, progress);
    left.reserved += shared;
    // On disk a key is at most what it is in memory, beside names and digests; its uniform half is a seed.
    offered->most_key_bytes = model.key_bytes + model.key_bytes / 8 + (1 << 20);
    offered->facts = {{"id", offered->id},
                      {"name", model.name},
                      {"scheme", model.scheme == runtime::ArtefactScheme::tfhe ? "tfhe" : "ckks"},
                      {"security_bits", model.parameters.security_bits},
                      {"parameters", model.parameters.name},
                      {"key_bytes", model.key_bytes},
                      {"most_key_file_bytes", offered->most_key_bytes},
                      {"shared_bytes", shared},
                      {"plan", facts_of_plan(facts.plan)}};
    if (!add(std::move(offered))) base::refuse("{} is a model that is served already; name it once", named.string());
  }
  left.require("keys of the clients that are served at once need", static_cast<double>(key_bytes_of(evaluations)));
}

bool ModelShelf::add(std::unique_ptr<OfferedModel> model) {
  const std::string id = model->id;
  return models_.emplace(id, std::move(model)).second;
}

std::uint64_t ModelShelf::key_bytes_of(int clients) const {
  std::uint64_t largest = 0;
  for (const auto& [id, offered] : models_) largest = std::max(largest, offered->half->model().key_bytes);
  return static_cast<std::uint64_t>(clients) * largest;
}

OfferedModel* ModelShelf::find(const std::string& id) const {
  const auto found = models_.find(id);
  return found == models_.end() ? nullptr : found->second.get();
}

}  // namespace tacit::app::service
