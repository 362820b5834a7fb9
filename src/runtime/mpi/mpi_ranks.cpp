#include "runtime/mpi/mpi_ranks.h"

#ifdef TACIT_MPI
#include <mpi.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace tacit::runtime::mpi {
namespace {

/// What Open MPI's launcher tells a process: how many were started.
int launched_ranks() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size == nullptr ? 1 : std::atoi(size);
}

}  // namespace

#ifdef TACIT_MPI

namespace {

/// An error of MPI that it lets its caller see.
void require(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw base::InputError(std::string("the ranks cannot go on: ") + what + ": " + std::string(text, length) +
                         "; start them again");
}

class MpiRanks final : public Communicator {
 public:
  explicit MpiRanks(MPI_Comm ranks) : ranks_(ranks) {
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiRanks() override {
    int finished = 0;
    MPI_Finalized(&finished);
    if (ranks_ != MPI_COMM_WORLD && finished == 0) MPI_Comm_free(&ranks_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(std::span<const Message> messages, std::span<const Room> rooms) override {
    std::vector<MPI_Request> requests;
    for (const Room& room : rooms)
      for_each_piece(room.bytes.size(), [&](std::size_t at, int count) {
        require(MPI_Irecv(room.bytes.data() + at, count, MPI_BYTE, room.from, kTag, ranks_, &requests.emplace_back()),
                "receiving");
      });
    for (const Message& message : messages)
      for_each_piece(message.bytes.size(), [&](std::size_t at, int count) {
        require(
            MPI_Isend(message.bytes.data() + at, count, MPI_BYTE, message.to, kTag, ranks_, &requests.emplace_back()),
            "sending");
      });
    wait(requests);
  }

  void broadcast(std::vector<std::byte>& bytes) override {
    unsigned long long size = bytes.size();
    std::vector<MPI_Request> requests(1);
    require(MPI_Ibcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, ranks_, requests.data()), "waiting for work");
    wait(requests);
    bytes.resize(size);
    for_each_piece(bytes.size(), [&](std::size_t at, int count) {
      require(MPI_Ibcast(bytes.data() + at, count, MPI_BYTE, 0, ranks_, requests.data()), "receiving from rank 0");
      wait(requests);
    });
  }

  std::unique_ptr<Communicator> split(int group) override {
    MPI_Comm part;
    require(MPI_Comm_split(ranks_, group, rank_, &part), "forming groups");
    return std::make_unique<MpiRanks>(part);
  }

  std::unique_ptr<Communicator> on_this_machine() override {
    MPI_Comm machine;
    require(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine), "finding neighbours");
    return std::make_unique<MpiRanks>(machine);
  }

  void barrier() override {
    std::vector<MPI_Request> requests(1);
    require(MPI_Ibarrier(ranks_, requests.data()), "meeting");
    wait(requests);
  }

 private:
  static constexpr int kTag = 1;

  template <class Body>
  static void for_each_piece(std::size_t bytes, const Body& body) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    static_assert(kMost <= std::numeric_limits<int>::max(), "MPI takes counts as ints");
    for (std::size_t at = 0; at < bytes; at += kMost) body(at, static_cast<int>(std::min(kMost, bytes - at)));
  }

  /// MPI itself waits on a full core, which the ranks that still compute may need.
  static void wait(std::vector<MPI_Request>& requests) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kBusy = std::chrono::microseconds(100), kNap = std::chrono::microseconds(50);
    const Clock::time_point start = Clock::now();
    for (int done = 0; done == 0;) {
      require(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "waiting");
      if (done == 0 && Clock::now() - start > kBusy) std::this_thread::sleep_for(kNap);
    }
  }

  MPI_Comm ranks_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Communicator> start() {
  if (launched_ranks() <= 1) return nullptr;
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  return std::make_unique<MpiRanks>(MPI_COMM_WORLD);
}

void finish() { MPI_Finalize(); }

void abort(int status) noexcept {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

#else

std::unique_ptr<Communicator> start() {
  if (launched_ranks() > 1)
    throw base::InputError(
        "this tacit was built without MPI, and each rank would compute everything; build it where MPI is installed "
        "(Debian: libopenmpi-dev), or leave mpirun out");
  return nullptr;
}

void finish() {}

void abort(int status) noexcept { std::_Exit(status); }

#endif

}  // namespace tacit::runtime::mpi
