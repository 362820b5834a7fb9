#include "bench/slots/benchmark_bed.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "program/slots/linear_plan.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/rlwe/key_switch.h"

namespace tacit::bench {

namespace ckks = scheme::ckks;
namespace rlwe = scheme::rlwe;

namespace {

/// Returns a block of `count` diagonals of this period.
layout::DiagonalSet block_of(const params::CkksParameters& parameters, int count, std::size_t period) {
  layout::DiagonalSet set;
  set.slots = set.modulus = static_cast<layout::Index>(parameters.slots());
  set.period = static_cast<layout::Index>(period);
  for (int d = 0; d < count; ++d) set.diagonals.insert(d);
  set.blocks = 1;
  set.count = {count, static_cast<double>(period) / static_cast<double>(set.slots)};
  return set;
}

/// Returns the work in memory that was used before, because timings are repeated.
params::Work in_kept_memory(params::Work work) {
  work.touched = 0;
  return work;
}

params::KeyManifest rotations(int count, int level) {
  params::KeyManifest manifest;
  for (int step = 1; step <= count; ++step) manifest.rotations[step] = level;
  return manifest;
}

}  // namespace

BenchmarkBed::BenchmarkBed(const std::string& set, const params::CostTable& costs)
    : costs_(costs),
      context_(ckks::Context::make(params::CkksParameters::check(params::named_literal(set)))),
      secret_(ckks::KeyGenerator(context_).secret_key()) {}

int message_top(const params::CkksLiteral& literal) {
  return literal.bootstrap ? params::chain_of(literal).output : static_cast<int>(literal.q_bits.size()) - 1;
}

std::vector<double> BenchmarkBed::values() const {
  std::vector<double> values(context_->parameters().slots());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17) / 17.0 - 0.5;
  return values;
}

ckks::Ciphertext BenchmarkBed::encrypt(int level) const {
  const std::vector<double> slots = values();
  return ckks::Encryptor(context_, secret_)
      .encrypt(ckks::Encoder(context_).encode(std::span<const double>(slots), level, context_->parameters().scale()));
}

std::shared_ptr<const ckks::Evaluator> BenchmarkBed::evaluator(const params::KeyManifest& manifest) {
  if (manifest_ != manifest) {
    evaluator_.reset();
    bootstrapper_.reset();
    const auto keys =
        std::make_shared<const ckks::EvaluationKeys>(ckks::KeyGenerator(context_).evaluation_keys(secret_, manifest));
    if (const double expected = params::key_bytes(context_->parameters().literal(), manifest); expected > 0)
      key_halves_ = std::round(static_cast<double>(keys->bytes()) / expected);
    evaluator_ = std::make_shared<const ckks::Evaluator>(context_, keys);
    manifest_ = manifest;
  }
  return evaluator_;
}

TimedOperation BenchmarkBed::add() {
  const auto e = evaluator({});
  const ckks::Ciphertext a = encrypt(top());
  return {[=] { e->add(a, a); }, account().add(top())};
}

TimedOperation BenchmarkBed::key_switch() {
  const int level = top();
  const rlwe::ModulusChain& chain = context_->chain();
  const auto key = std::make_shared<const rlwe::SwitchingKey>(
      rlwe::SwitchingKey::generate(chain, secret_.poly(), secret_.poly(), level));
  const auto in = std::make_shared<const ckks::Ciphertext>(encrypt(level));
  const auto out = std::make_shared<ckks::Ciphertext>(*in);
  key_halves_ = std::round(static_cast<double>(key->bytes()) / account().half_key_bytes(level));
  return {[=, context = context_] {
            const rlwe::ModulusChain& primes = context->chain();
            rlwe::switch_key(primes, rlwe::Digits(primes, in->c1, level), *key, {}, rlwe::Divisor::special,
                             rlwe::copy_runs({&out->c0, &out->c1}));
          },
          account().rotate(level), priced([level](const slots::OperationPrices& p) { return p.rotate(level); })};
}

TimedOperation BenchmarkBed::rotate() {
  const auto e = evaluator(rotations(1, top()));
  const ckks::Ciphertext a = encrypt(top());
  return {[=] { e->rotate(a, 1); }, account().rotate(top()),
          priced([level = top()](const slots::OperationPrices& p) { return p.rotate(level); })};
}

TimedOperation BenchmarkBed::rotate_hoisted(int count) {
  const params::KeyManifest manifest = rotations(count, top());
  const auto e = evaluator(manifest);
  const ckks::Ciphertext a = encrypt(top());
  std::vector<std::int64_t> steps;
  for (const auto& [step, level] : manifest.rotations) steps.push_back(step);
  return {[=] { e->rotate_hoisted(a, steps); }, account().rotate_hoisted(top(), count),
          priced([level = top(), count](const slots::OperationPrices& p) {
            const slots::LinearPrices prices = p.linear(level);
            return prices.decompose + count * (prices.baby + prices.finish);
          })};
}

TimedOperation BenchmarkBed::multiply() {
  const auto e = evaluator({.relinearise_level = top(), .rotations = {}});
  const ckks::Ciphertext a = encrypt(top()), b = a;
  return {[=] { e->multiply(a, b); }, account().multiply(top()),
          priced([level = top()](const slots::OperationPrices& p) { return p.multiply(level); })};
}

TimedOperation BenchmarkBed::polynomial(int degree) {
  const int level = message_top();
  const auto e = evaluator({.relinearise_level = level, .rotations = {}});
  const ckks::Ciphertext a = encrypt(level);
  std::vector<double> coefficients;
  for (int k = 0; k <= degree; ++k) coefficients.push_back(1.0 / (1.0 + k * k));
  const params::PolynomialSchedule schedule = params::PolynomialSchedule::choose(degree);
  std::vector<int> levels;
  for (int depth = 0; depth <= schedule.depth; ++depth) levels.push_back(level - depth);
  return {[=, scale = context_->parameters().scale()] { e->polynomial(a, coefficients, schedule, scale); },
          account().polynomial(params::plan_polynomial(coefficients, schedule), levels),
          priced([level, plan = params::plan_polynomial(coefficients, schedule)](const slots::OperationPrices& p) {
            return p.polynomial(level, plan);
          })};
}

TimedOperation BenchmarkBed::linear(int diagonals) {
  const params::CkksParameters& parameters = context_->parameters();
  const layout::DiagonalSet set = block_of(parameters, diagonals, parameters.slots());
  return linear(set, schedule_of(set));
}

params::LinearSchedule BenchmarkBed::schedule_of(const layout::DiagonalSet& set) const {
  const int level = std::min(kLinearLevel, top());
  const slots::OperationPrices prices(context_->parameters().literal(), costs_);
  return slots::plan_linear(set, prices.linear(level), 1, 1);
}

TimedOperation BenchmarkBed::linear_of_period(int babies, int giants, std::size_t period) {
  const auto slots = static_cast<std::int64_t>(context_->parameters().slots());
  params::LinearSchedule schedule;
  for (std::int64_t d = 0; d < std::int64_t{babies} * giants; ++d)
    schedule.steps.push_back({.diagonal = d % slots, .baby = d % babies, .giant = d - d % babies});
  return linear(block_of(context_->parameters(), babies * giants, period), schedule);
}

TimedOperation BenchmarkBed::linear(const layout::DiagonalSet& set, const params::LinearSchedule& schedule) {
  const params::CkksParameters& parameters = context_->parameters();
  const int level = std::min(kLinearLevel, top());
  params::KeyManifest manifest;
  for (const params::DiagonalStep& step : schedule.steps)
    for (const std::int64_t rotation : {step.baby, step.giant})
      if (rotation != 0) manifest.rotations[rotation] = level;
  const auto e = evaluator(manifest);
  const auto matrix = std::make_shared<const ckks::DiagonalMatrix>(ckks::Encoder(context_).encode_diagonals(
      schedule.steps, weights_of(set, schedule), level, parameters.scale(), parameters.scale()));
  const ckks::Ciphertext a = encrypt(level);
  const slots::LinearCounts counts = slots::count(schedule, set.count, 1, 1);
  params::Work work = params::total(counts, account().linear(level));
  work.bytes +=
      static_cast<double>(matrix->bytes()) + account().ciphertext_bytes(level) + account().ciphertext_bytes(level - 1);
  return {[=] {
            const std::vector<const ckks::DiagonalMatrix*> row{matrix.get()};
            e->linear({&a, 1}, {&row, 1}, schedule);
          },
          work,
          priced([level, counts](const slots::OperationPrices& p) { return params::total(counts, p.linear(level)); })};
}

std::vector<std::vector<double>> BenchmarkBed::weights_of(const layout::DiagonalSet& set,
                                                          const params::LinearSchedule& schedule) const {
  std::vector<double> period = values();
  period.resize(static_cast<std::size_t>(set.period));
  std::vector<std::vector<double>> weights(schedule.steps.size(), period);
  for (std::size_t d = 0; d < weights.size(); ++d) weights[d][d] = 1;
  return weights;
}

TimedOperation BenchmarkBed::encode(int diagonals) {
  const params::CkksParameters& parameters = context_->parameters();
  const layout::DiagonalSet set = block_of(parameters, diagonals, parameters.slots());
  const int level = std::min(kLinearLevel, top());
  const params::LinearSchedule schedule = schedule_of(set);
  const double all = static_cast<double>(diagonals) * static_cast<double>(parameters.slots());
  const params::Work work = in_kept_memory(account().encode_diagonals(level, diagonals, all));
  const auto made = std::make_shared<std::optional<ckks::DiagonalMatrix>>();  // memory for the next stays
  return {[=, context = context_, weights = weights_of(set, schedule), scale = parameters.scale()] {
            *made = ckks::Encoder(context).encode_diagonals(schedule.steps, weights, level, scale, scale);
          },
          work, priced([work](const slots::OperationPrices& p) { return p.seconds(work); })};
}

TimedOperation BenchmarkBed::make_keys(int count) {
  const params::KeyManifest manifest = rotations(count, top());
  const params::Work work = in_kept_memory(params::key_generation(context_->parameters().literal(), manifest));
  const auto made = std::make_shared<std::optional<ckks::EvaluationKeys>>();
  return {[=, this] { *made = ckks::KeyGenerator(context_).evaluation_keys(secret_, manifest); }, work,
          priced([work](const slots::OperationPrices& p) { return p.seconds(work); })};
}

TimedOperation BenchmarkBed::bootstrap(int output_level, bool pair) {
  const params::BootstrapSchedule schedule =
      params::plan_bootstrap(context_->parameters().literal(), {.output_level = output_level});
  const auto e = evaluator(params::key_manifest(schedule));
  if (!bootstrapper_ || bootstrapper_->schedule() != schedule)
    bootstrapper_ = std::make_shared<const ckks::Bootstrapper>(context_, schedule);
  const ckks::Ciphertext a = encrypt(schedule.input_level);
  params::Work work = account().bootstrap(schedule);
  work.bytes += static_cast<double>(bootstrapper_->bytes());
  const auto b = bootstrapper_;
  const auto price =
      priced([schedule, pair](const slots::OperationPrices& p) { return p.bootstraps(schedule, pair ? 2 : 1); });
  if (!pair) return {[=] { b->bootstrap(*e, a); }, work, price};
  work += account().sine(schedule);
  return {[=] { b->bootstrap_pair(*e, a, a); }, work, price};
}

}  // namespace tacit::bench
