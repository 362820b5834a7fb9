#include "session/server_half.h"

#include <set>
#include <string>

#include "base/build_info.h"
#include "base/error.h"

namespace tacit::session {

std::vector<base::Digest> ServerHalf::questions_of(const runtime::SampleReader& inputs, const LoadedKeys& keys) {
  const std::string& file = inputs.name();
  runtime::require_same_keys(keys.provenance(), keys.file().string(), inputs.head().binding, file,
                             runtime::kEncryptInputs);
  std::vector<base::Digest> questions = inputs.digests();
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != questions.size())
    throw base::InputError(file + " holds the same input twice; encrypt each for itself");
  return questions;
}

void ServerHalf::require_sizes(const runtime::SampleReader& inputs, const SampleSizes& sizes) {
  for (std::size_t i = 0; i < inputs.samples(); ++i)
    if (const std::uint64_t bytes = inputs.sample_bytes(i); bytes < sizes.least || bytes > sizes.most)
      base::refuse("{} has a sample {} of {} bytes, and inputs of this model have {}; give the file that encrypt wrote",
                   inputs.name(), i, bytes,
                   sizes.least == sizes.most ? std::to_string(sizes.most)
                                             : std::to_string(sizes.least) + " to " + std::to_string(sizes.most));
}

FoundInputs ServerHalf::found(const runtime::SampleReader& inputs, const SampleSizes& sizes) {
  return {.binding = inputs.head().binding,
          .runs = inputs.samples(),
          .result_bytes = most_file_bytes(inputs.samples(), sizes.results)};
}

std::uint64_t ServerHalf::most_file_bytes(std::uint64_t samples, std::uint64_t sample_bytes) {
  // Beside its bytes a sample has an entry in the table of sections, a gap before it, and the question that it answers;
  // a file has a header, its description, and a digest for each chunk.
  constexpr std::uint64_t kBesideSample = 256, kBesideSamples = 128 << 10;
  const std::uint64_t body = samples * (sample_bytes + kBesideSample) + kBesideSamples;
  return body + (body / runtime::kChunkBytes + 1) * sizeof(base::Digest);
}

void ServerHalf::require_keys_of_start(const base::Digest& root, const LoadedKeys& keys) {
  if (keys.provenance().root != root)
    throw base::KeyMismatch(keys.file().string() + " was replaced while inputs were evaluated with it; begin anew");
}

runtime::Receipt ServerHalf::receipt(const LoadedKeys& keys, const base::Digest& input,
                                     const base::Digest& output) const {
  return {.version = std::string(base::version()),
          .parameters = model_.binding.parameters,
          .model_id = model_.binding.model,
          .model = model_.root,
          .keys = keys.provenance().root,
          .input = input,
          .output = output};
}

std::unique_ptr<ServerHalf> load_server_half(const std::filesystem::path& file, const base::MemoryBudget& memory,
                                             const ParameterCheck& check) {
  return runtime::artefact_scheme(file) == runtime::ArtefactScheme::tfhe
             ? load_server_half_on_integers(file, memory, check)
             : load_server_half_on_slots(file, memory, check);
}

}  // namespace tacit::session
