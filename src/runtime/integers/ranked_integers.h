#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/integers/serialize.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"
#include "runtime/ranked_runs.h"

namespace tacit::runtime {

/// The evaluation keys of a client, expanded. Rank 0 of several also has them as they are sent to the others.
struct IntegerKeys {
  IntegerKeys(const scheme::tfhe::ContextPtr& context, scheme::tfhe::SeededEvaluationKeys seeded, bool keep_seeded);
  const scheme::tfhe::Evaluator evaluator;
  std::optional<scheme::tfhe::SeededEvaluationKeys> sent{};

  /// Returns the bytes of the expanded keys.
  std::uint64_t bytes() const { return evaluator.bootstrap_key_bytes() + evaluator.key_switch_key_bytes(); }
};

/// Programs on integers, as RankedRunsOf reads them.
struct RunsOnIntegers {
  using Context = scheme::tfhe::Context;
  using Program = integers::Program;
  using Input = integers::Input;
  using Output = integers::Output;
  using Value = scheme::tfhe::LweCiphertexts;
  using Keys = IntegerKeys;
  using Prepared = PreparedIntegers;
  using Executor = IntegerExecutor;
  using Observer = IntegerObserver;
  using Result = IntegerRunResult;
  static constexpr Order kPrepare = Order::prepare_integers;

  /// The keys on a rank. Every rank expands its own.
  struct Shared {
    std::shared_ptr<const Keys> keys;
    int neighbours = 1;  ///< ranks of this machine, this one included
    std::uint64_t bytes() const { return keys->bytes(); }
  };

  static void verify(const Program& program) { integers::verify(program); }
  static std::vector<std::uint8_t> to_bytes(const Program& program) { return integers::to_bytes(program); }
  static Program program_from_bytes(std::span<const std::uint8_t> bytes) { return integers::program_from_bytes(bytes); }
  static std::string literal_text(const Context& context) { return params::to_json(context.parameters().literal()); }
  static scheme::tfhe::ContextPtr context_of(const std::string& literal) {
    return Context::make(params::TfheParameters::check(params::tfhe_literal_from_json(literal)));
  }
  /// Sends rank 0's keys (null on the others) to all ranks. Collective.
  static Shared share(Communicator& ranks, const scheme::tfhe::ContextPtr& context, std::shared_ptr<const Keys> keys);
  /// Throws InputError if the budget does not hold the keys, tables and ciphertexts of one run.
  static std::shared_ptr<const Prepared> prepare(scheme::tfhe::ContextPtr context, Program program,
                                                 const PrepareOptions& options);
  static std::vector<std::byte> bytes_of(const Context& context, std::span<const Value> sample) {
    return runtime::bytes_of(context, sample);
  }
  static std::vector<Value> arrays_of(const Context& context, std::size_t names, base::ByteReader& bytes) {
    return runtime::arrays_of(context, names, bytes);
  }
  static void encode(const Prepared&) {}
  static Executor executor(std::shared_ptr<const Prepared> prepared, std::shared_ptr<const Keys> keys) {
    return {std::move(prepared), std::shared_ptr<const scheme::tfhe::Evaluator>(keys, &keys->evaluator)};
  }
};

/// The runs of a program on integers, on all ranks.
using RankedIntegers = RankedRunsOf<RunsOnIntegers>;

}  // namespace tacit::runtime
