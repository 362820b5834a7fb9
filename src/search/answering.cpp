#include "search/answering.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/build_info.h"
#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "runtime/slots/key_store.h"
#include "search/rounded_answer.h"
#include "search/tile_products.h"

namespace tacit::search {
namespace {

/// The fewest dimensions that are worth a task.
constexpr std::size_t kDimensionsOfTask = 16;
/// Bytes of tiles that a task holds.
constexpr std::size_t kBytesTogether = std::size_t{16} << 20;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One pass of all tiles over all questions.
class Pass {
 public:
  Pass(const Store& store, Asks asks, std::span<const ExpandedQuestion> questions, AnswerBits bits,
       std::vector<std::vector<std::uint8_t>>& answers)
      : store_(store),
        asks_(asks),
        questions_(questions),
        bits_(bits),
        answers_(answers),
        ntt_(search_context()->chain().ntt(0)),
        products_(ntt_) {
    dimensions_ = asks == Asks::scores ? store.shape().dimensions : store.shape().payload->groups;
    tiles_ = asks == Asks::scores ? store.shape().tiles() : store.shape().payload->tiles();
    for (std::vector<std::uint8_t>& answer : answers) answer.resize(tiles_ * answer_tile_bytes(bits));
  }

  void run(base::Progress& progress) {
    const std::size_t together =
        std::clamp<std::size_t>(kBytesTogether / (dimensions_ * kTileNumbers), 2, TileProducts::kTogether);
    const std::size_t runs = (tiles_ + together - 1) / together;
    const auto threads = static_cast<std::size_t>(std::max(1, base::thread_limit()));
    const std::size_t most_parts = (dimensions_ + kDimensionsOfTask - 1) / kDimensionsOfTask;
    const std::size_t parts = runs >= 2 * threads ? 1 : std::min(most_parts, (2 * threads + runs - 1) / runs);
    progress.begin("multiplying", runs);
    if (parts == 1) {
      base::parallel_for(0, runs, [&](std::size_t i) {
        run_tiles(i * together, together, 1);
        progress.advance();
      });
    } else {
      for (std::size_t i = 0; i < runs; ++i) {
        run_tiles(i * together, together, parts);
        progress.advance();
      }
    }
    progress.end();
  }

 private:
  void run_tiles(std::size_t first, std::size_t together, std::size_t parts) {
    const std::size_t count = std::min<std::size_t>(together, tiles_ - first);
    const std::size_t bytes = dimensions_ * kTileNumbers, sums_of_part = count * questions_.size();
    base::AlignedVector<std::int8_t> numbers(count * bytes);
    if (asks_ == Asks::scores)
      store_.read_vectors(first, count, numbers);
    else
      store_.read_payload(first, count, numbers);
    std::vector<const std::int8_t*> tiles;
    for (std::size_t t = 0; t < count; ++t) tiles.push_back(numbers.data() + t * bytes);
    std::vector<TileSum> sums(parts * sums_of_part);
    base::parallel_for(0, parts, [&](std::size_t part) {
      products_.run(tiles, questions_, part * dimensions_ / parts, (part + 1) * dimensions_ / parts,
                    std::span(sums).subspan(part * sums_of_part, sums_of_part));
    });
    base::parallel_for(0, sums_of_part, [&](std::size_t i) {
      TileSum& sum = sums[i];
      for (std::size_t part = 1; part < parts; ++part) {
        const TileSum& more = sums[part * sums_of_part + i];
        ring::limb::add(sum.c0.data(), sum.c0.data(), more.c0.data(), ntt_.n(), ntt_.modulus());
        ring::limb::add(sum.c1.data(), sum.c1.data(), more.c1.data(), ntt_.n(), ntt_.modulus());
      }
      const std::size_t tile = i / questions_.size();
      finish(first + tile, i % questions_.size(), {tiles[tile], bytes}, sum);
    });
  }

  /// Turns a sum into the bytes of an answer.
  void finish(std::size_t tile, std::size_t question, std::span<const std::int8_t> numbers, TileSum& sum) {
    products_.to_coefficients(sum);
    const StoreShape& shape = store_.shape();
    if (asks_ == Asks::scores) {
      if (shape.metric == Metric::euclid)
        subtract_squares(numbers, shape.query_scale() * shape.step / 2, ntt_.modulus(), sum.c0.data());
      erase(tile, sum.c0);
    }
    const std::size_t of_tile = answer_tile_bytes(bits_);
    const std::span<std::uint8_t> out = std::span(answers_[question]).subspan(tile * of_tile, of_tile);
    const std::size_t first = packed_bytes(kTileNumbers, bits_.c0);
    round_residues(sum.c0, ntt_.modulus(), bits_.c0, out.first(first));
    round_residues(sum.c1, ntt_.modulus(), bits_.c1, out.subspan(first));
  }

  /// Without its coefficient of c0, a score cannot be computed from an answer.
  void erase(std::size_t tile, std::span<std::uint64_t> c0) const {
    const std::uint64_t first = tile * kTileNumbers, records = store_.shape().records;
    for (std::uint64_t i = std::min<std::uint64_t>(records - first, kTileNumbers); i < kTileNumbers; ++i) c0[i] = 0;
    const std::vector<std::uint64_t>& deleted = store_.index().deleted;
    for (auto at = std::lower_bound(deleted.begin(), deleted.end(), first);
         at != deleted.end() && *at < first + kTileNumbers; ++at)
      c0[*at - first] = 0;
  }

  const Store& store_;
  Asks asks_;
  std::span<const ExpandedQuestion> questions_;
  AnswerBits bits_;
  std::vector<std::vector<std::uint8_t>>& answers_;
  const ring::NttTables& ntt_;
  TileProducts products_;
  std::size_t dimensions_ = 0, tiles_ = 0;
};

[[noreturn]] void refuse_store(const std::string& what, const StoreId& found, const StoreId& expected) {
  throw base::KeyMismatch(fmt::format(
      "{} belong to the store {}, and this is the store {}; take those of this store, or "
      "make them again",
      what, base::hexadecimal(std::span(found).first<4>()), base::hexadecimal(std::span(expected).first<4>())));
}

}  // namespace

SearchKeys load_search_keys(const runtime::Source& source, const StoreShape& shape) {
  SearchKeys result;
  result.keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      runtime::load_evaluation_keys(source, search_context(), nullptr, result.provenance));
  if (result.provenance.model != shape.id)
    refuse_store(source.name() + ": the keys", result.provenance.model, shape.id);
  return result;
}

void require_fitting(const QuestionReader& questions, const StoreShape& shape) {
  const QuestionHead& head = questions.head();
  const std::string name = questions.name();
  if (head.binding.model != shape.id) refuse_store(name + ": the questions", head.binding.model, shape.id);
  if (head.asks == Asks::scores && head.dimensions != shape.dimensions)
    base::refuse("{}: the questions have {} dimensions, and the store has {}; ask with the store's client file", name,
                 head.dimensions, shape.dimensions);
  if (head.asks == Asks::records && !shape.payload)
    base::refuse("{}: the questions ask for records, and the store was built without --payload; ask for scores", name);
  if (head.asks == Asks::records && head.payload != shape.payload)
    base::refuse(
        "{}: the store has changed the form of its records since the questions were made; copy client.tacit "
        "again, and ask again",
        name);
}

std::vector<std::vector<std::uint8_t>> answer(const Store& store, Asks asks,
                                              std::span<const ExpandedQuestion> questions, AnswerBits bits,
                                              base::Progress& progress) {
  std::vector<std::vector<std::uint8_t>> answers(questions.size());
  Pass(store, asks, questions, bits, answers).run(progress);
  return answers;
}

runtime::Receipt receipt_of(const AnsweredQuestions& done) {
  return {.version = std::string(base::version()),
          .parameters = done.head.binding.parameters,
          .model_id = done.head.shape.id,
          .model = done.head.store,
          .keys = done.keys,
          .input = done.question,
          .output = done.answer};
}

std::uint64_t memory_of_questions(const base::MemoryBudget& budget) {
  constexpr std::uint64_t kShare = 4;
  return budget.available() / kShare;
}

Answering::Answering(const Store& store, const SearchKeys& keys, const runtime::Source& question, AnswerBits bits,
                     std::uint64_t memory)
    : store_(store), questions_(question) {
  require_fitting(questions_, store.shape());
  const QuestionHead& head = questions_.head();
  if (head.binding.key_set != keys.provenance.key_set)
    throw base::KeyMismatch(questions_.name() +
                            ": the questions are under other keys than the given ones; use the evaluation keys "
                            "that were made together with the secret key of the questions");
  done_ = {
      .head = {.binding = head.binding, .asks = head.asks, .bits = bits, .shape = store.shape(), .store = store.root()},
      .keys = keys.provenance.root,
      .question = questions_.root(),
      .key_bytes = keys.keys->bytes()};
  if (head.asks == Asks::scores) done_.head.deleted = store.index().deleted;
  const std::uint64_t each = expanded_bytes(head.dimensions);
  together_ = static_cast<std::size_t>(std::max<std::uint64_t>(1, memory / each));
}

void Answering::step(const SearchKeys& keys, base::Progress& progress) {
  const std::size_t first = answers_.size(), count = std::min(together_, questions() - first);
  const std::size_t dimensions = questions_.head().dimensions;
  double start = now_seconds();
  const Expander expander(search_context(), keys.keys, dimensions);
  std::vector<ExpandedQuestion> expanded(count);
  progress.begin("expanding", count);
  for (std::size_t i = 0; i < count; ++i) {
    expanded[i] = expander.expand(questions_.read(first + i, done_.head.questions.emplace_back()), dimensions);
    progress.advance();
  }
  progress.end();
  done_.expansion_seconds += now_seconds() - start;
  start = now_seconds();
  for (auto& bytes : answer(store_, done_.head.asks, expanded, done_.head.bits, progress))
    answers_.push_back(std::move(bytes));
  done_.product_seconds += now_seconds() - start;
}

AnsweredQuestions Answering::finish(const runtime::Sink& answer) {
  done_.answer = write_answers(answer, done_.head, answers_);
  return done_;
}

AnsweredQuestions answer_file(const Store& store, const AnswerFiles& files, AnswerBits bits, std::uint64_t memory,
                              base::Progress& progress) {
  const SearchKeys keys = load_search_keys(files.keys, store.shape());
  Answering answering(store, keys, files.question, bits, memory);
  while (!answering.complete()) answering.step(keys, progress);
  return answering.finish(files.answer);
}

}  // namespace tacit::search
