#include "scheme/ckks/linear_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/rlwe/key_row.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {
// Strips of rotated inputs that are used together: half of a second-level cache.
constexpr std::size_t kStripBytes = std::size_t{512} << 10;
}  // namespace

LinearTransform::LinearTransform(const Evaluator& evaluator, std::span<const Ciphertext> inputs, Blocks blocks,
                                 const params::LinearSchedule& schedule)
    : evaluator_(evaluator),
      context_(*evaluator.context_),
      chain_(evaluator.rotation_chain(inputs.empty() ? 0 : inputs[0].level)),
      inputs_(inputs),
      blocks_(blocks),
      schedule_(schedule) {
  check_inputs();
  collect();
}

void LinearTransform::check_inputs() {
  if (inputs_.empty()) throw base::InputError("linear map: there are no inputs");
  for (const Ciphertext& input : inputs_) {
    check(context_, input, "linear map");
    check_same_level(inputs_[0].level, input.level, "linear map");
    check_same_scale(inputs_[0].scale, input.scale, "linear map");
  }
  check_rescalable(inputs_[0].level, "linear map");
  const DiagonalMatrix* first = nullptr;
  for (const auto& row : blocks_) {
    if (row.size() != inputs_.size())
      throw base::InputError(
          fmt::format("linear map: an output has {} blocks for {} inputs", row.size(), inputs_.size()));
    for (const DiagonalMatrix* matrix : row) {
      if (matrix == nullptr) continue;
      if (first == nullptr) {
        first = matrix;
        target_scale_ = matrix->target_scale();
      }
      check_parameters(context_, matrix->parameters(), "linear map", "matrix");
      if (matrix->steps() != schedule_.steps)
        throw base::InputError("linear map: a matrix was encoded for another schedule");
      check_same_level(inputs_[0].level, matrix->level(), "linear map");
      if (matrix->special_primes() != chain_.special_values(matrix->level()))
        throw base::InputError(
            "linear map: a matrix was encoded modulo other special primes than those of the rotation keys; encode it "
            "with their rotation_primes");
      check_same_scale(inputs_[0].scale, matrix->in_scale(), "linear map");
      check_same_scale(first->target_scale(), matrix->target_scale(), "linear map");
    }
  }
  if (first == nullptr) throw base::InputError("linear map: it has no block");
}

void LinearTransform::collect() {
  level_ = inputs_[0].level;
  const auto each_term = [&](const auto& visit) {
    for (std::size_t j = 0; j < blocks_.size(); ++j)
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        for (std::size_t s = 0; blocks_[j][i] != nullptr && s < schedule_.steps.size(); ++s)
          if (blocks_[j][i]->diagonal(s).block != 0) visit(j, i, schedule_.steps[s], blocks_[j][i]->diagonal(s));
  };
  std::set<std::int64_t> babies;
  each_term([&](std::size_t, std::size_t, const params::DiagonalStep& step, const auto&) { babies.insert(step.baby); });
  babies_.assign(babies.begin(), babies.end());
  for (const std::int64_t baby : babies_)
    baby_keys_.push_back(baby == 0 ? nullptr : &evaluator_.rotation_key(baby, level_, "linear map"));

  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::vector<Term>>> sums;  // by output, then giant step
  each_term([&](std::size_t j, std::size_t i, const params::DiagonalStep& step, const auto& diagonal) {
    auto& terms = sums[{j, step.giant}];
    terms.resize(inputs_.size());
    const auto baby = std::ranges::lower_bound(babies_, step.baby) - babies_.begin();
    terms[i].push_back({&diagonal, static_cast<std::size_t>(baby)});
  });
  for (auto& [key, terms] : sums) {
    if (key.second != 0) evaluator_.rotation_key(key.second, level_, "linear map");
    accumulators_.push_back({.output = key.first, .giant = key.second, .terms = std::move(terms), .u0 = {}, .u1 = {}});
  }
  for (const std::int64_t fold : schedule_.folds) {
    if (const std::int64_t steps = evaluator_.normalised(fold); steps != 0)
      evaluator_.rotation_key(steps, level_ - 1, "linear map");
  }
}

std::vector<Ciphertext> LinearTransform::run() {
  const std::size_t n = chain_.n(), rows = chain_.extended_rows(level_);
  const std::size_t pair_bytes = 2 * n * rows * sizeof(std::uint64_t);
  const std::size_t batch = std::max<std::size_t>(1, params::kLinearBatchBytes / pair_bytes);

  struct Total {
    ring::NttPoly u0, u1;
    bool used = false;
  };
  std::vector<Total> totals(blocks_.size());
  std::vector<Ciphertext> outputs;
  std::size_t finished = 0;
  const auto finish_before = [&](std::size_t output) {
    for (; finished < output; ++finished) {
      Ciphertext result = evaluator_.blank(level_ - 1, target_scale_);
      Total& total = totals[finished];
      if (!total.used) {
        result.c0.zero();
        result.c1.zero();
      } else {
        const ring::NttPoly* polys[] = {&total.u0, &total.u1};
        rlwe::divide(chain_, level_, polys, rlwe::Divisor::special_and_last, rlwe::copy_runs({&result.c0, &result.c1}));
        total = {};
      }
      for (const std::int64_t fold : schedule_.folds) evaluator_.add_in_place(result, evaluator_.rotate(result, fold));
      outputs.push_back(std::move(result));
    }
  };

  for (std::size_t begin = 0; begin < accumulators_.size(); begin += batch) {
    const std::span<Accumulator> part =
        std::span(accumulators_).subspan(begin, std::min(batch, accumulators_.size() - begin));
    accumulate(part);
    for (Accumulator& accumulator : part) {
      finish_before(accumulator.output);
      Total& total = totals[accumulator.output];
      if (accumulator.giant == 0 && !total.used) {
        total.u0 = std::move(accumulator.u0);
        total.u1 = std::move(accumulator.u1);
      } else {
        if (!total.used) {
          total.u0 = ring::NttPoly(n, rows);
          total.u1 = ring::NttPoly(n, rows);
          total.u0.zero();
          total.u1.zero();
        }
        giant_step(accumulator, total.u0, total.u1);
        accumulator.u0 = {};
        accumulator.u1 = {};
      }
      total.used = true;
    }
  }
  finish_before(blocks_.size());
  return outputs;
}

void LinearTransform::accumulate(std::span<Accumulator> batch) {
  const std::size_t n = chain_.n(), rows = chain_.extended_rows(level_);
  for (Accumulator& accumulator : batch) {
    accumulator.u0 = ring::NttPoly(n, rows);
    accumulator.u1 = ring::NttPoly(n, rows);
  }
  const bool rotated = std::ranges::any_of(baby_keys_, [](const GaloisKey* key) { return key != nullptr; });
  const std::size_t input_bytes = chain_.digits(level_) * n * rows * sizeof(std::uint64_t);
  const std::size_t group = std::max<std::size_t>(1, params::kLinearBatchBytes / input_bytes);
  for (std::size_t first = 0; first < inputs_.size(); first += group) {
    const std::size_t last = std::min(inputs_.size(), first + group);
    if (rotated) {
      std::erase_if(digits_, [&](const auto& entry) { return entry.first < first || entry.first >= last; });
      for (std::size_t i = first; i < last; ++i) {
        if (digits_.contains(i)) continue;
        rlwe::Digits& digits = digits_.emplace(i, rlwe::Digits(chain_, inputs_[i].c1, level_)).first->second;
        // Rows that are used once are finished where they are used, and stay in the caches.
        if (batch.size() < accumulators_.size()) digits.hoist();
      }
    }
    base::parallel_for(0, rows, [&](std::size_t row) { accumulate_row(batch, first, last, row); });
  }
}

/// One row of P_level times every input rotated by every baby step, modulo one prime, a strip at a time: those of
/// inputs [first, last) in order, and of each the baby steps in order. For one thread.
class LinearTransform::RotatedRow {
 public:
  RotatedRow(const LinearTransform& map, std::span<const Accumulator> batch, std::size_t first, std::size_t last,
             std::size_t row)
      : map_(map),
        first_(first),
        last_(last),
        row_(row),
        strip_(std::min(rlwe::Automorphism::kStrip, map.chain_.n())),
        q_(map.chain_.modulus(map.chain_.prime_of(map.level_, row))),
        special_(row >= rlwe::ModulusChain::rows(map.level_)),
        digits_(map.chain_.digits(map.level_)),
        raised_(map.chain_.n(), special_ ? 0 : last - first),
        finished_(map.chain_.n(),
                  map.digits_.empty() || map.digits_.begin()->second.hoisted() ? 0 : (last - first) * digits_),
        room_(strip_, digits_),
        sum_(strip_, 2) {
    for (std::size_t i = first; i < last && !special_; ++i)
      limb::multiply_scalar(raised_[i - first], map.inputs_[i].c0.limb(row),
                            map.chain_.special_product(map.level_, row), map.chain_.n(), q_);
    for (const auto& [input, digits] : map.digits_)
      for (std::size_t d = 0; d < digits_ && input >= first && input < last; ++d)
        digit_rows_.push_back(digits.finished(d, row, finished_[digit_rows_.size()]));
    weights_.resize((last - first) * map.babies_.size());
    for (const Accumulator& accumulator : batch)
      for (std::size_t i = first; i < last; ++i)
        for (const Term& term : accumulator.terms[i])
          if (term.diagonal->block == 1)
            weights_[(i - first) * map.babies_.size() + term.baby].push_back(term.diagonal->rows.limb(row));
    for (const GaloisKey* key : map.baby_keys_) {
      keys_.emplace_back();
      if (key != nullptr) keys_.back().emplace(map.chain_, key->key, digits_, map.level_, row);
    }
  }

  void make(std::size_t input, std::size_t baby, std::size_t s, std::uint64_t* out0, std::uint64_t* out1) {
    const Ciphertext& x = map_.inputs_[input];
    if (!keys_[baby]) {
      if (special_) return;
      std::copy_n(raised_[input - first_] + s * strip_, strip_, out0);
      limb::multiply_scalar(out1, x.c1.limb(row_) + s * strip_, map_.chain_.special_product(map_.level_, row_), strip_,
                            q_);
      return;
    }
    find_next(input, baby, s);
    const rlwe::Automorphism& automorphism = map_.baby_keys_[baby]->automorphism;
    const std::size_t from = automorphism.source_strip(s) * strip_;
    digit_.clear();
    append_digits(input, from, digit_);
    keys_[baby]->read(from, strip_, room_, next_);
    limb::dot_pair(sum_[0], sum_[1], digit_, keys_[baby]->b(), keys_[baby]->a(), strip_, q_);
    automorphism.apply_strip(out1, sum_[1], s);
    if (!special_) limb::add(sum_[0], sum_[0], raised_[input - first_] + from, strip_, q_);
    automorphism.apply_strip(out0, sum_[0], s);
  }

 private:
  void append_digits(std::size_t input, std::size_t at, std::vector<const std::uint64_t*>& runs) const {
    for (std::size_t d = 0; d < digits_; ++d) runs.push_back(digit_rows_[(input - first_) * digits_ + d] + at);
  }
  /// What the strips that are made next, or multiplied with weights, read from memory.
  void find_next(std::size_t input, std::size_t baby, std::size_t s) {
    next_.clear();
    for (const std::uint64_t* weights : weights_[(input - first_) * keys_.size() + baby])
      next_.push_back(weights + s * strip_);
    if (++baby == keys_.size()) {
      baby = 0;
      if (++input == last_) {
        input = first_;
        if (++s * strip_ == map_.chain_.n()) return;
      }
    }
    if (!keys_[baby]) return;
    const std::size_t from = map_.baby_keys_[baby]->automorphism.source_strip(s) * strip_;
    append_digits(input, from, next_);
    keys_[baby]->append_b(from, next_);
    if (!special_) next_.push_back(raised_[input - first_] + from);
  }

  const LinearTransform& map_;
  std::size_t first_, last_, row_, strip_;
  const ring::Modulus& q_;
  bool special_;
  std::size_t digits_;
  std::vector<std::optional<rlwe::KeyRow>> keys_;           ///< by baby step; none for 0
  std::vector<std::vector<const std::uint64_t*>> weights_;  ///< by input, then baby step: rows of diagonals
  rlwe::ScratchRows raised_;                                ///< P_level times the first halves of the inputs
  rlwe::ScratchRows finished_;                              ///< rows of digits, by input
  std::vector<const std::uint64_t*> digit_rows_;
  rlwe::ScratchRows room_, sum_;
  std::vector<const std::uint64_t*> digit_, next_;
};

// For one prime: strip by strip, every rotated input is made in the second-level cache and used by every accumulator at
// once, with one reduction for each accumulator.
void LinearTransform::accumulate_row(std::span<Accumulator> batch, std::size_t first_input, std::size_t last_input,
                                     std::size_t row) {
  const std::size_t n = chain_.n(), strip = std::min(rlwe::Automorphism::kStrip, n);
  const ring::Modulus& q = chain_.modulus(chain_.prime_of(level_, row));
  const bool special = row >= rlwe::ModulusChain::rows(level_);
  const std::size_t babies = babies_.size();
  const std::size_t together = std::max<std::size_t>(1, kStripBytes / (2 * babies * strip * sizeof(std::uint64_t)));
  rlwe::ScratchRows rotated(strip, 2 * babies * std::min(together, last_input - first_input));
  rlwe::ScratchRows sum(strip, 2);
  RotatedRow rotations(*this, batch, first_input, last_input, row);
  std::vector<const std::uint64_t*> weights, strips[2];
  for (std::size_t s = 0; s < n / strip; ++s) {
    for (std::size_t first = first_input; first < last_input; first += together) {
      const std::size_t last = std::min(last_input, first + together);
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = 0; k < babies; ++k)
          rotations.make(i, k, s, rotated[2 * ((i - first) * babies + k)], rotated[2 * ((i - first) * babies + k) + 1]);
      for (Accumulator& accumulator : batch) {
        std::size_t terms = 0, next = 0;
        for (std::size_t i = first; i < last; ++i) terms += accumulator.terms[i].size();
        rlwe::ScratchRows expanded(strip, terms);
        weights.clear();
        for (auto& list : strips) list.clear();
        for (std::size_t i = first; i < last; ++i) {
          for (const Term& term : accumulator.terms[i]) {
            if (special && baby_keys_[term.baby] == nullptr) continue;  // P_level times the input is 0 there
            const std::size_t block = term.diagonal->block;
            const std::uint64_t* words = term.diagonal->rows.limb(row);
            if (block == 1) {
              weights.push_back(words + s * strip);
            } else {
              std::uint64_t* out = expanded[next++];
              limb::repeat(out, words + s * strip / block, std::min(block, strip), strip);
              weights.push_back(out);
            }
            for (std::size_t k = 0; k < 2; ++k)
              strips[k].push_back(rotated[2 * ((i - first) * babies + term.baby) + k]);
          }
        }
        std::uint64_t* out[] = {accumulator.u0.limb(row) + s * strip, accumulator.u1.limb(row) + s * strip};
        if (first > 0) {
          if (weights.empty()) continue;
          limb::dot_pair(sum[0], sum[1], weights, strips[0], strips[1], strip, q);
          for (std::size_t k = 0; k < 2; ++k) limb::add(out[k], out[k], sum[k], strip, q);
        } else if (weights.empty()) {
          for (std::uint64_t* words : out) std::memset(words, 0, strip * sizeof(std::uint64_t));
        } else {
          limb::dot_pair(out[0], out[1], weights, strips[0], strips[1], strip, q);
        }
      }
    }
  }
}

// total += rotate(u, giant): the second half of u is divided by P_level, switched, and the automorphism is applied to
// the sum.
void LinearTransform::giant_step(Accumulator& accumulator, ring::NttPoly& total0, ring::NttPoly& total1) const {
  const std::size_t n = chain_.n();
  if (accumulator.giant == 0) {
    base::parallel_for(0, chain_.extended_rows(level_), [&](std::size_t row) {
      const ring::Modulus& q = chain_.modulus(chain_.prime_of(level_, row));
      limb::add(total0.limb(row), total0.limb(row), accumulator.u0.limb(row), n, q);
      limb::add(total1.limb(row), total1.limb(row), accumulator.u1.limb(row), n, q);
    });
    return;
  }
  const GaloisKey& key = evaluator_.rotation_key(accumulator.giant, level_, "linear map");
  ring::NttPoly c1(n, rlwe::ModulusChain::rows(level_));
  const ring::NttPoly* polys[] = {&accumulator.u1};
  rlwe::divide(chain_, level_, polys, rlwe::Divisor::special, rlwe::copy_runs({&c1}));
  const rlwe::Digits digits(chain_, c1, level_);
  rlwe::switch_key_extended(chain_, digits, key.key, [&](const rlwe::Run& run) {
    const ring::Modulus& q = chain_.modulus(chain_.prime_of(level_, run.row));
    std::uint64_t* words = run.words.data();
    if (run.poly == 0) limb::add(words, words, accumulator.u0.limb(run.row) + run.at, run.words.size(), q);
    key.automorphism.add_run((run.poly == 0 ? total0 : total1).limb(run.row), run.words, run.at, q);
  });
}

std::vector<Ciphertext> Evaluator::linear(std::span<const Ciphertext> inputs,
                                          std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                          const params::LinearSchedule& schedule) const {
  return LinearTransform(*this, inputs, blocks, schedule).run();
}

}  // namespace tacit::scheme::ckks
