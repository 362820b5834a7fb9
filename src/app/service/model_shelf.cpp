#include "app/service/model_shelf.h"

#include <algorithm>

#include "base/error.h"
#include "runtime/compiled_model.h"
#include "runtime/integers/compiled_integers.h"
#include "search/store.h"
#include "session/search/store_half.h"

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

/// The facts of a store that stay the same in all its versions.
nlohmann::ordered_json facts_of_store(const search::StoreShape& shape) {
  nlohmann::ordered_json facts{{"metric", search::metric_name(shape.metric)}, {"dimensions", shape.dimensions}};
  if (shape.payload) facts["record_bytes"] = shape.payload->bytes;
  return facts;
}

void require_same(const runtime::ModelId& client, const runtime::ModelId& server, const std::filesystem::path& half,
                  const std::filesystem::path& file) {
  if (client != server)
    base::refuse("{} is the half of another model than {}; serve what one command wrote", half.string(), file.string());
}

std::unique_ptr<OfferedModel> load_model(const std::filesystem::path& named, const base::MemoryBudget& memory,
                                         const session::ParameterCheck& check) {
  const std::filesystem::path file = std::filesystem::is_directory(named) ? named / "server.tacit" : named;
  auto offered = std::make_unique<OfferedModel>();
  offered->half = session::load_server_half(file, memory, check);
  const session::ServedModel& model = offered->half->model();
  offered->client_half = file.parent_path() / "client.tacit";
  const ClientFacts facts = client_facts(offered->client_half, model.scheme);
  require_same(facts.id, model.binding.model, offered->client_half, file);
  offered->facts = {{"plan", facts_of_plan(facts.plan)}};
  return offered;
}

std::unique_ptr<OfferedModel> load_store(const std::filesystem::path& folder, search::AnswerBits bits,
                                         const base::MemoryBudget& memory, const session::ParameterCheck& check) {
  auto offered = std::make_unique<OfferedModel>();
  offered->half = session::load_store_half(folder, bits, memory, check);
  offered->client_half = folder / search::kClientFile;
  offered->inputs = runtime::ArtefactKind::search_question;
  const search::StoreShape shape = search::read_client_file(offered->client_half).shape;
  require_same(shape.id, offered->half->model().binding.model, offered->client_half, folder);
  offered->facts = {{"store", facts_of_store(shape)}};
  return offered;
}

}  // namespace

ModelShelf::ModelShelf(const std::vector<std::filesystem::path>& files, const base::MemoryBudget& memory,
                       int evaluations, search::AnswerBits bits, const session::ParameterCheck& check,
                       base::Progress& progress) {
  base::MemoryBudget left = memory;
  for (const std::filesystem::path& named : files) {
    const bool is_store = std::filesystem::exists(named / search::kIndexFile);
    std::unique_ptr<OfferedModel> offered =
        is_store ? load_store(named, bits, left, check) : load_model(named, left, check);
    const session::ServedModel& model = offered->half->model();
    offered->id = base::hexadecimal(model.binding.model);
    const std::uint64_t shared =
        offered->half->prepare({.memory = left, .evaluations = evaluations}, model.key_bytes, progress);
    left.reserved += shared;
    // On disk a key is at most what it is in memory, beside names and digests; its uniform half is a seed.
    offered->most_key_bytes = model.key_bytes + model.key_bytes / 8 + (1 << 20);
    nlohmann::ordered_json facts{{"id", offered->id},
                                 {"name", model.name},
                                 {"scheme", model.scheme == runtime::ArtefactScheme::tfhe ? "tfhe" : "ckks"},
                                 {"security_bits", model.parameters.security_bits},
                                 {"parameters", model.parameters.name},
                                 {"key_bytes", model.key_bytes},
                                 {"most_key_file_bytes", offered->most_key_bytes},
                                 {"shared_bytes", shared}};
    facts.update(offered->facts);
    offered->facts = std::move(facts);
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
