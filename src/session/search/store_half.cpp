#include "session/search/store_half.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"
#include "runtime/description.h"
#include "search/answering.h"
#include "search/expansion.h"
#include "search/rounded_answer.h"
#include "search/store.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using KeysOfStore = LoadedKeysOf<search::SearchKeys>;

/// The dimensions of the larger expansion: of vectors, or of groups of records.
std::size_t most_dimensions(const search::StoreShape& shape) {
  return static_cast<std::size_t>(std::max(shape.dimensions, shape.payload ? shape.payload->groups : 0));
}

/// The bytes of the answer to one question.
std::uint64_t answer_bytes(const search::StoreShape& shape, search::Asks asks, search::AnswerBits bits) {
  const std::uint64_t tiles = asks == search::Asks::scores ? shape.tiles() : shape.payload->tiles();
  return tiles * search::answer_tile_bytes(bits);
}

class StoreHalf final : public ServerHalf {
 public:
  StoreHalf(std::filesystem::path folder, search::AnswerBits bits, const base::MemoryBudget& memory,
            const ParameterCheck& check)
      : folder_(std::move(folder)), bits_(bits), memory_(search::memory_of_questions(memory)) {
    const search::Store store(folder_);
    const search::StoreShape& shape = store.shape();
    const params::CkksParameters& parameters = search::search_context()->parameters();
    check(parameters.identity());
    const std::filesystem::path named = folder_.has_filename() ? folder_ : folder_.parent_path();
    model_ = {.name = named.filename().string(),
              .binding = {.model = shape.id, .parameters = parameters.hash(), .key_set = {}},
              .root = store.root(),
              .scheme = runtime::ArtefactScheme::ckks,
              .parameters = parameters.identity(),
              .key_bytes = search::expansion_key_bytes(most_dimensions(shape))};
    memory.require("one question to the store '" + model_.name + "' needs", static_cast<double>(need(shape)));
  }

  std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const override {
    const search::Store store(folder_);
    auto keys = std::make_shared<const search::SearchKeys>(search::load_search_keys(file, store.shape()));
    // Makes what an evaluation makes, so that missing keys are named.
    const search::Expander expander(search::search_context(), keys->keys, most_dimensions(store.shape()));
    return std::make_shared<const KeysOfStore>(keys->provenance, file, keys, keys->keys->bytes());
  }

  FoundInputs inputs_of(const std::filesystem::path& file) const override {
    const search::Store store(folder_);
    const search::QuestionReader questions(file);
    search::require_fitting(questions, store.shape());
    const std::uint64_t deleted = store.index().deleted.size() * sizeof(std::uint64_t);
    return {.binding = questions.head().binding,
            .runs = questions.questions(),
            .result_bytes = deleted + most_file_bytes(questions.questions(),
                                                      answer_bytes(store.shape(), questions.head().asks, bits_))};
  }

  std::uint64_t prepare(const Capacity& capacity, std::uint64_t key_bytes, base::Progress&) override {
    const auto evaluations = static_cast<std::uint64_t>(std::max(1, capacity.evaluations));
    const std::uint64_t needed = evaluations * need(search::Store(folder_).shape());
    capacity.memory.require("questions to the store '" + model_.name + "' need",
                            static_cast<double>(needed + evaluations * key_bytes));
    memory_ = search::memory_of_questions(capacity.memory) / evaluations;
    return needed;
  }

  std::unique_ptr<StartedEvaluation> start(const LoadedKeys& keys, const std::filesystem::path& input,
                                           const std::filesystem::path& output) override {
    return std::make_unique<Started>(*this, keys, input, output);
  }

  EvaluatedInputs evaluate(const LoadedKeys& keys, const EvaluatedFiles& files, base::Progress& progress) override {
    if (!files.checkpoints.empty())
      throw base::InputError("--checkpoint: answers of a store are not kept on their way");
    return *start(keys, files.input, files.output)->go_on(keys, progress, [] { return false; });
  }

 private:
  class Started final : public StartedEvaluation {
   public:
    Started(const StoreHalf& half, const LoadedKeys& keys, const std::filesystem::path& input,
            std::filesystem::path output)
        : store_(half.folder_),
          answering_(store_, search_keys(keys), input, half.bits_, half.memory_),
          output_(std::move(output)),
          keys_(keys.provenance().root) {}

    std::optional<EvaluatedInputs> go_on(const LoadedKeys& keys, base::Progress& progress,
                                         const std::function<bool()>& pause) override {
      require_keys_of_start(keys_, keys);
      const Stopwatch watch;
      while (!answering_.complete()) {
        answering_.step(search_keys(keys), progress);
        if (!answering_.complete() && pause()) {
          seconds_ += watch.seconds();
          return {};
        }
      }
      seconds_ += watch.seconds();
      const search::AnsweredQuestions done = answering_.finish(output_);
      const std::size_t questions = answering_.questions();
      return EvaluatedInputs{.receipt = search::receipt_of(done),
                             .inputs = questions,
                             .seconds = seconds_ / static_cast<double>(questions)};
    }

   private:
    static const search::SearchKeys& search_keys(const LoadedKeys& keys) {
      return *dynamic_cast<const KeysOfStore&>(keys).keys;
    }

    const search::Store store_;
    search::Answering answering_;
    const std::filesystem::path output_;
    const base::Digest keys_;
    double seconds_ = 0;
  };

  // Of an evaluation: one expanded question, and its answer.
  std::uint64_t need(const search::StoreShape& shape) const {
    std::uint64_t answer = answer_bytes(shape, search::Asks::scores, bits_);
    if (shape.payload) answer = std::max(answer, answer_bytes(shape, search::Asks::records, bits_));
    return search::expanded_bytes(most_dimensions(shape)) + answer;
  }

  const std::filesystem::path folder_;
  const search::AnswerBits bits_;
  std::atomic<std::uint64_t> memory_;  // for expanded questions of one evaluation
};

}  // namespace

std::unique_ptr<ServerHalf> load_store_half(const std::filesystem::path& folder, search::AnswerBits bits,
                                            const base::MemoryBudget& memory, const ParameterCheck& check) {
  return std::make_unique<StoreHalf>(folder, bits, memory, check);
}

}  // namespace tacit::session
