#pragma once

#include <memory>

#include "runtime/communicator.h"

/// Ranks over MPI. No other code knows MPI.
namespace tacit::runtime::mpi {

/// Returns the ranks with which mpirun has started this process. Returns null for a process that mpirun did not start,
/// which then has no cost of MPI. Throws InputError under mpirun if the program was built without MPI, because every
/// rank would compute everything.
std::unique_ptr<Communicator> start();

/// Leaves MPI without ending the other ranks. No communicator may be used afterwards.
void finish();

/// Ends all ranks. The launcher returns `status`.
[[noreturn]] void abort(int status) noexcept;

}  // namespace tacit::runtime::mpi
