#include "runtime/communicator.h"

#include <cstdint>
#include <utility>

namespace tacit::runtime {
namespace {

std::unique_ptr<Communicator>& holder() {
  static std::unique_ptr<Communicator> ranks = std::make_unique<OneRank>();
  return ranks;
}

}  // namespace

std::vector<std::byte> scatter(Communicator& ranks, std::vector<std::vector<std::byte>> by_rank) {
  std::vector<std::uint64_t> sizes(by_rank.size());
  std::uint64_t size = 0;
  std::vector<std::byte> own;
  if (ranks.rank() != 0) {
    const Communicator::Room room{0, std::as_writable_bytes(std::span(&size, 1))};
    ranks.exchange({}, {&room, 1});
    own.resize(size);
    const Communicator::Room bytes{0, own};
    ranks.exchange({}, {&bytes, 1});
    return own;
  }
  std::vector<Communicator::Message> lengths, messages;
  for (std::size_t to = 1; to < by_rank.size(); ++to) {
    sizes[to] = by_rank[to].size();
    lengths.push_back({static_cast<int>(to), std::as_bytes(std::span(&sizes[to], 1))});
    messages.push_back({static_cast<int>(to), by_rank[to]});
  }
  ranks.exchange(lengths, {});
  ranks.exchange(messages, {});
  return std::move(by_rank.front());
}

std::vector<std::vector<std::byte>> gather(Communicator& ranks, std::vector<std::byte> own) {
  if (ranks.rank() != 0) {
    const std::uint64_t size = own.size();
    const Communicator::Message length{0, std::as_bytes(std::span(&size, 1))}, message{0, own};
    ranks.exchange({&length, 1}, {});
    ranks.exchange({&message, 1}, {});
    return {};
  }
  const auto count = static_cast<std::size_t>(ranks.size());
  std::vector<std::uint64_t> sizes(count);
  std::vector<std::vector<std::byte>> by_rank(count);
  std::vector<Communicator::Room> lengths, rooms;
  for (std::size_t from = 1; from < count; ++from)
    lengths.push_back({static_cast<int>(from), std::as_writable_bytes(std::span(&sizes[from], 1))});
  ranks.exchange({}, lengths);
  for (std::size_t from = 1; from < count; ++from) {
    by_rank[from].resize(sizes[from]);
    rooms.push_back({static_cast<int>(from), by_rank[from]});
  }
  ranks.exchange({}, rooms);
  by_rank.front() = std::move(own);
  return by_rank;
}

Communicator& world() { return *holder(); }
void set_world(std::unique_ptr<Communicator> ranks) { holder() = std::move(ranks); }

}  // namespace tacit::runtime
