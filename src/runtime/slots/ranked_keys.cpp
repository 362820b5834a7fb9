#include "runtime/slots/ranked_keys.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_stream.h"
#include "runtime/shared_memory.h"
#include "runtime/slots/key_store.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {

using scheme::ckks::EvaluationKeys;
using scheme::rlwe::SwitchingKey;

namespace {

std::size_t words_of(const EvaluationKeys& keys) {
  std::size_t words = 0;
  KeyCollector counted([&](const SwitchingKey& key) {
    words += key.placed_words();
    return key;
  });
  for_each_key(keys, [&](const std::string&, const EvaluationKeys& key) { counted.add(key); });
  return words;
}

/// The same number on all ranks: rank 0's.
std::uint64_t agreed(Communicator& ranks, std::uint64_t number) {
  const auto view = std::as_bytes(std::span(&number, 1));
  std::vector<std::byte> bytes(view.begin(), view.end());
  ranks.broadcast(bytes);
  return base::ByteReader(bytes, "a number of rank 0").u64();
}

}  // namespace

RankedKeys share_keys(Communicator& ranks, const scheme::ckks::Context& context,
                      std::shared_ptr<const EvaluationKeys> keys) {
  if (ranks.size() == 1) return {.keys = std::move(keys)};
  const std::size_t words = agreed(ranks, keys ? words_of(*keys) : 0);
  const std::unique_ptr<Communicator> machine = ranks.on_this_machine();
  const SharedMemory memory =
      machine->size() > 1 ? share_memory(*machine, words * sizeof(std::uint64_t)) : SharedMemory{};
  const std::span<std::uint64_t> room(reinterpret_cast<std::uint64_t*>(memory.bytes.data()),
                                      memory.bytes.size() / sizeof(std::uint64_t));
  std::size_t taken = 0;
  KeyCollector collected([&](const SwitchingKey& key) {
    if (room.empty()) return key;
    const std::span<std::uint64_t> own = room.subspan(taken, key.placed_words());
    taken += own.size();
    return key.placed(own, memory.owner, machine->rank() == 0);
  });
  std::vector<std::byte> bytes;
  if (ranks.rank() == 0) {
    for_each_key(*keys, [&](const std::string&, const EvaluationKeys& key) {
      bytes.clear();
      scheme::ckks::serialize(context, key, [&](std::span<const std::uint8_t> piece) {
        const auto view = std::as_bytes(piece);
        bytes.insert(bytes.end(), view.begin(), view.end());
      });
      ranks.broadcast(bytes);
      collected.add(key);
    });
    bytes.clear();  // no more
    ranks.broadcast(bytes);
  } else {
    for (ranks.broadcast(bytes); !bytes.empty(); ranks.broadcast(bytes))
      collected.add(scheme::ckks::deserialize_evaluation_keys(
          context, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  }
  ranks.barrier();  // the words are there
  return {std::make_shared<const EvaluationKeys>(collected.take(context)), machine->size(), !room.empty()};
}

}  // namespace tacit::runtime
