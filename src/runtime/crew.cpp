#include "runtime/crew.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/byte_stream.h"
#include "base/error.h"
#include "runtime/integers/ranked_integers.h"
#include "runtime/slots/ranked_runs.h"

namespace tacit::runtime {

void give_order(Communicator& ranks, Order order, std::span<const std::uint8_t> bytes) {
  if (ranks.size() == 1) return;
  std::vector<std::byte> message(1 + bytes.size());
  message.front() = static_cast<std::byte>(order);
  std::ranges::copy(std::as_bytes(bytes), message.begin() + 1);
  ranks.broadcast(message);
}

void serve(Communicator& ranks) {
  std::unique_ptr<PreparedRuns> runs;
  for (;;) {
    std::vector<std::byte> message;
    ranks.broadcast(message);
    base::ByteReader reader(message, "an order of rank 0");
    switch (static_cast<Order>(reader.u8())) {
      case Order::leave: return;
      case Order::prepare_slots:
        runs.reset();
        runs = std::make_unique<RankedRuns>(ranks, reader.take(reader.left()));
        break;
      case Order::prepare_integers:
        runs.reset();
        runs = std::make_unique<RankedIntegers>(ranks, reader.take(reader.left()));
        break;
      case Order::run:
        if (!runs) reader.fail("there is no program");
        runs->take_part(reader);
        break;
      default: reader.fail("it is none of this version");
    }
  }
}

void require_alike(Communicator& ranks, std::string_view version, std::string_view arguments) {
  if (ranks.size() == 1) return;
  base::ByteWriter own;
  own.text(version);
  own.text(arguments);
  const std::vector<std::uint8_t> bytes = own.take();
  const auto view = std::as_bytes(std::span(bytes));
  const auto all = gather(ranks, {view.begin(), view.end()});
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    base::ByteReader reader(all[rank], "what rank " + std::to_string(rank) + " says of itself");
    const std::string its_version = reader.text(256), its_arguments = reader.text(std::size_t{1} << 20);
    if (its_version != version)
      throw base::KeyMismatch("rank " + std::to_string(rank) + " runs tacit " + its_version + " and rank 0 " +
                              std::string(version) + "; start the same program on all ranks");
    if (its_arguments != arguments)
      throw base::KeyMismatch("rank " + std::to_string(rank) + " was started with other arguments than rank 0, '" +
                              its_arguments + "'; start all ranks with one command");
  }
}

}  // namespace tacit::runtime
