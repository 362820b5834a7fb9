#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "search/answer_file.h"
#include "search/expansion.h"
#include "search/rounded_answer.h"

namespace tacit::fuzz {

std::string_view target_name() { return "search_answer"; }

std::vector<Bytes> seeds() {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "answer";
  std::vector<Bytes> all;
  for (const search::Asks asks : {search::Asks::scores, search::Asks::records}) {
    search::AnswerHead head{.asks = asks, .bits = search::kFineAnswer};
    head.binding.parameters = search::search_context()->parameters().hash();
    head.shape = {.dimensions = 8, .records = 5000, .step = 0.01, .largest_norm = 1};
    head.shape.payload = search::PayloadShape{.bytes = 4, .per_group = 1000, .groups = 5};
    head.questions.resize(2);
    if (asks == search::Asks::scores) head.deleted = {7, 4000};
    const std::vector<std::uint8_t> tile(head.tiles() * search::answer_tile_bytes(head.bits), 0x5a);
    const std::vector<std::vector<std::uint8_t>> answers{tile, tile};
    write_answers(path, head, answers);
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// An accepted answer has the bytes of all tiles for every question, and its residues are below the prime.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const search::AnswerReader reader(file.path());
  const search::AnswerHead& head = reader.head();
  for (const std::uint64_t record : head.deleted) require(record < head.shape.records, "a deleted record exists");
  const ring::Modulus& q = search::search_context()->chain().modulus(0);
  std::vector<std::uint64_t> residues(search::kTileNumbers);
  for (std::size_t i = 0; i < head.questions.size(); ++i) {
    const std::vector<std::uint8_t> tiles = reader.read(i);
    require(tiles.size() == head.tiles() * search::answer_tile_bytes(head.bits), "an answer has all tiles");
    const std::size_t first = search::packed_bytes(search::kTileNumbers, head.bits.c0);
    search::residues_from(std::span(tiles).first(first), q, head.bits.c0, residues);
    for (const std::uint64_t residue : residues) require(residue < q.value(), "residues are below the prime");
  }
}

}  // namespace tacit::fuzz
