#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "scheme/ckks/encryptor.h"
#include "search/expansion.h"
#include "search/question_file.h"

namespace tacit::fuzz {

std::string_view target_name() { return "search_question"; }

std::vector<Bytes> seeds() {
  const scheme::ckks::ContextPtr context = search::search_context();
  const scheme::ckks::SecretKey secret = scheme::ckks::KeyGenerator(context).secret_key();
  scheme::ckks::Plaintext zero{
      .poly = ring::NttPoly(context->parameters().n(), 1), .scale = 1, .parameters = context->parameters().hash()};
  zero.poly.zero();
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "question";
  std::vector<Bytes> all;
  for (const search::Asks asks : {search::Asks::scores, search::Asks::records}) {
    search::QuestionHead head{.asks = asks, .dimensions = 20};
    head.binding.parameters = context->parameters().hash();
    if (asks == search::Asks::records) head.payload = search::PayloadShape{.bytes = 4, .per_group = 1024, .groups = 20};
    search::QuestionWriter writer(path, head);
    for (int i = 0; i < 2; ++i) writer.add(scheme::ckks::Encryptor(context, secret).encrypt(zero));
    writer.finish();
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// An accepted question is a ciphertext of the search set, which an expansion can read.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const search::QuestionReader reader(file.path());
  require(reader.questions() >= 1 && reader.questions() <= search::kMostQuestions,
          "the number of questions is bounded");
  require(reader.head().dimensions >= 1 && reader.head().dimensions <= search::kMostDimensions,
          "dimensions are bounded");
  require((reader.head().asks == search::Asks::records) == reader.head().payload.has_value(), "records have a form");
  for (std::size_t i = 0; i < reader.questions(); ++i) {
    base::Digest digest;
    const scheme::ckks::Ciphertext question = reader.read(i, digest);
    require(question.level == 0 && question.c0.limbs() == 1 && question.c1.limbs() == 1, "a question has one prime");
    require(question.c1_seed.has_value(), "a question is fresh");
  }
}

}  // namespace tacit::fuzz
