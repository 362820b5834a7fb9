#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/slots/serialize.h"
#include "runtime/ranked_runs.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/prepared_program.h"
#include "runtime/slots/ranked_keys.h"

namespace tacit::runtime {

/// Programs on slots, as RankedRunsOf reads them.
struct RunsOnSlots {
  using Context = scheme::ckks::Context;
  using Program = slots::Program;
  using Input = slots::Input;
  using Output = slots::Output;
  using Value = CiphertextArray;
  using Keys = scheme::ckks::EvaluationKeys;
  using Prepared = PreparedProgram;
  using Executor = runtime::Executor;
  using Observer = runtime::Observer;
  using Result = RunResult;
  static constexpr Order kPrepare = Order::prepare_slots;

  static void verify(const Program& program) { slots::verify(program); }
  static std::vector<std::uint8_t> to_bytes(const Program& program) { return slots::to_bytes(program); }
  static Program program_from_bytes(std::span<const std::uint8_t> bytes) { return slots::program_from_bytes(bytes); }
  static std::string literal_text(const Context& context) { return params::to_json(context.parameters().literal()); }
  static scheme::ckks::ContextPtr context_of(const std::string& literal) {
    return Context::make(params::CkksParameters::check(params::literal_from_json(literal)));
  }
  static RankedKeys share(Communicator& ranks, const scheme::ckks::ContextPtr& context,
                          std::shared_ptr<const Keys> keys) {
    return share_keys(ranks, *context, std::move(keys));
  }
  static std::shared_ptr<const Prepared> prepare(scheme::ckks::ContextPtr context, Program program,
                                                 const PrepareOptions& options) {
    return std::make_shared<const Prepared>(std::move(context), std::move(program), options);
  }
  static std::vector<std::byte> bytes_of(const Context& context, std::span<const Value> sample) {
    return runtime::bytes_of(context, sample);
  }
  static std::vector<Value> arrays_of(const Context& context, std::size_t names, base::ByteReader& bytes) {
    return runtime::arrays_of(context, names, bytes);
  }
  static void encode(const Prepared& prepared) { prepared.encode(); }
  static Executor executor(std::shared_ptr<const Prepared> prepared, std::shared_ptr<const Keys> keys) {
    return {std::move(prepared), std::move(keys)};
  }
};

/// The runs of a program on slots, on all ranks.
using RankedRuns = RankedRunsOf<RunsOnSlots>;

}  // namespace tacit::runtime
