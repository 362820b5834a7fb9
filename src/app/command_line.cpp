#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "app/commands/commands.h"
#include "app/memory_budget.h"
#include "app/output.h"
#include "base/build_info.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/process_memory.h"
#include "runtime/communicator.h"
#include "runtime/crew.h"
#include "runtime/mpi/mpi_ranks.h"
#include "session/sentence.h"

namespace tacit::app {
namespace {

int fail(int status, std::string_view message) noexcept {
  try {
    print_sentence(message);
  } catch (...) {
    std::fputs("tacit: out of memory while reporting an error\n", stderr);
  }
  return status;
}

int out_of_memory() noexcept {
  const std::uint64_t budget = enforced_memory_budget();
  if (budget == 0)
    return fail(kBadInput, "the machine has too little memory for this work; use a smaller model or fewer threads");
  constexpr std::string_view kStopped = "the work was stopped; raise --memory or use fewer --threads";
  try {
    return fail(kBadInput, fmt::format("the memory budget of {} was reached and {}",
                                       base::byte_size_text(static_cast<double>(budget)), kStopped));
  } catch (...) {  // not even memory for the sentence
    return fail(kBadInput, kStopped);
  }
}

/// Says what is wrong, of the ranks behind rank 0 with their number, and returns the status.
int fail_with(const std::exception_ptr& thrown, int rank = 0) noexcept {
  const auto tell = [&](int status, std::string_view what) {
    try {
      return fail(status, rank == 0 ? std::string(what) : fmt::format("rank {}: {}", rank, what));
    } catch (...) {
      return fail(status, what);
    }
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const base::InputError& error) {
    return tell(kBadInput, error.what());
  } catch (const base::KeyMismatch& error) {
    return tell(kKeyMismatch, error.what());
  } catch (const std::exception& error) {
    if (base::is_want_of_memory(error)) return out_of_memory();
    return tell(kInternalError, std::string("internal error: ") + error.what());
  } catch (...) {
    return tell(kInternalError, "internal error of unknown kind");
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) noexcept {
  try {
    CLI::App app{"Tacit runs trained neural networks on data it cannot read.", "tacit"};
    app.set_version_flag("--version", base::build_info);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer(
        "Example:\n  tacit run model.onnx --input images.npy --scale 255 --count 10\n\n"
        "Exit status: 0 success, 1 internal error, 2 bad input, 3 keys or artefacts that do not belong together\n"
        "or a validation that failed, 4 agreement below --expect-agreement.\n");
    int status = kSuccess;
    for (const auto add :
         {commands::add_run, commands::add_compile, commands::add_calibrate, commands::add_keygen,
          commands::add_encrypt, commands::add_evaluate, commands::add_serve, commands::add_decrypt, commands::add_plan,
          commands::add_bench, commands::add_search, commands::add_merkle, commands::add_verify_receipt,
          commands::add_validate, commands::add_group, commands::add_combine, commands::add_share})
      add(app, status);
    const auto is_named = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
    const auto known = app.get_subcommands([](CLI::App*) { return true; });
    if (argc > 1 && argv[1][0] != '-' && std::none_of(known.begin(), known.end(), is_named))
      return fail(kBadInput, fmt::format("'{}' is no command of tacit; tacit --help lists them", argv[1]));
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
      return fail(kBadInput, fmt::format("{}; see --help", session::one_line(error.what())));
    }
    if (std::fflush(stdout) != 0) return fail(kBadInput, "standard output cannot be written");
    return status;
  } catch (...) {
    return fail_with(std::current_exception());
  }
}

int run_on_ranks(int argc, const char* const* argv) noexcept {
  int rank = 0;
  bool several = false;
  const auto end_all = [&](int status) {
    std::fflush(stdout);
    if (several) runtime::mpi::abort(status);
    return status;
  };
  try {
    std::unique_ptr<runtime::Communicator> ranks = runtime::mpi::start();
    if (!ranks) return run_command_line(argc, argv);
    several = true;
    rank = ranks->rank();
    runtime::set_world(std::move(ranks));
    runtime::require_alike(runtime::world(), std::string(base::version()),
                           fmt::format("{}", fmt::join(argv + 1, argv + argc, " ")));
    if (rank != 0) {
      runtime::serve(runtime::world());
    } else {
      if (const int status = run_command_line(argc, argv); status != kSuccess) return end_all(status);
      runtime::give_order(runtime::world(), runtime::Order::leave);
    }
    runtime::mpi::finish();
    return kSuccess;
  } catch (...) {
    return end_all(fail_with(std::current_exception(), rank));
  }
}

}  // namespace tacit::app
