#include "search/search_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/parallel.h"
#include "base/random.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/serialize.h"
#include "search/client.h"
#include "search/expansion.h"
#include "search/rounded_answer.h"
#include "search/tile_products.h"

namespace tacit::search {
namespace {

/// Returns the seconds of the fastest of a few runs.
template <class Body>
double fastest(const Body& body) {
  constexpr int kRuns = 5;
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

SearchPlan plan_products(std::uint64_t dimensions, std::uint64_t tiles, std::uint64_t key_dimensions, AnswerBits bits) {
  const scheme::ckks::ContextPtr context = search_context();
  const params::CkksParameters& parameters = context->parameters();
  SearchPlan plan{
      .threads = base::thread_limit(), .security_bits = parameters.security_bits(), .log_qp = parameters.log_qp()};
  const params::KeyManifest manifest = expansion_keys(key_dimensions);
  const std::uint64_t keys = manifest.rotations.size() + (manifest.conjugate_level >= 0 ? 1 : 0);
  constexpr std::uint64_t kResidueBytes = 7, kRowsOfKey = 2, kHeadOfFile = 4096;
  plan.key_bytes = keys * kRowsOfKey * parameters.n() * kResidueBytes + kHeadOfFile;
  plan.question_bytes = scheme::ckks::ciphertext_bytes(*context, 0, true) + kHeadOfFile;
  plan.answer_bytes = tiles * answer_tile_bytes(bits) + kHeadOfFile;
  plan.expanded_bytes = expanded_bytes(dimensions);
  plan.store_bytes = tiles * dimensions * kTileNumbers;

  const scheme::ckks::KeyGenerator generator(context);
  const scheme::ckks::SecretKey secret = generator.secret_key();
  const std::uint64_t measured = std::min<std::uint64_t>(dimensions, 32);
  const Expander expander(
      context,
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(secret, expansion_keys(measured))),
      measured);
  scheme::ckks::Plaintext zero{
      .poly = ring::NttPoly(parameters.n(), 1), .scale = parameters.scale(), .parameters = parameters.hash()};
  zero.poly.zero();
  const scheme::ckks::Ciphertext question = scheme::ckks::Encryptor(context, secret).encrypt(zero);
  std::vector<ExpandedQuestion> expanded(1);
  const double expansion = fastest([&] { expanded[0] = expander.expand(question, measured); });
  plan.expansion_seconds = expansion * static_cast<double>(dimensions) / static_cast<double>(measured);

  const std::vector<std::int8_t> numbers(measured * kTileNumbers, 1);
  const std::vector<const std::int8_t*> together(std::min<std::size_t>(tiles, TileProducts::kTogether), numbers.data());
  std::vector<TileSum> sums(together.size());
  const TileProducts products(context->chain().ntt(0));
  const double product =
      fastest([&] { products.run(together, expanded, 0, measured, sums); }) / static_cast<double>(together.size());
  plan.product_seconds = product * static_cast<double>(dimensions) / static_cast<double>(measured) *
                         static_cast<double>(tiles) / std::max(1, plan.threads);
  return plan;
}

}  // namespace

SearchPlan plan_search(const StoreShape& shape, AnswerBits bits) {
  SearchPlan plan =
      plan_products(shape.dimensions, shape.tiles(), shape.payload ? kMostDimensions : shape.dimensions, bits);
  plan.score_deviation = score_deviation(shape, bits);
  return plan;
}

SearchPlan plan_fetch(const StoreShape& shape, AnswerBits bits) {
  return plan_products(shape.payload->groups, shape.payload->tiles(), kMostDimensions, bits);
}

std::vector<std::string> leakage_of(const StoreShape& shape) {
  std::vector<std::string> sentences{
      "The server learns how many questions a client asks, and when. It learns neither queries nor scores nor which "
      "records were fetched.",
      fmt::format(
          "A client learns the scores of all {} records. {} chosen queries give away every vector of the store.",
          shape.records, shape.dimensions),
      "Use this store for vectors that its clients may learn, or limit the questions of a client.",
      "The numbers of records and of deleted records are public."};
  if (shape.payload)
    sentences.push_back(fmt::format("A fetch returns a whole group of {} records, which the client could read.",
                                    shape.payload->per_group));
  return sentences;
}

}  // namespace tacit::search
