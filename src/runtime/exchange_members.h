#pragma once

#include <vector>

#include "layout/placement.h"
#include "runtime/communicator.h"

namespace tacit::runtime {

/// Sends the members of an array to the ranks that read them. holders[member] are the ranks that hold a member.
/// needs[rank] are the members that a rank reads. `send(member, to, messages)` appends the bytes of a member that this
/// rank holds; `receive(member, from, rooms)` appends the room for one that it lacks, of equal sizes. Collective.
template <class Send, class Receive>
void exchange_members(Communicator& ranks, const std::vector<layout::Interval>& holders,
                      const std::vector<std::vector<layout::Index>>& needs, const Send& send, const Receive& receive) {
  std::vector<Communicator::Message> messages;
  std::vector<Communicator::Room> rooms;
  for (const layout::Transfer& transfer : layout::transfers(holders, needs)) {
    if (transfer.from == ranks.rank())
      send(static_cast<std::size_t>(transfer.member), static_cast<int>(transfer.to), messages);
    else if (transfer.to == ranks.rank())
      receive(static_cast<std::size_t>(transfer.member), static_cast<int>(transfer.from), rooms);
  }
  ranks.exchange(messages, rooms);
}

}  // namespace tacit::runtime
