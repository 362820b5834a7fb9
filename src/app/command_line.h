#pragma once

namespace tacit::app {

/// Exit statuses of the command.
inline constexpr int kSuccess = 0;
inline constexpr int kInternalError = 1;     ///< our fault
inline constexpr int kBadInput = 2;          ///< an argument is wrong: options, files, values
inline constexpr int kKeyMismatch = 3;       ///< keys, ciphertexts or artefacts that do not belong together
inline constexpr int kValidationFailed = 3;  ///< an encrypted operator differs from its message
inline constexpr int kDisagreement = 4;      ///< fewer encrypted answers agree than --expect-agreement demands

/// Runs the whole `tacit` command. Every error ends as one sentence on standard error, "tacit: ...", and one of the
/// statuses above. Throws nothing.
int run_command_line(int argc, const char* const* argv) noexcept;

/// Runs the command under mpirun. Rank 0 carries it out, and the other ranks help where it computes with ciphertexts. A
/// rank that fails ends all ranks. mpirun ends them if a rank dies.
int run_on_ranks(int argc, const char* const* argv) noexcept;

}  // namespace tacit::app
