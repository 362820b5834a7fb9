#include <fmt/format.h>
#include <tacit/client_c.h>
#include <tacit/version.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/client/guarded.h"
#include "app/client/opened_model.h"
#include "base/sha256.h"
#include "base/wipe.h"
#include "layout/layout.h"
#include "runtime/artefact.h"

using namespace tacit;
using namespace tacit::app::client;

struct TacitAnswers {
  std::vector<std::string> names;
  std::vector<std::vector<graph::Tensor>> rows;  ///< by input, by output

  ~TacitAnswers() {
    for (std::vector<graph::Tensor>& row : rows)
      for (graph::Tensor& tensor : row) base::wipe(tensor.data);
  }
};

namespace {

#define TACIT_TEXT_OF(number) #number
#define TACIT_VERSION_TEXT(major, minor, patch) TACIT_TEXT_OF(major) "." TACIT_TEXT_OF(minor) "." TACIT_TEXT_OF(patch)

thread_local std::string last_sentence;

/// Throws if a function of the caller failed.
void require_received(int status, const std::string& name) {
  if (status != 0) throw Stopped(name + ": the function that receives the bytes failed, so that the work stopped");
}

const std::uint8_t* plain(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

runtime::Sink sink_of(const TacitSink* sink, const char* name) {
  require(sink != nullptr && sink->piece != nullptr, name);
  const TacitSink to = *sink;
  const std::string of = name;
  return runtime::Sink::stream(
      [to, of](std::span<const std::byte> piece) {
        require_received(to.piece(to.context, plain(piece), piece.size()), of);
      },
      [to, of](const runtime::SinkFacts& facts) -> std::uint64_t {
        if (to.begin != nullptr) require_received(to.begin(to.context, facts.bytes, facts.root.data()), of);
        return 0;
      },
      name);
}

runtime::Sink sink_of(const TacitPlaces* places, const char* name) {
  require(places != nullptr && places->place != nullptr && places->end != nullptr, name);
  const TacitPlaces to = *places;
  const std::string of = name;
  return runtime::Sink::placed(
      [to, of](std::uint64_t offset, std::span<const std::byte> piece) {
        require_received(to.place(to.context, offset, plain(piece), piece.size()), of);
      },
      [to, of](const runtime::SinkFacts& facts) {
        require_received(to.end(to.context, facts.bytes, facts.root.data()), of);
      },
      name);
}

/// Reports to the caller, for one thread at a time.
class Reporter final : public base::Progress {
 public:
  explicit Reporter(const TacitProgress* progress) {
    if (progress != nullptr) to_ = *progress;
  }

 private:
  struct Stage {
    std::string name;
    std::uint64_t done = 0, total = 0;
  };
  void stage_began(std::string_view stage, std::uint64_t total) override {
    stages_.push_back({std::string(stage), 0, total});
    report();
  }
  void steps_done(std::uint64_t done) override {
    if (stages_.empty()) return;
    stages_.back().done += done;
    report();
  }
  void stage_ended() override {
    if (!stages_.empty()) stages_.pop_back();
  }
  bool cancelled() const override { return cancelled_; }
  void report() {
    const Stage& stage = stages_.back();
    if (to_.report != nullptr && to_.report(to_.context, stage.name.c_str(), stage.done, stage.total) != 0)
      throw Cancelled("cancelled");
  }

  TacitProgress to_{};
  std::vector<Stage> stages_;
  bool cancelled_ = false;
};

nlohmann::ordered_json tensors_json(const graph::Graph& graph, const std::vector<graph::TensorId>& ids) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const graph::TensorId id : ids) {
    const graph::TensorInfo& info = graph.tensors.at(id);
    list.push_back({{"name", info.name},
                    {"shape", info.shape},
                    {"type", info.text       ? "text"
                             : info.integral ? "integer"
                                             : "real"}});
  }
  return list;
}

std::string facts_of(const session::ClientHalf& half) {
  const params::ParameterIdentity parameters = half.parameters();
  const graph::ClientParts& parts = half.parts();
  return nlohmann::ordered_json{{"name", half.name()},
                                {"id", base::hexadecimal(half.id())},
                                {"scheme", runtime::scheme_name(half.scheme())},
                                {"parameters", parameters.name},
                                {"security_bits", parameters.security_bits},
                                {"batch", half.batch()},
                                {"key_bytes", half.describe_keys().at("key_bytes")},
                                {"inputs", tensors_json(parts.before, parts.before.inputs)},
                                {"outputs", tensors_json(parts.after, parts.after.outputs)}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void require_secure(const session::ClientHalf& half, bool allow_insecure) {
  const params::ParameterIdentity parameters = half.parameters();
  if (parameters.security_bits > 0 || allow_insecure) return;
  base::refuse(
      "the model asks for INSECURE parameters ({}), for tests only: whoever sees the ciphertexts can read them; take a "
      "model with secure ones, or allow insecure ones for a test",
      parameters.size);
}

/// Returns the tensors of one input of the model, copied. The caller wipes them.
std::vector<graph::Tensor> sample_of(const graph::Graph& before, std::span<const TacitArray> arrays) {
  if (arrays.size() != before.inputs.size())
    base::refuse("an input was given with {} tensors, and the model has {} inputs", arrays.size(),
                 before.inputs.size());
  std::vector<graph::Tensor> sample;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const graph::TensorInfo& info = before.tensors.at(before.inputs[i]);
    if (info.text)
      base::refuse("input '{}' takes texts, which this interface does not pass on; encrypt it with the tacit command",
                   info.name);
    const std::span<const std::int64_t> shape(arrays[i].shape, arrays[i].shape == nullptr ? 0 : arrays[i].dimensions);
    const std::int64_t wanted = layout::element_count(info.shape);
    std::int64_t given = 1;
    for (const std::int64_t extent : shape) {
      if (extent < 0 || (extent > 0 && given > wanted / extent)) given = wanted + 1;
      if (given <= wanted) given *= extent;
    }
    if (given != wanted)
      base::refuse("input '{}' was given with the shape [{}], and the model takes [{}], which are {} elements",
                   info.name, fmt::join(shape, ", "), fmt::join(info.shape, ", "), wanted);
    require(arrays[i].values != nullptr || wanted == 0, "the values of an input");
    sample.push_back({info.shape, std::vector<double>(arrays[i].values, arrays[i].values + wanted), info.integral});
  }
  return sample;
}

/// The tensors of the inputs of a run, wiped in the end.
struct WipedSamples {
  std::vector<std::vector<graph::Tensor>> samples;

  WipedSamples() = default;
  ~WipedSamples() {
    for (std::vector<graph::Tensor>& sample : samples)
      for (graph::Tensor& tensor : sample) base::wipe(tensor.data);
  }
  WipedSamples(const WipedSamples&) = delete;
  WipedSamples& operator=(const WipedSamples&) = delete;
};

void pass_bytes(const TacitSink& sink, std::span<const std::byte> bytes, const char* name) {
  if (bytes.empty()) return;
  const auto open = sink_of(&sink, name).open({bytes.size(), base::sha256(bytes)}, true);
  open->write(0, bytes);
  open->commit(false);
}

std::span<const std::byte> bytes_of(TacitBytes bytes) { return std::as_bytes(std::span(bytes.data, bytes.size)); }

}  // namespace

TacitStatus tacit::app::client::failed(TacitStatus status, const char* sentence) noexcept {
  try {
    last_sentence = sentence;
  } catch (const std::bad_alloc&) {
    last_sentence.clear();
  }
  return status;
}

const char* tacit_client_sentence(void) { return last_sentence.c_str(); }
const char* tacit_client_version(void) {
  return TACIT_VERSION_TEXT(TACIT_VERSION_MAJOR, TACIT_VERSION_MINOR, TACIT_VERSION_PATCH);
}

TacitStatus tacit_client_model_open(TacitBytes client, int allow_insecure, TacitClientModel** model) {
  return guarded([&] {
    require(model != nullptr, "the place of the model");
    *model = nullptr;
    auto opened = std::make_unique<TacitClientModel>();
    opened->half = session::load_client_half(source_of(client, "the client's half"));
    require_secure(*opened->half, allow_insecure != 0);
    opened->facts = facts_of(*opened->half);
    *model = opened.release();
  });
}

void tacit_client_model_free(TacitClientModel* model) { delete model; }
const char* tacit_client_model_facts(const TacitClientModel* model) {
  return model == nullptr ? "" : model->facts.c_str();
}

namespace {
template <class Evaluation>
TacitStatus make_keys(const TacitClientModel* model, const Evaluation* evaluation, const TacitSink* public_key,
                      const TacitSink* secret, const TacitProgress* progress) {
  return guarded([&] {
    require(model != nullptr, "the model");
    session::KeyFiles files{sink_of(secret, "the secret key"), sink_of(evaluation, "the evaluation keys")};
    if (public_key != nullptr && public_key->piece != nullptr) files.public_key = sink_of(public_key, "the public key");
    Reporter reporter(progress);
    model->half->generate_keys(files, base::MemoryBudget::of_free_memory(), reporter);
  });
}
}  // namespace

TacitStatus tacit_client_make_keys(const TacitClientModel* model, const TacitSink* evaluation,
                                   const TacitSink* public_key, const TacitSink* secret,
                                   const TacitProgress* progress) {
  return make_keys(model, evaluation, public_key, secret, progress);
}

TacitStatus tacit_client_place_keys(const TacitClientModel* model, const TacitPlaces* evaluation,
                                    const TacitSink* public_key, const TacitSink* secret,
                                    const TacitProgress* progress) {
  return make_keys(model, evaluation, public_key, secret, progress);
}

TacitStatus tacit_client_encrypt(const TacitClientModel* model, TacitBytes key, int key_is_public,
                                 const TacitArray* tensors, size_t per_input, size_t inputs, const TacitSink* question,
                                 const TacitSink* kept, const TacitProgress* progress) {
  return guarded([&] {
    require(model != nullptr, "the model");
    require(tensors != nullptr, "the inputs");
    if (inputs == 0) base::refuse("there is no input to encrypt; give one at least");
    const session::ClientHalf& half = *model->half;
    const runtime::BatchedInputs batched{inputs, half.batch()};
    const char* const name = key_is_public != 0 ? "the public key" : "the secret key";
    const auto encryptor =
        half.encryptor({source_of(key, name), key_is_public != 0}, sink_of(question, "the question"), batched);
    Reporter reporter(progress);
    base::Progress& stages = reporter;
    stages.begin("encrypting", inputs);
    for (std::size_t run = 0; run < batched.samples(); ++run) {
      WipedSamples side_by_side;
      for (std::size_t i = 0; i < batched.of(run); ++i) {
        const std::size_t input = run * batched.batch + i;
        side_by_side.samples.push_back(sample_of(half.parts().before, {tensors + input * per_input, per_input}));
      }
      encryptor->add(side_by_side.samples);
      stages.advance(batched.of(run));
    }
    encryptor->finish();
    stages.end();
    if (kept != nullptr) {
      std::vector<std::byte> values = encryptor->kept_values();
      const base::WipedAtExit wiped(values);
      pass_bytes(*kept, values, "the kept values");
    }
  });
}

TacitStatus tacit_client_decrypt(const TacitClientModel* model, TacitBytes key, TacitBytes results, TacitBytes question,
                                 TacitBytes kept, const TacitProgress* progress, TacitAnswers** answers) {
  return guarded([&] {
    require(model != nullptr, "the model");
    require(answers != nullptr, "the place of the answers");
    *answers = nullptr;
    const std::span<const std::byte> kept_bytes = bytes_of(kept);
    session::ResultRequest request{source_of(key, "the secret key"), source_of(results, "the answer")};
    if (question.size > 0) request.question = source_of(question, "the question");
    request.kept.assign(kept_bytes.begin(), kept_bytes.end());
    const auto file = model->half->results(request);
    auto found = std::make_unique<TacitAnswers>();
    for (const graph::TensorId id : file->parts().after.outputs)
      found->names.push_back(file->parts().after.tensors.at(id).name);
    Reporter reporter(progress);
    base::Progress& stages = reporter;
    stages.begin("decrypting", file->batched().inputs);
    for (std::size_t run = 0; run < file->batched().samples(); ++run) {
      for (std::vector<graph::Tensor>& outputs : file->read(run)) found->rows.push_back(std::move(outputs));
      stages.advance(file->batched().of(run));
    }
    stages.end();
    *answers = found.release();
  });
}

void tacit_client_answers_free(TacitAnswers* answers) { delete answers; }
size_t tacit_client_answers_inputs(const TacitAnswers* answers) {
  return answers == nullptr ? 0 : answers->rows.size();
}
size_t tacit_client_answers_outputs(const TacitAnswers* answers) {
  return answers == nullptr ? 0 : answers->names.size();
}

TacitStatus tacit_client_answers_get(const TacitAnswers* answers, size_t input, size_t output, TacitArray* array) {
  return guarded([&] {
    require(answers != nullptr && array != nullptr, "the answers or the place of an array");
    if (input >= answers->rows.size() || output >= answers->rows[input].size())
      base::refuse("there is no output {} of input {}; the answers have {} inputs with {} outputs each", output, input,
                   answers->rows.size(), answers->names.size());
    const graph::Tensor& tensor = answers->rows[input][output];
    *array = {tensor.data.data(), tensor.shape.data(), tensor.shape.size()};
  });
}

const char* tacit_client_answers_text(const TacitAnswers* answers, size_t input, size_t output, size_t element) {
  if (answers == nullptr || input >= answers->rows.size() || output >= answers->rows[input].size()) return nullptr;
  const graph::Tensor& tensor = answers->rows[input][output];
  if (element >= tensor.data.size()) return nullptr;
  const auto place = static_cast<std::size_t>(tensor.data[element]);
  return place < tensor.texts.size() ? tensor.texts[place].c_str() : nullptr;
}

const char* tacit_client_answers_name(const TacitAnswers* answers, size_t output) {
  return answers == nullptr || output >= answers->names.size() ? nullptr : answers->names[output].c_str();
}
