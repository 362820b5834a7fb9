#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/communicator.h"

namespace tacit::runtime {

/// Memory that all ranks of one machine share.
struct SharedMemory {
  std::span<std::byte> bytes;           ///< at a page boundary; empty if the machine has no room to share
  std::shared_ptr<const void> owner{};  ///< the memory is freed with its last owner on every rank
};

/// Returns `bytes` zero bytes for the ranks of one machine. Collective. The memory has no name after the call, so that
/// nothing remains when processes die.
SharedMemory share_memory(Communicator& machine, std::size_t bytes);

}  // namespace tacit::runtime
