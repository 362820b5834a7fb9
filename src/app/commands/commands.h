#pragma once

#include <CLI/CLI.hpp>

namespace tacit::app::commands {

/// Each function adds one subcommand with its options, help and example. The subcommand runs as the parser's callback.
/// It sets `status` if it does not end with success. Errors leave it as exceptions.
void add_run(CLI::App& app, int& status);
void add_compile(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_keygen(CLI::App& app, int& status);
void add_encrypt(CLI::App& app, int& status);
void add_evaluate(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_decrypt(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
/// The following functions add to the group of benchmarks.
void add_bench_merkle(CLI::App& group, int& status);
void add_bench_packing(CLI::App& group, int& status);
void add_bench_conv(CLI::App& group, int& status);
void add_bench_tfhe(CLI::App& group, int& status);
void add_bench_cost(CLI::App& group, int& status);
void add_search(CLI::App& app, int& status);
void add_merkle(CLI::App& app, int& status);
void add_verify_receipt(CLI::App& app, int& status);
/// These three are the steps of several owners of one key.
void add_group(CLI::App& app, int& status);
void add_combine(CLI::App& app, int& status);
void add_share(CLI::App& app, int& status);
/// Adds to the commands of groups those that exchange files by a server.
void add_group_exchange(CLI::App& group, int& status);
void add_validate(CLI::App& app, int& status);

}  // namespace tacit::app::commands
