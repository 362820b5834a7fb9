#include "runtime/run.h"

#include <chrono>
#include <cstdint>
#include <span>

#include "base/byte_stream.h"

namespace tacit::runtime {
namespace {

using program::ValueId;
using Clock = std::chrono::steady_clock;

/// A run that is kept on its way, on one rank or on several.
class CheckpointedRun {
 public:
  CheckpointedRun(program::Execution& execution, RunPlaces& places, Communicator* ranks)
      : execution_(execution), places_(places), ranks_(ranks), leads_(ranks == nullptr || ranks->rank() == 0) {}

  /// Goes on where a checkpoint says, if there is one. Collective.
  void resume() {
    std::optional<RunArrays> state;
    if (leads_) state = places_.load();
    base::ByteWriter writer;
    if (state) {
      writer.u64(state->next);
      for (const auto& [id, array] : state->values) writer.u64(id);
    }
    const std::vector<std::byte> places = told(writer.take());
    if (places.empty()) return;
    base::ByteReader reader(places, "a checkpoint");
    const auto next = static_cast<ValueId>(reader.u64());
    std::vector<std::pair<ValueId, program::ArrayPtr>> values;
    while (reader.left() > 0) {
      const auto id = static_cast<ValueId>(reader.u64());
      values.emplace_back(id, places_.from_rank_0(id, state ? state->values[values.size()].second : nullptr));
    }
    execution_.resume(next, std::move(values));
  }

  /// After a stage: keeps the run, unless writing would take more than a twentieth of the time. Collective.
  void keep() {
    const Clock::time_point now = Clock::now();
    const bool due = now - kept_at_ >= 20 * keeping_ || execution_.done();
    if (told({static_cast<std::uint8_t>(due ? 1 : 0)}).front() == std::byte{0}) return;
    RunArrays state{execution_.next(), {}};
    for (const auto& [id, array] : execution_.alive())
      if (program::ArrayPtr collected = places_.whole(array)) state.values.emplace_back(id, std::move(collected));
    if (leads_) places_.save(state);
    kept_at_ = Clock::now();
    keeping_ = kept_at_ - now;
  }

 private:
  /// What the leading rank says.
  std::vector<std::byte> told(const std::vector<std::uint8_t>& bytes) const {
    const auto view = std::as_bytes(std::span(bytes));
    std::vector<std::byte> message(view.begin(), view.end());
    if (ranks_ != nullptr) ranks_->broadcast(message);
    return message;
  }

  program::Execution& execution_;
  RunPlaces& places_;
  Communicator* const ranks_;
  const bool leads_;
  Clock::time_point kept_at_{};
  Clock::duration keeping_{};
};

}  // namespace

CarriedOut carry_out(program::Reading& reading, RunPlaces& places, Communicator* ranks,
                     std::vector<program::ArrayPtr> inputs, bool keeps, const program::Watch& watch) {
  program::Execution execution(reading, std::move(inputs));
  CheckpointedRun kept(execution, places, ranks);
  if (keeps) kept.resume();
  CarriedOut result;
  result.seconds.assign(execution.next(), 0.0);
  auto start = Clock::now();
  const program::Watch after_each = [&](ValueId id, program::ArrayPtr& value,
                                        std::span<const program::ArrayPtr> operands) {
    result.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (watch) watch(id, value, operands);
    start = Clock::now();
  };
  while (!execution.done()) {
    execution.step(after_each);
    if (keeps && execution.at_end_of_stage()) {
      kept.keep();
      start = Clock::now();
    }
  }
  for (const program::ArrayPtr& output : execution.take_outputs()) result.outputs.push_back(places.whole(output));
  return result;
}

}  // namespace tacit::runtime
