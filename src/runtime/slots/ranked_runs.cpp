#include "runtime/slots/ranked_runs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/parallel.h"
#include "program/slots/serialize.h"
#include "runtime/crew.h"
#include "runtime/slots/key_store.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {

using layout::Index;
using scheme::ckks::EvaluationKeys;

namespace {

std::span<const std::uint8_t> octets(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

void append(std::vector<std::byte>& bytes, std::span<const std::uint8_t> more) {
  const auto view = std::as_bytes(more);
  bytes.insert(bytes.end(), view.begin(), view.end());
}

void append_size(std::vector<std::byte>& bytes, std::uint64_t size) {
  base::ByteWriter writer;
  writer.u64(size);
  append(bytes, writer.take());
}

void send_keys(Communicator& ranks, const scheme::ckks::Context& context, const EvaluationKeys& keys) {
  std::vector<std::byte> bytes;
  for_each_key(keys, [&](const std::string&, const EvaluationKeys& key) {
    bytes.clear();
    scheme::ckks::serialize(context, key, [&](std::span<const std::uint8_t> piece) { append(bytes, piece); });
    ranks.broadcast(bytes);
  });
  bytes.clear();  // no more
  ranks.broadcast(bytes);
}

std::shared_ptr<const EvaluationKeys> receive_keys(Communicator& ranks, const scheme::ckks::Context& context) {
  KeyCollector keys;
  for (std::vector<std::byte> bytes;;) {
    ranks.broadcast(bytes);
    if (bytes.empty()) return std::make_shared<const EvaluationKeys>(keys.take(context));
    keys.add(scheme::ckks::deserialize_evaluation_keys(context, octets(bytes)));
  }
}

}  // namespace

RankedRuns::RankedRuns(Communicator& ranks, scheme::ckks::ContextPtr context, slots::Program program,
                       std::shared_ptr<const EvaluationKeys> keys, std::size_t runs, const PrepareOptions& options)
    : ranks_(ranks), placement_(ranks.size()) {
  if (ranks.size() > 1) {
    slots::verify(program);
    base::ByteWriter order;
    order.text(params::to_json(context->parameters().literal()));
    order.u64(options.memory.source == base::MemoryBudget::Source::asked ? options.memory.bytes : 0);
    order.u32(static_cast<std::uint32_t>(base::thread_limit()));
    order.u64(runs);
    std::vector<std::uint8_t> bytes = order.take();
    const std::vector<std::uint8_t> program_bytes = slots::to_bytes(program);
    bytes.insert(bytes.end(), program_bytes.begin(), program_bytes.end());
    give_order(ranks, Order::prepare_slots, bytes);
    send_keys(ranks, *context, *keys);
  }
  form_groups(runs);
  PrepareOptions own = options;
  own.memory = share_of(options.memory);
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
  slots::Program program = slots::program_from_bytes(reader.take(reader.left()));
  auto keys = receive_keys(ranks, *context);
  form_groups(runs);
  PrepareOptions options;
  options.memory = asked > 0 ? base::MemoryBudget::of(asked) : share_of(base::MemoryBudget::of_free_memory());
  options.key_bytes = keys->bytes();
  options.ranks = group_ranks_.get();
  prepared_ = std::make_shared<const PreparedProgram>(context, std::move(program), options);
  executor_ = std::make_unique<const Executor>(prepared_, std::move(keys));
  prepared_->encode();
}

RankedRuns::~RankedRuns() = default;

void RankedRuns::form_groups(std::size_t runs) {
  groups_ = std::clamp<Index>(static_cast<Index>(runs), 1, placement_.ranks());
  group_ = placement_.blocks_of(ranks_.rank(), groups_).begin;
  if (groups_ == placement_.ranks()) return;
  group_ranks_ = ranks_.split(static_cast<int>(group_));
  if (group_ranks_->size() == 1) group_ranks_.reset();
}

base::MemoryBudget RankedRuns::share_of(base::MemoryBudget memory) const {
  if (memory.limited() && memory.source != base::MemoryBudget::Source::asked)
    memory.bytes = memory.reserved + memory.available() / static_cast<std::uint64_t>(ranks_.on_this_machine());
  return memory;
}

std::vector<std::byte> RankedRuns::bytes_of(std::span<const CiphertextArray> sample) const {
  std::vector<std::byte> bytes;
  append_size(bytes, sample.size());
  for (const CiphertextArray& array : sample) {
    append_size(bytes, array.size());
    for (const scheme::ckks::Ciphertext& one : array) {
      const std::vector<std::uint8_t> own = scheme::ckks::serialize(*prepared_->context(), one);
      append_size(bytes, own.size());
      append(bytes, own);
    }
  }
  return bytes;
}

std::vector<CiphertextArray> RankedRuns::sample_of(std::span<const std::byte> bytes) const {
  base::ByteReader reader(bytes, "ciphertexts of another rank");
  std::vector<CiphertextArray> sample(reader.count(8));
  for (CiphertextArray& array : sample) {
    array.resize(reader.count(8));
    for (scheme::ckks::Ciphertext& one : array)
      one = scheme::ckks::deserialize_ciphertext(*prepared_->context(),
                                                 reader.take(static_cast<std::size_t>(reader.u64())));
  }
  return sample;
}

std::vector<RunResult> RankedRuns::run(std::span<const std::vector<CiphertextArray>> inputs, base::Progress& progress) {
  if (ranks_.size() == 1) {
    std::vector<RunResult> results;
    for (const auto& sample : inputs) results.push_back(executor_->run(sample, nullptr, progress));
    return results;
  }
  if (inputs.size() > at_once()) throw base::InternalError("a round of more runs than there are groups of ranks");
  for (const auto& sample : inputs) executor_->check_inputs(sample);
  base::ByteWriter order;
  order.u64(inputs.size());
  give_order(ranks_, Order::run_slots, order.take());
  return round(inputs.size(), inputs, progress);
}

void RankedRuns::take_part(std::size_t runs) { round(runs, {}, base::Progress::silent()); }

std::vector<RunResult> RankedRuns::round(std::size_t runs, std::span<const std::vector<CiphertextArray>> inputs,
                                         base::Progress& progress) {
  const bool leads = leader(static_cast<std::size_t>(group_)) == ranks_.rank();
  std::vector<std::vector<std::byte>> by_rank(ranks_.rank() == 0 ? static_cast<std::size_t>(ranks_.size()) : 0);
  for (std::size_t r = 1; r < inputs.size(); ++r) by_rank[static_cast<std::size_t>(leader(r))] = bytes_of(inputs[r]);
  const std::vector<std::byte> own = scatter(ranks_, std::move(by_rank));
  RunResult result;
  if (static_cast<std::size_t>(group_) < runs) {
    if (ranks_.rank() == 0)
      result = executor_->run(inputs.front(), nullptr, progress);
    else
      result = executor_->run(leads ? sample_of(own) : std::vector<CiphertextArray>());
  }
  std::vector<std::byte> answer;
  if (leads && ranks_.rank() != 0 && static_cast<std::size_t>(group_) < runs) {
    base::ByteWriter seconds;
    seconds.reals(result.seconds);
    append(answer, seconds.take());
    const std::vector<std::byte> outputs = bytes_of(result.outputs);
    answer.insert(answer.end(), outputs.begin(), outputs.end());
  }
  const std::vector<std::vector<std::byte>> answers = gather(ranks_, std::move(answer));
  if (ranks_.rank() != 0) return {};
  std::vector<RunResult> results(runs);
  results.front() = std::move(result);
  for (std::size_t r = 1; r < runs; ++r) {
    base::ByteReader reader(answers[static_cast<std::size_t>(leader(r))], "results of another rank");
    results[r].seconds = reader.reals();
    results[r].outputs = sample_of(std::as_bytes(reader.take(reader.left())));
  }
  return results;
}

}  // namespace tacit::runtime
