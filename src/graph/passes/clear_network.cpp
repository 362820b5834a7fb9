#include "graph/passes/clear_network.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "program/client_interface.h"
#include "program/slots/chebyshev_series.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{256} << 20;

using Block = base::AlignedVector<double>;

/// The memory of blocks without a reader, for new blocks. The system clears fresh pages, which takes about as long as a
/// pass over a block. For one thread.
class BlockPool {
 public:
  /// Returns a block of any content.
  Block take(std::size_t numbers) {
    const auto fits = [&](const Block& block) { return block.capacity() >= numbers; };
    auto best = std::ranges::find_if(free_, fits);
    for (auto other = best; other != free_.end(); ++other)
      if (fits(*other) && other->capacity() < best->capacity()) best = other;
    Block block;
    if (best != free_.end()) {
      block = std::move(*best);
      free_.erase(best);
    } else {
      free_.clear();  // large values come early: a block that is too small now serves no later value
    }
    block.resize(numbers);
    return block;
  }
  /// Returns a copy of a value. If no one else holds it and it is `read_last` here, returns its own numbers.
  Block copy(SampleBlock& value, bool read_last) {
    if (read_last && value.use_count() == 1)
      return std::move(*std::const_pointer_cast<Block>(std::exchange(value, {})));
    Block numbers = take(value->size());
    std::ranges::copy(*value, numbers.begin());
    return numbers;
  }
  /// Takes the memory of a value without other readers.
  void give(SampleBlock& value) {
    if (value.use_count() == 1) free_.push_back(std::move(*std::const_pointer_cast<Block>(value)));
    value.reset();
  }

 private:
  std::vector<Block> free_;
};

}  // namespace

/// One pool per thread. A thread that waits in the middle of a block may evaluate another block, with the same pool.
struct BlockPools : tbb::enumerable_thread_specific<BlockPool> {};

namespace {

/// Evaluates a few elements at a time. They stay in the nearest caches until the bias and all short rows are added.
Block evaluate_affine(const Affine& affine, std::size_t elements, std::span<const SampleBlock> values,
                      BlockPool& pool) {
  constexpr std::size_t kElements = 256;
  Block result = pool.take(elements * kLanes);
  base::parallel_for(0, (elements + kElements - 1) / kElements, [&](std::size_t part) {
    const std::size_t first = part * kElements, count = std::min(kElements, elements - first);
    const std::span<double> some = std::span(result).subspan(first * kLanes, count * kLanes);
    for (std::size_t e = 0; e < count;) {  // elements that share a number of the bias at once
      const auto element = static_cast<layout::Index>(first + e);
      const bool all = affine.bias.values().size() == 1;
      const auto shared = static_cast<std::size_t>(affine.bias.run() - element % affine.bias.run());
      const std::size_t alike = all ? count - e : std::min(count - e, shared);
      std::fill_n(some.begin() + static_cast<std::ptrdiff_t>(e * kLanes), alike * kLanes, affine.bias[element]);
      e += alike;
    }
    for (const AffineTerm& term : affine.terms)
      if (term.op->has_short_rows())
        term.op->add_rows(static_cast<layout::Index>(first), *values[term.input], some, kLanes);
  });
  for (const AffineTerm& term : affine.terms)
    if (!term.op->has_short_rows()) term.op->apply(*values[term.input], result, kLanes);
  return result;
}

/// Calls body(some of the numbers), a few thousand at a time, so that intermediate numbers of `body` stay in the
/// caches.
template <class Body>
void by_parts(std::span<double> numbers, const Body& body) {
  constexpr std::size_t kNumbers = 4096;
  for (std::size_t i = 0; i < numbers.size(); i += kNumbers)
    body(numbers.subspan(i, std::min(kNumbers, numbers.size() - i)));
}

/// The rounding of an interval's own arithmetic, as a share of half its width. Runs allow the same.
constexpr double kOutside = 1 + 2e-9;

FunctionReading reading(const Network& network, Functions functions) {
  return [&network, functions](ValueId id, std::span<double> numbers) {
    const auto& function = std::get<Function>(network.values[id].operation);
    if (functions == Functions::exact || function.coefficients.empty())
      return apply_in_place(function.function, numbers);
    by_parts(numbers, [&](std::span<double> some) {
      for (double& x : some) {
        x = (2 * x - function.lowest - function.highest) / (function.highest - function.lowest);
        if (!(std::abs(x) <= kOutside)) x = std::numeric_limits<double>::quiet_NaN();
      }
      slots::chebyshev_series_in_place(function.coefficients, some);
    });
  };
}

Block side_by_side(const Private& input, const Value& value, std::span<const std::vector<Tensor>> samples) {
  Block result(static_cast<std::size_t>(layout::element_count(value.shape)) * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::vector<Tensor>& sample = samples[std::min(lane, samples.size() - 1)];
    if (input.input >= sample.size() || sample[input.input].shape != value.shape)
      throw base::InputError("calibration data: a sample does not have one tensor of the model's shape for '" +
                             value.node + "'");
    const std::vector<double> numbers = program::in_units(input.units, sample[input.input].data);
    for (std::size_t e = 0; e < numbers.size(); ++e) result[e * kLanes + lane] = numbers[e];
  }
  return result;
}

/// Evaluates trees on one row of features per sample.
Block evaluate_trees(const TreeEnsemble& ensemble, const Block& features) {
  Block result(ensemble.targets() * kLanes);
  std::vector<double> row(features.size() / kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t f = 0; f < row.size(); ++f) row[f] = features[f * kLanes + lane];
    const std::vector<double> scores = ensemble.scores(row);
    for (std::size_t t = 0; t < scores.size(); ++t) result[t * kLanes + lane] = scores[t];
  }
  return result;
}

// The rows of a result are independent. Every row adds whole rows of the right operand, so that lanes and columns are
// read in order where the right operand is row-major.
Block evaluate_contraction(const Contraction& c, std::span<const SampleBlock> values, BlockPool& pool) {
  const Contraction::Steps &l = c.left_steps, &r = c.right_steps;
  const auto lines = static_cast<std::size_t>(c.samples * c.stack * c.rows),
             columns = static_cast<std::size_t>(c.columns);
  Block result = pool.take(lines * columns * kLanes);
  base::parallel_for(0, lines, [&](std::size_t line) {
    const auto at = static_cast<std::int64_t>(line);
    const std::int64_t b = at / (c.rows * c.stack), s = at / c.rows % c.stack, i = at % c.rows;
    double* const to = result.data() + line * columns * kLanes;
    std::fill_n(to, columns * kLanes, 0.0);
    for (std::int64_t k = 0; k < c.inner; ++k) {
      const auto x = static_cast<std::size_t>(b * l.sample + s * l.matrix + i * l.row + k * l.column);
      const auto y = static_cast<std::size_t>(b * r.sample + s * r.matrix + k * r.row);
      const double* const factor = values[c.left]->data() + x * kLanes;
      const double* row = values[c.right]->data() + y * kLanes;
      const std::size_t step = static_cast<std::size_t>(r.column) * kLanes;
      for (std::size_t j = 0; j < columns; ++j, row += step)
        for (std::size_t lane = 0; lane < kLanes; ++lane) to[j * kLanes + lane] += factor[lane] * row[lane];
    }
  });
  return result;
}

Block evaluate_parts(const PartsProduct& product, const Value& value, const Block& input) {
  const auto samples = static_cast<std::size_t>(value.shape.at(0)), parts = static_cast<std::size_t>(product.parts);
  const std::size_t elements = input.size() / (samples * parts);  // lanes included
  Block result(static_cast<std::size_t>(layout::element_count(value.shape)) * kLanes, 0.0);
  Block made(elements);
  for (std::size_t s = 0; s < samples; ++s) {
    std::ranges::fill(made, product.factor);
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t i = 0; i < elements; ++i) made[i] *= input[(s * parts + p) * elements + i];
    for (std::size_t i = 0; i < elements; ++i)
      result[product.summed ? s * kLanes + i % kLanes : s * elements + i] += made[i];
  }
  return result;
}

// Returns by value its last reader. For outputs, which are read at the end, it is the network's size.
std::vector<ValueId> last_readers(const Network& network) {
  std::vector<ValueId> last(network.values.size(), 0);
  for (ValueId id = 0; id < network.values.size(); ++id)
    for (const ValueId operand : operands(network.values[id])) last[operand] = id;
  for (const ValueId output : network.outputs) last[output] = static_cast<ValueId>(network.values.size());
  return last;
}

std::vector<ValueId> no_last_readers(const Network& network) {
  return std::vector<ValueId>(network.values.size(), static_cast<ValueId>(network.values.size()));
}

/// Evaluates a value. It may take over the numbers of an operand that it is the last to read.
Block evaluate_value(const Value& value, std::span<SampleBlock> values, std::span<const std::vector<Tensor>> samples,
                     const FunctionReading& read, BlockPool& pool, const std::vector<ValueId>& last) {
  const auto id = static_cast<ValueId>(values.size());
  if (const auto* input = std::get_if<Private>(&value.operation)) return side_by_side(*input, value, samples);
  if (const auto* affine = std::get_if<Affine>(&value.operation))
    return evaluate_affine(*affine, static_cast<std::size_t>(layout::element_count(value.shape)), values, pool);
  if (const auto* function = std::get_if<Function>(&value.operation)) {
    Block numbers = pool.copy(values[function->input], last[function->input] == id);
    read(id, numbers);
    return numbers;
  }
  if (const auto* tabulated = std::get_if<Tabulated>(&value.operation)) {
    Block numbers = pool.copy(values[tabulated->input], last[tabulated->input] == id);
    for (double& x : numbers) x = tabulated->entries[tabulated->nearest(x)];
    return numbers;
  }
  if (const auto* trees = std::get_if<Trees>(&value.operation))
    return evaluate_trees(*trees->ensemble, *values[trees->input]);
  if (const auto* contraction = std::get_if<Contraction>(&value.operation))
    return evaluate_contraction(*contraction, values, pool);
  if (const auto* parts = std::get_if<PartsProduct>(&value.operation))
    return evaluate_parts(*parts, value, *values[parts->input]);
  const auto& product = std::get<Product>(value.operation);
  const bool square = product.left == product.right;
  Block result = pool.copy(values[product.left], !square && last[product.left] == id);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] *= (*values[product.right])[i];
  return result;
}

/// Appends the missing values, and releases each value after its last reader. Calls visit(id, numbers) for every value
/// that it appends. There are 1 to kLanes samples. Lanes without a sample repeat the last.
template <class Visit>
void evaluate_rest(const Network& network, std::vector<SampleBlock>& values,
                   std::span<const std::vector<Tensor>> samples, const FunctionReading& read, BlockPool& pool,
                   const std::vector<ValueId>& last, const Visit& visit) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (last[k] < values.size()) values[k].reset();
  for (auto id = static_cast<ValueId>(values.size()); id < network.values.size(); ++id) {
    values.push_back(std::make_shared<Block>(evaluate_value(network.values[id], values, samples, read, pool, last)));
    visit(id, *values.back());
    for (const ValueId operand : operands(network.values[id]))
      if (last[operand] == id) pool.give(values[operand]);
    if (last[id] <= id) pool.give(values[id]);
  }
}

}  // namespace

void apply_in_place(const ScalarFunction& f, std::span<double> numbers) {
  by_parts(numbers, [&](std::span<double> some) { std::ranges::copy(f(some), some.begin()); });
}

void evaluate_in_step(const Network& network, std::span<const std::vector<Tensor>> samples,
                      const FunctionReading& first, const SecondReading& second) {
  const std::vector<ValueId> last = last_readers(network), never = no_last_readers(network);
  std::array<std::vector<SampleBlock>, 2> values;
  std::array<BlockPool, 2> pools;
  const FunctionReading beside_first = [&](ValueId id, std::span<double> numbers) {
    second(id, numbers, *values[0][std::get<Function>(network.values[id].operation).input]);
  };
  for (ValueId id = 0; id < network.values.size(); ++id) {
    std::array<SampleBlock, 2> made;
    base::parallel_for(0, made.size(), [&](std::size_t k) {
      // The second reading receives the input of the first one.
      made[k] = std::make_shared<Block>(
          evaluate_value(network.values[id], values[k], samples, k == 0 ? first : beside_first, pools[k], never));
    });
    for (std::size_t k = 0; k < made.size(); ++k) {
      values[k].push_back(std::move(made[k]));
      for (const ValueId operand : operands(network.values[id]))
        if (last[operand] == id) pools[k].give(values[k][operand]);
      if (last[id] <= id) pools[k].give(values[k][id]);
    }
  }
}

std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs,
                                          Functions functions) {
  std::vector<std::vector<double>> result;
  SampleRun(network, {&inputs, 1}, functions).each_value([&](const SampleRun::BlockOfValue& block) {
    result.push_back(lane_of(block.numbers, 0));
  });
  return result;
}

std::vector<double> lane_of(std::span<const double> block, std::size_t lane) {
  std::vector<double> numbers(block.size() / kLanes);
  for (std::size_t e = 0; e < numbers.size(); ++e) numbers[e] = block[e * kLanes + lane];
  return numbers;
}

SampleRun::SampleRun(const Network& network, std::span<const std::vector<Tensor>> samples, Functions functions)
    : network_(network), samples_(samples), functions_(functions), pools_(std::make_shared<BlockPools>()) {}

std::size_t SampleRun::blocks() const { return (samples_.size() + kLanes - 1) / kLanes; }

std::span<const std::vector<Tensor>> SampleRun::samples_of(std::size_t block) const {
  return samples_.subspan(block * kLanes, std::min(kLanes, samples_.size() - block * kLanes));
}

std::vector<SampleBlock> SampleRun::kept_before(std::size_t block, ValueId first) const {
  if (kept_.empty()) return {};
  return {kept_[block].begin(), kept_[block].begin() + static_cast<std::ptrdiff_t>(first)};
}

void SampleRun::each_value(const BlockBody& body) const {
  base::parallel_for(0, blocks(), [&](std::size_t block) {
    std::vector<SampleBlock> values;
    const auto samples = samples_of(block);
    evaluate_rest(network_, values, samples, reading(network_, functions_), pools_->local(), last_readers(network_),
                  [&](ValueId id, const Block& numbers) {
                    body({block * kLanes, samples.size(), id, numbers});
                  });
  });
}

void SampleRun::each_output(const OutputBody& body, ValueId first) const {
  std::atomic<bool> stopped{false};
  base::parallel_for(0, blocks(), [&](std::size_t block) {
    if (stopped) return;
    std::vector<SampleBlock> values = kept_before(block, first);
    evaluate_rest(network_, values, samples_of(block), reading(network_, functions_), pools_->local(),
                  last_readers(network_), [](ValueId, const Block&) {});
    for (std::size_t lane = 0; lane < samples_of(block).size() && !stopped; ++lane) {
      std::vector<std::vector<double>> outputs;
      for (const ValueId output : network_.outputs) outputs.push_back(lane_of(*values[output], lane));
      if (!body(block * kLanes + lane, std::move(outputs))) stopped = true;
    }
  });
}

void SampleRun::keep(ValueId first) {
  std::size_t numbers = 0;
  for (const Value& value : network_.values) numbers += static_cast<std::size_t>(layout::element_count(value.shape));
  if (numbers * kLanes * sizeof(double) * blocks() > kMostKeptBytes) return;
  std::vector<std::vector<SampleBlock>> now(blocks());
  base::parallel_for(0, now.size(), [&](std::size_t block) {
    now[block] = kept_before(block, first);
    BlockPool pool;
    evaluate_rest(network_, now[block], samples_of(block), reading(network_, functions_), pool,
                  no_last_readers(network_), [](ValueId, const Block&) {});
  });
  kept_ = std::move(now);
}

}  // namespace tacit::graph::passes
