#pragma once

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/communicator.h"

namespace tacit::runtime {

/// Ranks that are threads of one process, for tests without MPI.
class ThreadRanks {
 public:
  /// Calls body(communicator) on this many ranks and waits for them. A rank that throws ends the test program.
  static void run(int ranks, const std::function<void(Communicator&)>& body) {
    const auto room = std::make_shared<MeetingRoom>(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        Rank self(room, rank);
        body(self);
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct MeetingRoom {
    explicit MeetingRoom(int ranks) : size(ranks), barrier(ranks), posted(static_cast<std::size_t>(ranks)) {}
    const int size;
    std::barrier<> barrier;
    std::vector<std::span<const Communicator::Message>> posted;  // by rank
    std::vector<std::byte>* broadcast = nullptr;
    std::mutex mutex;
    std::map<int, std::vector<int>> groups;  // ranks by the group that they name
    std::map<int, std::shared_ptr<MeetingRoom>> rooms;
  };

  class Rank final : public Communicator {
   public:
    Rank(std::shared_ptr<MeetingRoom> room, int rank) : room_(std::move(room)), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return room_->size; }
    void exchange(std::span<const Message> messages, std::span<const Room> rooms) override {
      room_->posted[static_cast<std::size_t>(rank_)] = messages;
      room_->barrier.arrive_and_wait();
      std::map<int, std::size_t> next;
      for (const Room& room : rooms) {
        const auto posted = room_->posted[static_cast<std::size_t>(room.from)];
        std::size_t& at = next[room.from];
        while (posted[at].to != rank_) ++at;
        if (posted[at].bytes.size() != room.bytes.size()) std::abort();
        std::memcpy(room.bytes.data(), posted[at++].bytes.data(), room.bytes.size());
      }
      room_->barrier.arrive_and_wait();
    }
    void broadcast(std::vector<std::byte>& bytes) override {
      if (rank_ == 0) room_->broadcast = &bytes;
      room_->barrier.arrive_and_wait();
      if (rank_ != 0) bytes = *room_->broadcast;
      room_->barrier.arrive_and_wait();
    }
    std::unique_ptr<Communicator> split(int group) override {
      {
        const std::lock_guard lock(room_->mutex);
        room_->groups[group].push_back(rank_);
      }
      room_->barrier.arrive_and_wait();
      std::unique_ptr<Communicator> made;
      {
        const std::lock_guard lock(room_->mutex);
        const std::vector<int>& members = room_->groups[group];
        auto& room = room_->rooms[group];
        if (!room) room = std::make_shared<MeetingRoom>(static_cast<int>(members.size()));
        int number = 0;
        for (const int member : members) number += member < rank_ ? 1 : 0;
        made = std::make_unique<Rank>(room, number);
      }
      room_->barrier.arrive_and_wait();
      if (rank_ == 0) {
        room_->groups.clear();
        room_->rooms.clear();
      }
      room_->barrier.arrive_and_wait();
      return made;
    }
    std::unique_ptr<Communicator> on_this_machine() override { return split(0); }
    void barrier() override { room_->barrier.arrive_and_wait(); }

   private:
    std::shared_ptr<MeetingRoom> room_;
    int rank_;
  };
};

}  // namespace tacit::runtime
