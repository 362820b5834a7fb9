#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tacit::runtime {

/// The ranks that share work, and their communication. Ranks are processes that run the same program, numbered from 0.
/// Every call except `rank` and `size` is collective: all ranks make the same calls in the same order. A rank that
/// fails ends the others too. Not thread safe.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Bytes for another rank, and room for bytes from one. The k-th message from one rank to another fills the k-th room
  /// for it there, and their sizes are equal.
  struct Message {
    int to = 0;
    std::span<const std::byte> bytes;
  };
  struct Room {
    int from = 0;
    std::span<std::byte> bytes;
  };
  /// Sends all messages and fills all rooms. Returns when all of them have arrived.
  virtual void exchange(std::span<const Message> messages, std::span<const Room> rooms) = 0;
  /// Sends the bytes of rank 0 to all ranks. The other ranks' vectors get the size of rank 0's.
  virtual void broadcast(std::vector<std::byte>& bytes) = 0;
  /// Returns the ranks that name the same group, as a communicator. Their order stays.
  virtual std::unique_ptr<Communicator> split(int group) = 0;
  /// Returns the ranks that share this machine's memory, as a communicator. Their order stays.
  virtual std::unique_ptr<Communicator> on_this_machine() = 0;
  /// Returns when all ranks have called it.
  virtual void barrier() = 0;
};

/// A single process.
class OneRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(std::span<const Message>, std::span<const Room>) override {}
  void broadcast(std::vector<std::byte>&) override {}
  std::unique_ptr<Communicator> split(int) override { return std::make_unique<OneRank>(); }
  std::unique_ptr<Communicator> on_this_machine() override { return std::make_unique<OneRank>(); }
  void barrier() override {}
};

/// Sends `by_rank[r]` of rank 0 to rank r, of any size. Returns this rank's bytes. Collective.
std::vector<std::byte> scatter(Communicator& ranks, std::vector<std::vector<std::byte>> by_rank);
/// Sends every rank's bytes to rank 0. Returns them by rank there, and nothing on other ranks. Collective.
std::vector<std::vector<std::byte>> gather(Communicator& ranks, std::vector<std::byte> own);

/// Returns all ranks that the process was started with. It is one rank, unless `set_world` was called before any thread
/// was started.
Communicator& world();
void set_world(std::unique_ptr<Communicator> ranks);

}  // namespace tacit::runtime
