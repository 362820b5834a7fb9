#include "session/owner/compiled_network.h"

#include <optional>

#include "base/error.h"
#include "base/parallel.h"
#include "program/integers/clear_program.h"
#include "session/owner/halves.h"
#include "session/owner/integers/engines.h"
#include "session/owner/integers/plan.h"

namespace tacit::session {
namespace {

using integers::ValueId;

class NetworkOnIntegers final : public CompiledNetwork {
 public:
  explicit NetworkOnIntegers(IntegerCompilation compilation)
      : compilation_(std::move(compilation)), reading_(compilation_.model.program) {
    // Values that leave their interval do harm where they are looked up.
    const integers::Program& program = compilation_.model.program;
    looked_up_.assign(program.instructions.size(), 0);
    for (const integers::Instruction& made : program.instructions)
      if (const auto* lookup = std::get_if<integers::Lookup>(&made.operation)) looked_up_[lookup->input] = 1;
  }

  const CompilationHead& head() const override { return compilation_; }
  const graph::ClientParts& parts() const override { return compilation_.model.parts; }
  std::int64_t batch() const override { return 1; }
  void add_note(std::string note) override { compilation_.graph.notes.push_back(std::move(note)); }
  nlohmann::ordered_json plan() const override { return integer_plan_json(compilation_, base::thread_limit()); }
  double priced_seconds() const override { return planned_seconds(compilation_); }

  nlohmann::ordered_json plan_of_ranks(std::int64_t, const params::Network&) const override {
    throw base::InputError("--ranks: programs on integers (--scheme tfhe) run on one rank; plan with --scheme ckks");
  }
  HalvesRoots save_halves(const std::filesystem::path& server, const std::filesystem::path& client) const override {
    const IntegerHalves halves = halves_of(compilation_);
    return {runtime::save(halves.server, server), runtime::save(halves.client, client)};
  }

  std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                std::span<const std::vector<graph::Tensor>> samples) override {
    std::vector<std::optional<RangeExcess>> found(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const auto index = first + static_cast<std::int64_t>(s);
      const std::vector<graph::Tensor> tensors = graph::run_before(compilation_.model.parts, samples[s]);
      std::vector<integers::Integers> inputs;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        const integers::ClientInput& input = compilation_.model.client.inputs.at(i);
        check_input(i, input, tensors[i].data, index, found[s]);
        integers::ClientInput clamped = input;  // to see what lies behind
        clamped.saturates = true;
        inputs.push_back(integers::quantise(clamped, tensors[i].data));
      }
      reading_.run(inputs, [&](ValueId id, std::span<const std::int64_t> numbers) {
        if (looked_up_[id] != 0) check_value(id, numbers, index, found[s]);
      });
    }
    return found;
  }
  std::vector<RangeExcess> excesses() const override { return excesses_.list(); }

  std::unique_ptr<Engine> encrypted(const base::MemoryBudget& memory, base::Progress& progress,
                                    std::size_t) const override {
    return make_integer_engine(compilation_.model, memory, progress);
  }
  std::unique_ptr<Engine> simulated() const override {
    return make_simulated_integer_engine(compilation_.model, reading_);
  }

 private:
  void check_input(std::size_t place, const integers::ClientInput& input, std::span<const double> tensor,
                   std::int64_t index, std::optional<RangeExcess>& first) {
    if (input.saturates) return;
    try {
      integers::quantise(input, tensor);
    } catch (const base::InputError&) {
      const integers::Quantiser& q = input.quantiser;
      RangeExcess excess{input.name, "Input", IntervalSource::calibration, 0, 0, 0, index, 1};
      double farthest = 0;
      for (std::size_t e = 0; e < tensor.size(); ++e) {
        const auto at = static_cast<layout::Index>(e);
        const double lowest = q.scale[at] * static_cast<double>(q.lowest) + q.offset[at];
        const double highest = q.scale[at] * static_cast<double>(q.highest) + q.offset[at];
        const double outside = std::max(lowest - tensor[e], tensor[e] - highest) / (highest - lowest);
        if (!(outside > farthest)) continue;
        farthest = outside;
        excess.lowest = lowest;
        excess.highest = highest;
        excess.worst = tensor[e];
      }
      if (farthest > 0) excesses_.add(place, excess, farthest, first);  // what is no number is outside no range
    }
  }

  void check_value(ValueId id, std::span<const std::int64_t> numbers, std::int64_t index,
                   std::optional<RangeExcess>& first) {
    const integers::Instruction& made = compilation_.model.program.value(id);
    std::int64_t farthest = 0;
    std::size_t worst = 0;
    for (std::size_t e = 0; e < numbers.size(); ++e)
      if (const std::int64_t outside = std::max(made.lowest - numbers[e], numbers[e] - made.highest);
          outside > farthest) {
        farthest = outside;
        worst = e;
      }
    if (farthest == 0) return;
    const graph::quant::Meaning& meaning = compilation_.model.meanings.at(id);
    const auto real = [&](std::int64_t integer) {
      const auto at = static_cast<layout::Index>(worst);
      return meaning.scale[at] * static_cast<double>(integer) + meaning.offset[at];
    };
    excesses_.add(compilation_.model.client.inputs.size() + id,
                  {made.node, integers::mnemonic(made.operation), IntervalSource::calibration, real(made.lowest),
                   real(made.highest), real(numbers[worst]), index, 1},
                  static_cast<double>(farthest) / static_cast<double>(made.highest - made.lowest + 1), first);
  }

  IntegerCompilation compilation_;
  integers::ClearProgram reading_;
  std::vector<char> looked_up_;  ///< by value, whether tables read it
  RangeExcesses excesses_;
};

}  // namespace

std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation) {
  return std::make_unique<NetworkOnIntegers>(std::move(compilation));
}

}  // namespace tacit::session
