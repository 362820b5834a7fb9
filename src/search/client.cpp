#include "search/client.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "ring/limb.h"
#include "runtime/slots/key_store.h"
#include "scheme/ckks/decoding_noise.h"
#include "scheme/ckks/encryptor.h"
#include "search/expansion.h"
#include "search/rounded_answer.h"

namespace tacit::search {
namespace {

namespace limb = ring::limb;

/// The integer of a wanted group: bytes from -128 to 127 times it stay below a quarter of the modulus.
constexpr double kRecordScale = 0x1p41;
constexpr double kByteNorm = 128;

}  // namespace

double score_deviation(const StoreShape& shape, AnswerBits bits) {
  const double integer =
      integer_score_deviation(search_context()->parameters(), shape.dimensions, shape.largest_integer_norm(), bits);
  return std::sqrt(2.0) * integer * shape.score_step() * (shape.metric == Metric::euclid ? 2 : 1);
}

scheme::ckks::SecretKey load_search_secret(const runtime::Source& source, const StoreShape& shape,
                                           runtime::Provenance& found) {
  scheme::ckks::SecretKey key = runtime::load_secret_key(source, search_context(), nullptr, found);
  if (found.model != shape.id)
    throw base::KeyMismatch(fmt::format(
        "{}: the key belongs to the store {}, and this is the store {}; use the key of this store, or make one",
        source.name(), base::hexadecimal(std::span(found.model).first<4>()),
        base::hexadecimal(std::span(shape.id).first<4>())));
  return key;
}

void require_same_key(const AnswerReader& answers, const runtime::Provenance& found, const std::filesystem::path& key) {
  if (answers.head().binding.key_set != found.key_set)
    throw base::KeyMismatch(fmt::format("{}: the answers are under another key than {}; use the key of the question",
                                        answers.name(), key.string()));
}

SearchClient::KeyRoots SearchClient::generate_keys(const runtime::Sink& secret, const runtime::Sink& evaluation,
                                                   base::Progress& progress) const {
  const scheme::ckks::ContextPtr context = search_context();
  const scheme::ckks::KeyGenerator generator(context);
  const runtime::Binding binding{
      .model = shape().id, .parameters = context->parameters().hash(), .key_set = runtime::new_key_set_id()};
  std::uint64_t dimensions = shape().dimensions;
  if (shape().payload) dimensions = kMostDimensions;  // the groups of records grow with the store
  const scheme::ckks::SecretKey key = generator.secret_key();
  const scheme::ckks::EvaluationKeys keys = generator.evaluation_keys(key, expansion_keys(dimensions), progress);
  KeyRoots roots;
  roots.secret = runtime::save(context, key, binding, secret);
  roots.evaluation = runtime::save(context, keys, binding, evaluation);
  return roots;
}

scheme::ckks::Ciphertext SearchClient::encrypt(const scheme::ckks::SecretKey& key, std::span<const double> coefficients,
                                               std::size_t dimensions) const {
  const scheme::ckks::ContextPtr context = search_context();
  const ring::NttTables& ntt = context->chain().ntt(0);
  const ring::Modulus& q = ntt.modulus();
  const std::uint64_t factor = expansion_factor(*context, dimensions);
  scheme::ckks::Plaintext plaintext{.poly = ring::NttPoly(ntt.n(), 1),
                                    .level = 0,
                                    .scale = context->parameters().scale(),
                                    .parameters = context->parameters().hash()};
  std::uint64_t* const words = plaintext.poly.limb(0);
  std::fill_n(words, ntt.n(), 0);
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    words[i] = q.mul(q.reduce_signed(std::llround(coefficients[i])), factor);
  ntt.forward(words);
  scheme::ckks::Ciphertext result = scheme::ckks::Encryptor(context, key).encrypt(plaintext);
  plaintext.poly.wipe();
  return result;
}

base::Digest SearchClient::ask_scores(const std::filesystem::path& secret, const Vectors& queries, std::uint64_t top,
                                      const std::filesystem::path& output, base::Progress& progress) const {
  const auto keep = [&](const QuestionNotes& notes) { save(notes, notes_beside(output)); };
  return ask_scores(secret, queries, top, output, keep, progress);
}

base::Digest SearchClient::ask_scores(const runtime::Source& secret, const Vectors& queries, std::uint64_t top,
                                      const runtime::Sink& output,
                                      const std::function<void(const QuestionNotes&)>& keep,
                                      base::Progress& progress) const {
  if (queries.count == 0) base::refuse("there are no queries; give at least one");
  if (queries.dimensions != shape().dimensions)
    base::refuse("the queries have {} dimensions, and the store has {}; use the model that made the store's vectors",
                 queries.dimensions, shape().dimensions);
  const std::uint64_t alive = shape().records - store_.deleted.size();
  if (top < 1 || top > alive)
    base::refuse("the best {} records are asked for, and the store has {}; ask for 1 to {}", top, alive, alive);
  runtime::Provenance found;
  const scheme::ckks::SecretKey key = load_search_secret(secret, shape(), found);
  QuestionWriter writer(output, {.binding = found, .asks = Asks::scores, .dimensions = shape().dimensions});
  QuestionNotes notes{.store = shape().id, .asks = Asks::scores, .top = top, .questions = {}};
  std::vector<double> query(queries.dimensions);
  const base::WipedAtExit wiped(query);
  progress.begin("encrypting", queries.count);
  for (std::uint64_t i = 0; i < queries.count; ++i) {
    AskedQuestion asked;
    asked.norm = read_checked(queries, i, shape().metric, true, "query", query);
    if (shape().metric == Metric::dot && asked.norm > 0)
      for (double& x : query) x /= asked.norm;
    if (shape().metric == Metric::euclid && asked.norm > shape().largest_query_norm())
      base::refuse(
          "query {} has the norm {:.4g}, and the store answers norms up to {:.4g}; such a query is far from every "
          "vector",
          i, asked.norm, shape().largest_query_norm());
    for (double& x : query) x *= shape().query_scale();
    asked.digest = writer.add(encrypt(key, query, shape().dimensions));
    notes.questions.push_back(asked);
    progress.advance();
  }
  progress.end();
  keep(notes);
  return writer.finish();
}

base::Digest SearchClient::ask_records(const std::filesystem::path& secret, std::span<const std::int64_t> ids,
                                       const std::filesystem::path& output, base::Progress& progress) const {
  if (!shape().payload) base::refuse("the store was built without --payload: it has no records to fetch");
  if (ids.empty()) base::refuse("no record is asked for; name at least one");
  std::unordered_map<std::int64_t, std::uint64_t> records;
  for (std::uint64_t i = 0; i < store_.ids.size(); ++i) records.emplace(store_.ids[i], i);
  runtime::Provenance found;
  const scheme::ckks::SecretKey key = load_search_secret(secret, shape(), found);
  const PayloadShape& payload = *shape().payload;
  QuestionWriter writer(output,
                        {.binding = found, .asks = Asks::records, .dimensions = payload.groups, .payload = payload});
  QuestionNotes notes{.store = shape().id, .asks = Asks::records, .top = 1, .questions = {}};
  progress.begin("encrypting", ids.size());
  for (const std::int64_t id : ids) {
    std::uint64_t record = static_cast<std::uint64_t>(id);
    if (!store_.ids.empty()) {
      const auto entry = records.find(id);
      record = entry == records.end() ? shape().records : entry->second;
    }
    if (record >= shape().records) base::refuse("the store has no record with the id {}", id);
    if (store_.is_deleted(record)) base::refuse("the record with the id {} is deleted", id);
    std::vector<double> coefficients(payload.groups, 0);
    const base::WipedAtExit wiped(coefficients);
    coefficients[record / payload.per_group] = kRecordScale;
    notes.questions.push_back({.digest = writer.add(encrypt(key, coefficients, payload.groups)), .record = record});
    progress.advance();
  }
  progress.end();
  save(notes, notes_beside(output));
  return writer.finish();
}

void SearchClient::require_answers(const AnswerReader& answers, const QuestionNotes& notes) const {
  const AnswerHead& head = answers.head();
  const std::string name = answers.name();
  if (head.binding.model != shape().id || notes.store != shape().id)
    throw base::KeyMismatch(name +
                            ": the answers, the notes of the questions and the client file are not of one store; "
                            "use the files that belong together");
  StoreShape same = head.shape;
  same.version = shape().version;
  same.records = shape().records;
  same.payload = shape().payload;
  if (same != shape())
    throw base::KeyMismatch(name + ": the answers have other units than the client file; copy client.tacit again");
  if (head.asks != notes.asks || head.questions.size() != notes.questions.size())
    throw base::KeyMismatch(
        fmt::format("{}: it answers {} questions for {}, and {} for {} were asked; ask the server again", name,
                    head.questions.size(), asks_name(head.asks), notes.questions.size(), asks_name(notes.asks)));
  for (std::size_t i = 0; i < notes.questions.size(); ++i)
    if (head.questions[i] != notes.questions[i].digest)
      throw base::KeyMismatch(
          fmt::format("{}: answer {} is of another question than question {}; ask the server again", name, i, i));
  if (head.asks == Asks::records && head.shape.payload != shape().payload)
    throw base::KeyMismatch(name + ": the form of the records has changed since the question; copy client.tacit again");
}

std::vector<double> SearchClient::decrypt_tile(const scheme::ckks::SecretKey& key, std::span<const std::uint8_t> tile,
                                               AnswerBits bits, double deviation) const {
  const ring::NttTables& ntt = search_context()->chain().ntt(0);
  const ring::Modulus& q = ntt.modulus();
  const std::size_t n = ntt.n(), first = packed_bytes(n, bits.c0);
  scheme::ckks::Ciphertext lifted{.c0 = ring::NttPoly(n, 1), .c1 = ring::NttPoly(n, 1)};
  residues_from(tile.first(first), q, bits.c0, lifted.c0.limb_span(0));
  residues_from(tile.subspan(first), q, bits.c1, lifted.c1.limb_span(0));
  base::SecretVector<std::uint64_t> product(n);
  std::copy_n(lifted.c1.limb(0), n, product.data());
  ntt.forward(product.data());
  limb::multiply(product.data(), product.data(), key.poly().limb(0), n, q);
  ntt.inverse(product.data());
  limb::add(product.data(), product.data(), lifted.c0.limb(0), n, q);
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = static_cast<std::int64_t>(product[i]), modulus = static_cast<std::int64_t>(q.value());
    numbers[i] = static_cast<double>(word - (word > modulus / 2 ? modulus : 0));
  }
  if (deviation > 0) {
    std::vector<std::complex<double>> pairs(n / 2);
    for (std::size_t i = 0; i < n; i += 2) pairs[i / 2] = {numbers[i], numbers[i + 1]};
    scheme::ckks::DecodingNoise(key).add_to(pairs, lifted, deviation);
    for (std::size_t i = 0; i < n; i += 2) {
      numbers[i] = pairs[i / 2].real();
      numbers[i + 1] = pairs[i / 2].imag();
    }
  }
  return numbers;
}

std::vector<double> SearchClient::scores(const scheme::ckks::SecretKey& key, const AnswerReader& answers,
                                         std::size_t question, const AskedQuestion& asked) const {
  const AnswerHead& head = answers.head();
  const std::vector<std::uint8_t> bytes = answers.read(question);
  const std::size_t of_tile = answer_tile_bytes(head.bits);
  const double deviation = integer_score_deviation(search_context()->parameters(), shape().dimensions,
                                                   shape().largest_integer_norm(), head.bits);
  std::vector<double> result(head.shape.records);
  base::parallel_for(0, head.shape.tiles(), [&](std::size_t tile) {
    const std::vector<double> numbers =
        decrypt_tile(key, std::span(bytes).subspan(tile * of_tile, of_tile), head.bits, deviation);
    const std::uint64_t first = tile * kTileNumbers;
    for (std::uint64_t i = first; i < std::min(first + kTileNumbers, head.shape.records); ++i) {
      const double score = numbers[i - first] * shape().score_step();
      if (shape().metric == Metric::euclid)
        result[i] = std::sqrt(std::max(0.0, asked.norm * asked.norm - 2 * score));
      else
        result[i] = shape().metric == Metric::dot ? asked.norm * score : score;
    }
  });
  for (const std::uint64_t record : head.deleted) result[record] = std::numeric_limits<double>::quiet_NaN();
  return result;
}

std::vector<std::uint8_t> SearchClient::record(const scheme::ckks::SecretKey& key, const AnswerReader& answers,
                                               std::size_t question, const AskedQuestion& asked) const {
  const PayloadShape& payload = *shape().payload;
  const std::vector<std::uint8_t> bytes = answers.read(question);
  const std::size_t of_tile = answer_tile_bytes(answers.head().bits);
  std::vector<std::uint8_t> result(payload.bytes);
  const std::uint64_t first = asked.record % payload.per_group * payload.bytes, last = first + payload.bytes;
  for (std::uint64_t tile = first / kTileNumbers; tile * kTileNumbers < last; ++tile) {
    const std::vector<double> numbers =
        decrypt_tile(key, std::span(bytes).subspan(tile * of_tile, of_tile), answers.head().bits, 0);
    for (std::uint64_t i = std::max(first, tile * kTileNumbers); i < std::min(last, (tile + 1) * kTileNumbers); ++i) {
      const double byte = numbers[i % kTileNumbers] / kRecordScale + kByteNorm;
      result[i - first] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(byte), 0.0, 255.0));
    }
  }
  return result;
}

std::vector<Hit> SearchClient::best(std::span<const double> scores, std::uint64_t top) const {
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < scores.size(); ++i)
    if (!std::isnan(scores[i])) order.push_back(i);
  const std::size_t count = std::min<std::size_t>(top, order.size());
  const double sign = shape().metric == Metric::euclid ? -1 : 1;
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint64_t a, std::uint64_t b) {
                      return scores[a] == scores[b] ? a < b : sign * scores[a] > sign * scores[b];
                    });
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < count; ++i) {
    if (!store_.ids.empty() && order[i] >= store_.ids.size())
      base::refuse("record {} is newer than the client file, which lacks its id; copy client.tacit again", order[i]);
    hits.push_back({order[i], store_.id(order[i]), scores[order[i]]});
  }
  return hits;
}

}  // namespace tacit::search
