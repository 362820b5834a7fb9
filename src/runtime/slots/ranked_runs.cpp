#include "runtime/slots/ranked_runs.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "program/slots/serialize.h"
#include "runtime/crew.h"
#include "runtime/description.h"
#include "runtime/slots/ranked_keys.h"

namespace tacit::runtime {

using layout::Index;
using scheme::ckks::EvaluationKeys;

namespace {

/// What the other ranks have to know of checkpoints; an empty folder stands for none.
void write(base::ByteWriter& to, const Checkpoints* checkpoints) {
  to.text(checkpoints == nullptr ? std::string() : std::filesystem::absolute(checkpoints->folder).string());
  if (checkpoints == nullptr) return;
  to.text(checkpoints->of.version);
  to.text(to_json(checkpoints->of.binding).dump());
  to.text(base::hexadecimal(checkpoints->of.keys));
}

std::optional<Checkpoints> read_checkpoints(base::ByteReader& from) {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  const std::string folder = from.text(kLongest);
  if (folder.empty()) return std::nullopt;
  Checkpoints checkpoints{.folder = folder};
  checkpoints.of.version = from.text(kLongest);
  checkpoints.of.binding = binding_from_json(base::json_from(from.text(kLongest), "what a checkpoint belongs to"));
  from_hexadecimal(from.text(kLongest), checkpoints.of.keys);
  return checkpoints;
}

/// A budget for one of the ranks on a machine, unless somebody named it for each.
base::MemoryBudget share_of(base::MemoryBudget memory, int neighbours) {
  if (memory.limited() && memory.source != base::MemoryBudget::Source::asked)
    memory.bytes = memory.reserved + memory.available() / static_cast<std::uint64_t>(neighbours);
  return memory;
}

}  // namespace

RankedRuns::RankedRuns(Communicator& ranks, scheme::ckks::ContextPtr context, slots::Program program,
                       std::shared_ptr<const EvaluationKeys> keys, std::size_t runs, const PrepareOptions& options,
                       std::optional<Checkpoints> checkpoints)
    : ranks_(ranks), placement_(ranks.size()), checkpoints_(std::move(checkpoints)) {
  PrepareOptions own = options;
  if (ranks.size() > 1) {
    slots::verify(program);
    base::ByteWriter order;
    order.text(params::to_json(context->parameters().literal()));
    order.u64(options.memory.source == base::MemoryBudget::Source::asked ? options.memory.bytes : 0);
    order.u32(static_cast<std::uint32_t>(base::thread_limit()));
    order.u64(runs);
    write(order, checkpoints_ ? &*checkpoints_ : nullptr);
    std::vector<std::uint8_t> bytes = order.take();
    const std::vector<std::uint8_t> program_bytes = slots::to_bytes(program);
    bytes.insert(bytes.end(), program_bytes.begin(), program_bytes.end());
    give_order(ranks, Order::prepare_slots, bytes);
    RankedKeys shared = share_keys(ranks, *context, std::move(keys));
    own.key_bytes = shared.bytes();
    own.memory = share_of(options.memory, shared.neighbours);
    keys = std::move(shared.keys);
  }
  form_groups(runs);
  own.ranks = group_ranks_.get();
  prepared_ = std::make_shared<const PreparedProgram>(std::move(context), std::move(program), own);
  executor_ = std::make_unique<const Executor>(prepared_, std::move(keys));
}

RankedRuns::RankedRuns(Communicator& ranks, std::span<const std::uint8_t> order)
    : ranks_(ranks), placement_(ranks.size()) {
  base::ByteReader reader(order, "the program of rank 0");
  const auto context = scheme::ckks::Context::make(
      params::CkksParameters::check(params::literal_from_json(reader.text(std::size_t{1} << 20))));
  const std::uint64_t asked = reader.u64();
  base::set_thread_limit(static_cast<int>(reader.u32()));
  const auto runs = static_cast<std::size_t>(reader.u64());
  checkpoints_ = read_checkpoints(reader);
  slots::Program program = slots::program_from_bytes(reader.take(reader.left()));
  RankedKeys shared = share_keys(ranks, *context, nullptr);
  form_groups(runs);
  PrepareOptions options;
  options.memory =
      asked > 0 ? base::MemoryBudget::of(asked) : share_of(base::MemoryBudget::of_free_memory(), shared.neighbours);
  options.key_bytes = shared.bytes();
  options.ranks = group_ranks_.get();
  prepared_ = std::make_shared<const PreparedProgram>(context, std::move(program), options);
  executor_ = std::make_unique<const Executor>(prepared_, std::move(shared.keys));
  encode();
}

RankedRuns::~RankedRuns() = default;

void RankedRuns::encode() {
  if (encoded_) return;
  prepared_->encode();
  ranks_.barrier();
  encoded_ = true;
}

void RankedRuns::form_groups(std::size_t runs) {
  groups_ = std::clamp<Index>(static_cast<Index>(runs), 1, placement_.ranks());
  group_ = placement_.blocks_of(ranks_.rank(), groups_).begin;
  if (groups_ == placement_.ranks()) return;
  group_ranks_ = ranks_.split(static_cast<int>(group_));
  if (group_ranks_->size() == 1) group_ranks_.reset();
}

std::vector<RunResult> RankedRuns::run(std::span<const std::vector<CiphertextArray>> inputs, std::size_t first,
                                       Observer* observer, base::Progress& progress) {
  encode();
  if (ranks_.size() == 1) {
    std::vector<RunResult> results;
    for (const auto& sample : inputs)
      results.push_back(executor_->run(sample, observer, progress, kept(first + results.size())));
    return results;
  }
  if (inputs.size() > at_once()) throw base::InternalError("a round of more runs than there are groups of ranks");
  for (const auto& sample : inputs) executor_->check_inputs(sample);
  base::ByteWriter order;
  order.u64(inputs.size());
  order.u64(first);
  give_order(ranks_, Order::run_slots, order.take());
  return round(inputs.size(), first, inputs, observer, progress);
}

void RankedRuns::take_part(base::ByteReader& order) {
  const auto runs = static_cast<std::size_t>(order.u64()), first = static_cast<std::size_t>(order.u64());
  round(runs, first, {}, nullptr, base::Progress::silent());
}

KeptRun RankedRuns::kept(std::size_t run) const { return {checkpoints_ ? &*checkpoints_ : nullptr, run}; }

std::vector<RunResult> RankedRuns::round(std::size_t runs, std::size_t first,
                                         std::span<const std::vector<CiphertextArray>> inputs, Observer* observer,
                                         base::Progress& progress) {
  const scheme::ckks::Context& context = *prepared_->context();
  const slots::Program& program = prepared_->program();
  const auto own_run = static_cast<std::size_t>(group_);
  const bool rank_0 = ranks_.rank() == 0, works = own_run < runs, leads = leader(own_run) == ranks_.rank();
  std::vector<std::vector<std::byte>> by_rank(rank_0 ? static_cast<std::size_t>(ranks_.size()) : 0);
  for (std::size_t r = 1; r < inputs.size(); ++r)
    by_rank[static_cast<std::size_t>(leader(r))] = bytes_of(context, inputs[r]);
  const std::vector<std::byte> given = scatter(ranks_, std::move(by_rank));
  std::vector<CiphertextArray> sample;
  if (works && leads && !rank_0) {
    base::ByteReader reader(given, "inputs from rank 0");
    sample = arrays_of(context, program::count_of<slots::Input>(program.instructions), reader);
  }
  RunResult result;
  if (works)
    result = executor_->run(rank_0 ? std::span(inputs.front()) : std::span<const CiphertextArray>(sample), observer,
                            progress, kept(first + own_run));
  std::vector<std::byte> answer;
  if (works && leads && !rank_0) {
    base::ByteWriter writer;
    writer.reals(result.seconds);
    const std::vector<std::uint8_t> seconds = writer.take();
    std::ranges::copy(std::as_bytes(std::span(seconds)), std::back_inserter(answer));
    const std::vector<std::byte> outputs = bytes_of(context, result.outputs);
    answer.insert(answer.end(), outputs.begin(), outputs.end());
  }
  const std::vector<std::vector<std::byte>> answers = gather(ranks_, std::move(answer));
  if (!rank_0) return {};
  std::vector<RunResult> results(runs);
  results.front() = std::move(result);
  for (std::size_t r = 1; r < runs; ++r) {
    base::ByteReader reader(answers[static_cast<std::size_t>(leader(r))], "results of another rank");
    results[r].seconds = reader.reals();
    results[r].outputs = arrays_of(context, program::count_of<slots::Output>(program.instructions), reader);
  }
  return results;
}

}  // namespace tacit::runtime
