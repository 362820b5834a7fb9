#include "scheme/ckks/linear_transform.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/linear_row.h"
#include "scheme/ckks/rotated_sum.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

LinearTransform::LinearTransform(const Evaluator& evaluator, Inputs inputs, Blocks blocks,
                                 const params::LinearSchedule& schedule, std::size_t batch_bytes,
                                 const RaisedCiphertext* raised)
    : evaluator_(evaluator),
      context_(*evaluator.context_),
      chain_(raised != nullptr ? context_.raising_chain()
                               : evaluator.rotation_chain(inputs.empty() ? 0 : inputs[0]->level)),
      inputs_(inputs.begin(), inputs.end()),
      raised_(raised),
      blocks_(blocks),
      schedule_(schedule),
      batch_bytes_(batch_bytes) {
  check_inputs();
  collect();
}

void LinearTransform::check_inputs() {
  if (inputs_.empty()) throw base::InputError("linear map: there are no inputs");
  for (const Ciphertext* const input : inputs_) {
    check(context_, *input, "linear map");
    check_same_level(inputs_[0]->level, input->level, "linear map");
    check_same_scale(inputs_[0]->scale, input->scale, "linear map");
  }
  check_rescalable(inputs_[0]->level, "linear map");
  const DiagonalMatrix* first = nullptr;
  for (const auto& row : blocks_) {
    if (row.size() != inputs_.size())
      base::refuse("linear map: an output has {} blocks for {} inputs", row.size(), inputs_.size());
    for (const DiagonalMatrix* matrix : row) {
      if (matrix == nullptr) continue;
      if (first == nullptr) {
        first = matrix;
        target_scale_ = matrix->target_scale;
        mirrored_ = matrix->mirrored;
      }
      check_parameters(context_, matrix->parameters, "linear map", "matrix");
      if (matrix->steps != schedule_.steps)
        throw base::InputError("linear map: a matrix was encoded for another schedule");
      check_same_level(inputs_[0]->level, matrix->level, "linear map");
      if (matrix->special_primes != chain_.special_values(matrix->level))
        throw base::InputError(
            "linear map: a matrix was encoded modulo other special primes than those of the rotation keys; encode it "
            "with their rotation_primes");
      check_same_scale(inputs_[0]->scale, matrix->in_scale, "linear map");
      check_same_scale(first->target_scale, matrix->target_scale, "linear map");
      if (matrix->mirrored != mirrored_)
        throw base::InputError("linear map: some blocks were encoded as real matrices and some as complex ones");
    }
  }
  if (first == nullptr) throw base::InputError("linear map: it has no block");
  if (raised_ == nullptr) return;
  if (std::ranges::any_of(schedule_.steps, [](const params::DiagonalStep& step) { return step.giant != 0; }))
    throw base::InputError(
        "linear map: the rotations of a raised ciphertext are baby steps, and its schedule has others");
  if (raised_->special.n() != chain_.n() || raised_->special.limbs() != chain_.special_primes(inputs_[0]->level))
    throw base::InputError("linear map: the raised ciphertext has no rows of the special primes");
}

void LinearTransform::collect() {
  level_ = inputs_[0]->level;
  const auto each_term = [&](const auto& visit) {
    for (std::size_t j = 0; j < blocks_.size(); ++j)
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        for (std::size_t s = 0; blocks_[j][i] != nullptr && s < schedule_.steps.size(); ++s)
          if (blocks_[j][i]->diagonals[s].block != 0) visit(j, i, schedule_.steps[s], blocks_[j][i]->diagonals[s]);
  };
  std::set<std::int64_t> babies;
  each_term([&](std::size_t, std::size_t, const params::DiagonalStep& step, const auto&) { babies.insert(step.baby); });
  babies_.assign(babies.begin(), babies.end());
  for (const std::int64_t baby : babies_) baby_keys_.push_back(baby_key(baby));

  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::vector<Term>>> sums;  // by output, then giant step
  each_term([&](std::size_t j, std::size_t i, const params::DiagonalStep& step, const auto& diagonal) {
    auto& terms = sums[{j, step.giant}];
    terms.resize(inputs_.size());
    const auto baby = std::ranges::lower_bound(babies_, step.baby) - babies_.begin();
    terms[i].push_back({&diagonal, static_cast<std::size_t>(baby)});
  });
  for (auto& [key, terms] : sums) {
    const GaloisKey* giant = key.second == 0 ? nullptr : &evaluator_.rotation_key(key.second, level_, "linear map");
    accumulators_.push_back(
        {.output = key.first, .giant = giant, .alone = giant == nullptr, .terms = std::move(terms)});
  }
  for (std::size_t i = 1; i < accumulators_.size(); ++i)
    if (accumulators_[i].output == accumulators_[i - 1].output)
      accumulators_[i - 1].alone = accumulators_[i].alone = false;
  for (const std::int64_t fold : schedule_.folds) {
    if (const std::int64_t steps = evaluator_.normalised(fold); steps != 0)
      evaluator_.rotation_key(steps, level_ - 1, "linear map");
  }
}

const GaloisKey* LinearTransform::baby_key(std::int64_t steps) const {
  if (raised_ != nullptr) return &evaluator_.keys("linear map").raised_rotation(steps, level_, "linear map");
  return steps == 0 ? nullptr : &evaluator_.rotation_key(steps, level_, "linear map");
}

std::vector<Ciphertext> LinearTransform::run() {
  totals_.resize(blocks_.size());
  std::vector<Ciphertext> outputs;
  const auto finish_before = [&](std::size_t output) {
    while (outputs.size() < output) outputs.push_back(finish(outputs.size()));
  };
  for (std::size_t begin = 0; begin < accumulators_.size();) {
    const std::span<Accumulator> batch = batch_from(begin);
    accumulate(batch);
    begin += batch.size();
    if (begin == accumulators_.size()) break;
    finish_before(accumulators_[begin].output);
    // What an output that goes on holds meanwhile is its total alone.
    add_giants(accumulators_[begin].output, waiting(accumulators_[begin].output));
  }
  digits_.clear();
  finish_before(blocks_.size());
  return outputs;
}

// A rotated accumulator takes its second half, divided, and the rows of the division; an output takes its total. Where
// the inputs come in several groups, every accumulator has a sum over the earlier ones besides.
std::span<LinearTransform::Accumulator> LinearTransform::batch_from(std::size_t begin) {
  const std::size_t pair_bytes = 2 * chain_.n() * chain_.extended_rows(level_) * sizeof(std::uint64_t);
  std::size_t end = begin, bytes = 0;
  for (; end < accumulators_.size(); ++end) {
    if (end == begin || accumulators_[end].output != accumulators_[end - 1].output) bytes += pair_bytes;
    if (accumulators_[end].giant != nullptr) bytes += pair_bytes;
    if (inputs_.size() > decomposed_together()) bytes += pair_bytes;
    if (end > begin && bytes > batch_bytes_) break;
  }
  return std::span(accumulators_).subspan(begin, end - begin);
}

std::size_t LinearTransform::decomposed_together() const {
  const std::size_t bytes = chain_.digits(level_) * chain_.n() * chain_.extended_rows(level_) * sizeof(std::uint64_t);
  return std::max<std::size_t>(1, batch_bytes_ / bytes);
}

void LinearTransform::accumulate(std::span<Accumulator> batch) {
  const std::size_t together = decomposed_together();
  for (std::size_t first = 0; first < inputs_.size(); first += together) {
    const Group group{first, std::min(inputs_.size(), first + together)};
    decompose(group, batch.size() < accumulators_.size());
    if (group.last < inputs_.size()) {
      add_group(batch, group);
    } else {
      finish_sums(batch, group);
    }
  }
}

void LinearTransform::decompose(Group group, bool used_again) {
  if (std::ranges::none_of(baby_keys_, [](const GaloisKey* key) { return key != nullptr; })) return;
  std::erase_if(digits_, [&](const auto& entry) { return entry.first < group.first || entry.first >= group.last; });
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (digits_.contains(i)) continue;
    if (raised_ != nullptr) {
      digits_.emplace(i, rlwe::Digits(chain_, raised_->lifted.c1, raised_->special, level_));
      continue;
    }
    rlwe::Digits& digits = digits_.emplace(i, rlwe::Digits(chain_, inputs_[i]->c1, level_)).first->second;
    // Rows that are used once are finished where they are used, and stay in the caches.
    if (used_again) digits.hoist();
  }
}

void LinearTransform::add_group(std::span<Accumulator> batch, Group group) {
  const std::size_t n = chain_.n(), rows = chain_.extended_rows(level_);
  const bool first = group.first == 0;
  if (first)
    for (Accumulator& accumulator : batch)
      for (ring::NttPoly* half : {&accumulator.u0, &accumulator.u1}) *half = ring::NttPoly(n, rows);
  base::parallel_for(0, rows, [&](std::size_t index) {
    Row row(*this, batch, group, index);
    rlwe::ScratchRows sums(row.strip(), 2 * batch.size());
    std::vector<std::uint64_t*> out;
    for (std::size_t i = 0; i < 2 * batch.size(); ++i) out.push_back(sums[i]);
    for (std::size_t at = 0; at < n; at += row.strip()) {
      row.make(at, out);
      for (std::size_t i = 0; i < 2 * batch.size(); ++i) {
        std::uint64_t* sum = (i % 2 == 0 ? batch[i / 2].u0 : batch[i / 2].u1).limb(index) + at;
        if (first) {
          std::copy_n(out[i], row.strip(), sum);
        } else {
          limb::add(sum, sum, out[i], row.strip(), row.modulus());
        }
      }
    }
  });
}

void LinearTransform::finish_sums(std::span<Accumulator> batch, Group group) {
  const std::size_t n = chain_.n(), rows = chain_.extended_rows(level_);
  std::vector<Total*> fresh;
  std::vector<ring::NttPoly*> quotients;
  for (Accumulator& accumulator : batch) {
    Total& total = totals_[accumulator.output];
    if (total.u0.limbs() == 0) {
      total.u0 = ring::NttPoly(n, rows);
      if (!accumulator.alone) fresh.push_back(&total);
    }
    if (accumulator.giant == nullptr) {
      total.u1 = ring::NttPoly(n, rows);
      continue;
    }
    accumulator.c1 = ring::NttPoly(n, rlwe::ModulusChain::rows(level_));
    quotients.push_back(&accumulator.c1);
  }
  const auto source = [&](std::size_t index) -> rlwe::BlockProducer {
    for (Total* total : fresh) std::ranges::fill(total->u0.limb_span(index), 0);
    const auto row = std::make_shared<Row>(*this, batch, group, index);
    const auto sums = std::make_shared<rlwe::ScratchRows>(row->strip(), batch.size());
    return [&, index, row, sums](std::size_t block, std::uint64_t* const* room, const std::uint64_t** values) {
      std::copy_n(room, quotients.size(), values);
      const std::size_t words = chain_.tiling().block_words;
      std::vector<std::uint64_t*> out(2 * batch.size());
      for (std::size_t in_block = 0; in_block < words; in_block += row->strip()) {
        std::size_t divided = 0;
        const std::size_t at = block * words + in_block;
        for (std::size_t i = 0; i < batch.size(); ++i) {
          Total& total = totals_[batch[i].output];
          out[2 * i] = batch[i].alone ? total.u0.limb(index) + at : (*sums)[i];
          out[2 * i + 1] = batch[i].giant == nullptr ? total.u1.limb(index) + at : room[divided++] + in_block;
        }
        row->make(at, out);
        for (std::size_t i = 0; i < batch.size(); ++i)
          deliver(batch[i], index, at, row->strip(), out[2 * i], out[2 * i + 1]);
      }
    };
  };
  if (!quotients.empty()) {
    rlwe::divide(chain_, level_, quotients.size(), source, rlwe::Divisor::special, rlwe::copy_runs(quotients));
  } else {
    base::parallel_for(0, rows, [&](std::size_t index) {
      const rlwe::BlockProducer produce = source(index);
      for (std::size_t block = 0; block < chain_.tiling().blocks; ++block) produce(block, nullptr, nullptr);
    });
  }
  for (Accumulator& accumulator : batch) accumulator.u0 = accumulator.u1 = {};
}

void LinearTransform::deliver(const Accumulator& accumulator, std::size_t row, std::size_t at, std::size_t words,
                              std::uint64_t* u0, std::uint64_t* u1) {
  const ring::Modulus& q = chain_.modulus(chain_.prime_of(level_, row));
  const auto add = [&](std::uint64_t* to, const std::uint64_t* from) { limb::add(to, to, from, words, q); };
  if (accumulator.u0.limbs() > 0) {
    add(u0, accumulator.u0.limb(row) + at);
    add(u1, accumulator.u1.limb(row) + at);
  }
  Total& total = totals_[accumulator.output];
  if (accumulator.giant != nullptr) {
    accumulator.giant->automorphism.add_run(total.u0.limb(row), {u0, words}, at, q);
  } else if (!accumulator.alone) {
    add(total.u0.limb(row) + at, u0);
  }
}

std::vector<LinearTransform::Accumulator*> LinearTransform::waiting(std::size_t output) {
  std::vector<Accumulator*> result;
  for (Accumulator& accumulator : accumulators_)
    if (accumulator.output == output && accumulator.c1.limbs() > 0) result.push_back(&accumulator);
  return result;
}

/// Second halves, decomposed, with the keys of their giant steps.
class LinearTransform::Giants {
 public:
  Giants(const LinearTransform& map, std::span<Accumulator* const> accumulators) {
    digits_.reserve(accumulators.size());
    for (const Accumulator* accumulator : accumulators) {
      digits_.emplace_back(map.chain_, accumulator->c1, map.level_);
      terms_.push_back({.digits = &digits_.back(), .key = accumulator->giant});
    }
  }
  std::span<const RotatedTerm> terms() const { return terms_; }

 private:
  std::vector<rlwe::Digits> digits_;
  std::vector<RotatedTerm> terms_;
};

void LinearTransform::add_giants(std::size_t output, std::span<Accumulator* const> accumulators) {
  Total& total = totals_[output];
  for (std::size_t begin = 0; begin < accumulators.size(); begin += decomposed_together()) {
    const auto group = accumulators.subspan(begin, std::min(decomposed_together(), accumulators.size() - begin));
    const Giants giants(*this, group);
    if (total.u1.limbs() == 0) {
      total.u1 = ring::NttPoly(chain_.n(), chain_.extended_rows(level_));
      total.u1.zero();
    }
    base::parallel_for(0, chain_.extended_rows(level_), [&](std::size_t row) {
      add_rotated(chain_, level_, giants.terms(), row, total.u0.limb(row), total.u1.limb(row));
    });
    for (Accumulator* accumulator : group) accumulator->c1 = {};
  }
}

// The last giant steps, as many as are decomposed at a time, are added on the way to the division.
Ciphertext LinearTransform::finish(std::size_t output) {
  Ciphertext result = evaluator_.blank(level_ - 1, target_scale_);
  const auto sink = rlwe::copy_runs({&result.c0, &result.c1});
  const std::vector<Accumulator*> all = waiting(output);
  const std::size_t count = std::min(decomposed_together(), all.size());
  const std::span<Accumulator* const> last = std::span(all).last(count);
  add_giants(output, std::span(all).first(all.size() - count));
  const Total total = std::move(totals_[output]);
  if (total.u0.limbs() == 0) {
    result.c0.zero();
    result.c1.zero();
  } else if (last.empty()) {
    const ring::NttPoly* polys[] = {&total.u0, &total.u1};
    rlwe::divide(chain_, level_, polys, rlwe::Divisor::special_and_last, sink);
  } else {
    const auto start = [&](std::size_t row, std::uint64_t* total0, std::uint64_t* total1) {
      std::ranges::copy(total.u0.limb_span(row), total0);
      if (total.u1.limbs() > 0) {
        std::ranges::copy(total.u1.limb_span(row), total1);
      } else {
        std::fill_n(total1, chain_.n(), 0);
      }
    };
    const Giants giants(*this, last);
    divide_rotated_sum(chain_, level_, start, giants.terms(), rlwe::Divisor::special_and_last, sink);
    for (Accumulator* accumulator : last) accumulator->c1 = {};
  }
  for (const std::int64_t fold : schedule_.folds) evaluator_.add_in_place(result, evaluator_.rotate(result, fold));
  return result;
}

std::vector<Ciphertext> Evaluator::linear(std::span<const Ciphertext> inputs,
                                          std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                          const params::LinearSchedule& schedule) const {
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& input : inputs) pointers.push_back(&input);
  return linear(pointers, blocks, schedule);
}

std::vector<Ciphertext> Evaluator::linear(std::span<const Ciphertext* const> inputs,
                                          std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                          const params::LinearSchedule& schedule) const {
  return LinearTransform(*this, inputs, blocks, schedule).run();
}

Ciphertext Evaluator::raised_linear(const RaisedCiphertext& x, const DiagonalMatrix& matrix,
                                    const params::LinearSchedule& schedule) const {
  const std::vector<const DiagonalMatrix*> row{&matrix};
  const Ciphertext* const lifted = &x.lifted;
  return std::move(LinearTransform(*this, {&lifted, 1}, {&row, 1}, schedule, params::kLinearBatchBytes, &x).run()[0]);
}

}  // namespace tacit::scheme::ckks
