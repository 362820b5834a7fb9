#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "layout/placement.h"
#include "program/instructions.h"
#include "runtime/checkpoints.h"
#include "runtime/communicator.h"
#include "runtime/crew.h"
#include "runtime/prepare_options.h"
#include "runtime/run.h"

namespace tacit::runtime {

/// The sent form of checkpoints, which the ranks that lead a run write. Null stands for none.
void write(base::ByteWriter& to, const Checkpoints* checkpoints);
std::optional<Checkpoints> read_checkpoints(base::ByteReader& from);
/// Returns a budget for one of the ranks on a machine. A budget that the user named is one for each rank.
base::MemoryBudget share_of(base::MemoryBudget memory, int neighbours);

/// A program with one client's keys on all ranks, for a known number of independent runs. If there are at least as many
/// runs as ranks, every rank carries out runs by itself, one in each round. If there are fewer, consecutive ranks share
/// one run (layout::Placement decides which). Results are the same, bit for bit. On one rank it is an executor.
///
/// Rank 0 sends the program, the evaluation keys and the inputs; results come back to it. Kind names the types and
/// functions of a kind of program (runtime/slots/ranked_runs.h, runtime/integers/ranked_integers.h).
template <class Kind>
class RankedRunsOf final : public PreparedRuns {
 public:
  using Context = typename Kind::Context;
  using Program = typename Kind::Program;
  using Prepared = typename Kind::Prepared;
  using Executor = typename Kind::Executor;
  using Observer = typename Kind::Observer;
  using Result = typename Kind::Result;
  using Keys = std::shared_ptr<const typename Kind::Keys>;
  using Sample = std::vector<typename Kind::Value>;

  /// Called on rank 0, while the others are in `serve`. Throws as Prepared and Executor do.
  RankedRunsOf(Communicator& ranks, std::shared_ptr<const Context> context, Program program, Keys keys,
               std::size_t runs, const PrepareOptions& options, std::optional<Checkpoints> checkpoints = std::nullopt)
      : ranks_(ranks), placement_(ranks.size()), checkpoints_(std::move(checkpoints)) {
    PrepareOptions own = options;
    if (ranks.size() > 1) {
      Kind::verify(program);
      base::ByteWriter order;
      order.text(Kind::literal_text(*context));
      order.u64(options.memory.source == base::MemoryBudget::Source::asked ? options.memory.bytes : 0);
      order.u32(static_cast<std::uint32_t>(base::thread_limit()));
      order.u64(runs);
      write(order, checkpoints_ ? &*checkpoints_ : nullptr);
      std::vector<std::uint8_t> bytes = order.take();
      const std::vector<std::uint8_t> program_bytes = Kind::to_bytes(program);
      bytes.insert(bytes.end(), program_bytes.begin(), program_bytes.end());
      give_order(ranks, Kind::kPrepare, bytes);
      auto shared = Kind::share(ranks, context, std::move(keys));
      own.key_bytes = shared.bytes();
      own.memory = share_of(options.memory, shared.neighbours);
      keys = std::move(shared.keys);
    }
    form_groups(runs);
    own.ranks = group_ranks_.get();
    prepared_ = Kind::prepare(std::move(context), std::move(program), own);
    executor_ = std::make_unique<const Executor>(Kind::executor(prepared_, std::move(keys)));
  }

  /// Called on another rank, with `bytes` of rank 0's order. It receives the broadcasts that follow.
  RankedRunsOf(Communicator& ranks, std::span<const std::uint8_t> order) : ranks_(ranks), placement_(ranks.size()) {
    base::ByteReader reader(order, "the program of rank 0");
    std::shared_ptr<const Context> context = Kind::context_of(reader.text(std::size_t{1} << 20));
    const std::uint64_t asked = reader.u64();
    base::set_thread_limit(static_cast<int>(reader.u32()));
    const auto runs = static_cast<std::size_t>(reader.u64());
    checkpoints_ = read_checkpoints(reader);
    Program program = Kind::program_from_bytes(reader.take(reader.left()));
    auto shared = Kind::share(ranks, context, nullptr);
    form_groups(runs);
    PrepareOptions options;
    options.memory =
        asked > 0 ? base::MemoryBudget::of(asked) : share_of(base::MemoryBudget::of_free_memory(), shared.neighbours);
    options.key_bytes = shared.bytes();
    options.ranks = group_ranks_.get();
    prepared_ = Kind::prepare(std::move(context), std::move(program), options);
    executor_ = std::make_unique<const Executor>(Kind::executor(prepared_, std::move(shared.keys)));
    encode();
  }

  const Prepared& prepared() const { return *prepared_; }

  /// Called on rank 0: returns when every rank has encoded its weights. Without this call the first run encodes.
  void encode() {
    if (encoded_) return;
    Kind::encode(*prepared_);
    ranks_.barrier();
    encoded_ = true;
  }

  /// The most runs per round.
  std::size_t at_once() const { return static_cast<std::size_t>(groups_); }

  /// Called on rank 0, with 1 to at_once() runs. Returns one result per run, in order, with the times of the rank that
  /// led it. The first run has the number `first`, and the observer watches only that run.
  std::vector<Result> run(std::span<const Sample> inputs, std::size_t first = 0, Observer* observer = nullptr,
                          base::Progress& progress = base::Progress::silent()) {
    encode();
    if (ranks_.size() == 1) {
      std::vector<Result> results;
      for (const Sample& sample : inputs)
        results.push_back(executor_->run(sample, observer, progress, kept(first + results.size())));
      return results;
    }
    if (inputs.size() > at_once()) throw base::InternalError("a round of more runs than there are groups of ranks");
    for (const Sample& sample : inputs) executor_->check_inputs(sample);
    base::ByteWriter order;
    order.u64(inputs.size());
    order.u64(first);
    give_order(ranks_, Order::run, order.take());
    return round(inputs.size(), first, inputs, observer, progress);
  }

  void take_part(base::ByteReader& order) override {
    const auto runs = static_cast<std::size_t>(order.u64()), first = static_cast<std::size_t>(order.u64());
    round(runs, first, {}, nullptr, base::Progress::silent());
  }

 private:
  void form_groups(std::size_t runs) {
    using layout::Index;
    groups_ = std::clamp<Index>(static_cast<Index>(runs), 1, placement_.ranks());
    group_ = placement_.blocks_of(ranks_.rank(), groups_).begin;
    if (groups_ == placement_.ranks()) return;
    group_ranks_ = ranks_.split(static_cast<int>(group_));
    if (group_ranks_->size() == 1) group_ranks_.reset();
  }
  /// Returns the rank that leads a run.
  layout::Index leader(std::size_t run) const {
    return placement_.ranks_of(static_cast<layout::Index>(run), groups_).begin;
  }
  KeptRun kept(std::size_t run) const { return {checkpoints_ ? &*checkpoints_ : nullptr, run}; }

  std::vector<Result> round(std::size_t runs, std::size_t first, std::span<const Sample> inputs, Observer* observer,
                            base::Progress& progress) {
    const Context& context = *prepared_->context();
    const Program& program = prepared_->program();
    const auto own_run = static_cast<std::size_t>(group_);
    const bool rank_0 = ranks_.rank() == 0, works = own_run < runs, leads = leader(own_run) == ranks_.rank();
    std::vector<std::vector<std::byte>> by_rank(rank_0 ? static_cast<std::size_t>(ranks_.size()) : 0);
    for (std::size_t r = 1; r < inputs.size(); ++r)
      by_rank[static_cast<std::size_t>(leader(r))] = Kind::bytes_of(context, inputs[r]);
    const std::vector<std::byte> given = scatter(ranks_, std::move(by_rank));
    Sample sample;
    if (works && leads && !rank_0) {
      base::ByteReader reader(given, "inputs from rank 0");
      sample = Kind::arrays_of(context, program::count_of<typename Kind::Input>(program.instructions), reader);
    }
    Result result;
    if (works) result = executor_->run(rank_0 ? inputs.front() : sample, observer, progress, kept(first + own_run));
    std::vector<std::byte> answer;
    if (works && leads && !rank_0) {
      base::ByteWriter writer;
      writer.reals(result.seconds);
      const std::vector<std::uint8_t> seconds = writer.take();
      std::ranges::copy(std::as_bytes(std::span(seconds)), std::back_inserter(answer));
      const std::vector<std::byte> outputs = Kind::bytes_of(context, result.outputs);
      answer.insert(answer.end(), outputs.begin(), outputs.end());
    }
    const std::vector<std::vector<std::byte>> answers = gather(ranks_, std::move(answer));
    if (!rank_0) return {};
    std::vector<Result> results(runs);
    results.front() = std::move(result);
    for (std::size_t r = 1; r < runs; ++r) {
      base::ByteReader reader(answers[static_cast<std::size_t>(leader(r))], "results of another rank");
      results[r].seconds = reader.reals();
      results[r].outputs =
          Kind::arrays_of(context, program::count_of<typename Kind::Output>(program.instructions), reader);
    }
    return results;
  }

  Communicator& ranks_;
  layout::Placement placement_;
  std::optional<Checkpoints> checkpoints_;
  bool encoded_ = false;
  layout::Index groups_ = 1;  ///< groups that carry out one run of a round each
  layout::Index group_ = 0;   ///< group of this rank
  std::unique_ptr<Communicator> group_ranks_;
  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<const Executor> executor_;
};

}  // namespace tacit::runtime
