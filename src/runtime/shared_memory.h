#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/communicator.h"

namespace tacit::runtime {

/// Memory that all ranks of one machine see at once.
struct SharedMemory {
  std::span<std::byte> bytes;           ///< on a boundary of a page; none where the machine has no room to share
  std::shared_ptr<const void> owner{};  ///< the memory goes with the last of them on every rank
};

/// So many bytes, zeros, for the ranks of one machine. Collective. It has no name when the call returns, so that
/// nothing is left of it when processes die.
SharedMemory share_memory(Communicator& machine, std::size_t bytes);

}  // namespace tacit::runtime
