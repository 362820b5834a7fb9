#pragma once

#include <memory>

#include "runtime/communicator.h"

/// Ranks over MPI. Nothing else knows of it.
namespace tacit::runtime::mpi {

/// The ranks that mpirun has started this process with; null for a process that was not started by it, which pays
/// nothing for MPI. Throws InputError where the program was built without MPI and would compute everything once a rank.
std::unique_ptr<Communicator> start();

/// Leaves the others in peace. No communicator may be used afterwards.
void finish();

/// Ends all ranks; the launcher returns `status`.
[[noreturn]] void abort(int status) noexcept;

}  // namespace tacit::runtime::mpi
