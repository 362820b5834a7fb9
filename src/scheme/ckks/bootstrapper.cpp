#include "scheme/ckks/bootstrapper.h"

#include <array>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/chebyshev_evaluation.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/dft.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/imaginary.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

/// Of a second iteration. What the first one misses is below 2^-14 in every set, and must stay below 1.
constexpr int kGainedBits = 13;

/// The factors of one transform, encoded to go from the scale `from` through `scales`; `factor` multiplies the whole.
std::vector<DiagonalMatrix> encode(const ContextPtr& context, const std::vector<params::DftFactor>& factors,
                                   DftDirection direction, double from, const std::vector<double>& scales,
                                   double factor, base::Progress& progress) {
  const Encoder encoder(context);
  const double share = std::pow(factor, 1 / static_cast<double>(factors.size()));
  std::vector<std::vector<std::vector<std::complex<double>>>> by_factor(factors.size());
  base::parallel_for(0, factors.size(), [&](std::size_t i) {
    by_factor[i] = dft_diagonals(factors[i], direction, context->parameters().slots());
    for (auto& diagonal : by_factor[i])
      for (auto& value : diagonal) value *= share;
  });
  std::vector<DiagonalMatrix> result;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    progress.advance();
    const auto diagonals = std::exchange(by_factor[i], {});
    const std::span<const params::DiagonalStep> steps = factors[i].schedule.steps;
    const double before = i == 0 ? from : scales[i - 1];
    const bool raised = i == 0 && direction == DftDirection::coefficients_to_slots;
    result.push_back(raised ? encoder.encode_raised_diagonals(steps, diagonals, factors[i].level, before, scales[i])
                            : encoder.encode_diagonals(steps, diagonals, factors[i].level, before, scales[i]));
  }
  return result;
}

Ciphertext apply(const Evaluator& evaluator, std::span<const params::DftFactor> factors,
                 std::span<const DiagonalMatrix> matrices, Ciphertext x) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::vector<const DiagonalMatrix*> row{&matrices[i]};
    x = std::move(evaluator.linear({&x, 1}, {&row, 1}, factors[i].schedule)[0]);
  }
  return x;
}

}  // namespace

Bootstrapper::Bootstrapper(ContextPtr context, params::BootstrapSchedule schedule, base::Progress& progress)
    : context_(std::move(context)), raised_(context_), schedule_(std::move(schedule)) {
  const params::CkksParameters& parameters = context_->parameters();
  if (const std::string problem = params::schedule_problem(schedule_, parameters.literal()); !problem.empty())
    base::refuse("bootstrap: the schedule {}", problem);
  if (schedule_.chain.skipped > 0) raised_ = Context::make(params::raised_parameters(parameters, schedule_.chain));
  scales_ = params::bootstrap_scales(parameters, schedule_);
  progress.begin("encode bootstraps", schedule_.slots_to_coefficients.size() + schedule_.coefficients_to_slots.size());
  slots_to_coefficients_ = encode(context_, schedule_.slots_to_coefficients, DftDirection::slots_to_coefficients,
                                  parameters.scale(), scales_.slots_to_coefficients, 1, progress);
  // Half of x + conj(x) is the real part.
  coefficients_to_slots_ =
      encode(raised_, schedule_.coefficients_to_slots, DftDirection::coefficients_to_slots,
             context_->parameters().prime(0), scales_.coefficients_to_slots, 0.5 / schedule_.range, progress);
  progress.end();
}

std::size_t Bootstrapper::bytes() const {
  std::size_t sum = 0;
  for (const auto* matrices : {&slots_to_coefficients_, &coefficients_to_slots_})
    for (const DiagonalMatrix& matrix : *matrices) sum += matrix.bytes();
  return sum;
}

void Bootstrapper::check_keys(const Evaluator& evaluator) const {
  const EvaluationKeys& keys = evaluator.keys("bootstrap");
  check_parameters(*context_, keys.parameters, "bootstrap", "set of evaluation keys");
  const params::KeyManifest needs = params::key_manifest(schedule_);
  keys.to_ephemeral("bootstrap");
  for (const auto& [steps, level] : needs.raised_rotations) keys.raised_rotation(steps, level, "bootstrap");
  keys.relinearise(needs.relinearise_level, "bootstrap");
  keys.conjugate(needs.conjugate_level, "bootstrap");
  for (const auto& [steps, level] : needs.rotations) keys.rotation(steps, level, "bootstrap");
}

Ciphertext Bootstrapper::prepared(const Evaluator& evaluator, const Ciphertext& x) const {
  check(*context_, x, "bootstrap");
  if (x.level < schedule_.input_level)
    base::refuse("bootstrap: it begins at level {} and the input is at level {}; bootstrap earlier",
                 schedule_.input_level, x.level);
  check_same_scale(context_->parameters().scale(), x.scale, "bootstrap");
  return evaluator.drop_to_level(x, schedule_.input_level);
}

// Under the ephemeral secret the coefficients modulo q_0, read as integers, differ from the message by few multiples of
// q_0; the key to it holds at modulus q_0 p_0 only. The first factor leads back to the secret.
RaisedCiphertext Bootstrapper::raise_modulus(const Evaluator& above, const Ciphertext& x) const {
  const rlwe::ModulusChain& chain = raised_->raising_chain();
  const rlwe::ModulusChain& small = *context_->ephemeral_chain();
  const std::size_t n = chain.n();
  const rlwe::SwitchingKey& key = above.keys("bootstrap").to_ephemeral("bootstrap");
  std::array<ring::CoefficientPoly, 2> parts{ring::CoefficientPoly(n, 1), ring::CoefficientPoly(n, 1)};
  rlwe::switch_key(small, rlwe::Digits(small, x.c1, 0), key, {}, rlwe::Divisor::special, [&](const rlwe::Run& run) {
    std::uint64_t* words = run.words.data();
    if (run.poly == 0) limb::add(words, words, x.c0.limb(0) + run.at, run.words.size(), chain.modulus(0));
    std::ranges::copy(run.words, parts[run.poly].limb(0) + run.at);
  });
  for (ring::CoefficientPoly& part : parts) chain.ntt(0).inverse(part.limb(0));
  RaisedCiphertext raised{.lifted = above.blank(schedule_.chain.top, context_->parameters().prime(0)),
                          .special = ring::NttPoly(n, 1)};
  const std::size_t rows = raised.lifted.c0.limbs();
  base::parallel_for(0, 2 * rows + 1, [&](std::size_t task) {
    const std::size_t k = task < rows ? 0 : 1, index = task - k * rows;
    const std::size_t row = chain.prime_of(schedule_.chain.top, index);
    std::uint64_t* out = index == rows ? raised.special.limb(0)
                         : k == 0      ? raised.lifted.c0.limb(index)
                                       : raised.lifted.c1.limb(index);
    limb::switch_modulus_centered(out, parts[k].limb(0), n, chain.modulus(0), chain.modulus(row));
    chain.ntt(row).forward(out);
  });
  return raised;
}

Evaluator Bootstrapper::above(const Evaluator& evaluator) const {
  const params::BootstrapChain& chain = schedule_.chain;
  if (chain.skipped == 0) return evaluator;
  return {raised_, evaluator.keys("bootstrap").without(*context_, *raised_, chain.output + 1, chain.skipped)};
}

Ciphertext Bootstrapper::raised(const Evaluator& evaluator, const Evaluator& above, const Ciphertext& x) const {
  const std::span factors(schedule_.coefficients_to_slots);
  const std::span matrices(coefficients_to_slots_);
  return apply(above, factors.subspan(1), matrices.subspan(1),
               above.raised_linear(raise_modulus(above, lowered(evaluator, x)), matrices[0], factors[0].schedule));
}

Ciphertext Bootstrapper::lowered(const Evaluator& evaluator, Ciphertext x) const {
  return apply(evaluator, schedule_.slots_to_coefficients, slots_to_coefficients_, std::move(x));
}

Ciphertext Bootstrapper::sine(const Evaluator& above, const Ciphertext& x) const {
  const std::vector<int>& levels = schedule_.chain.sine;
  const params::PolynomialPlan plan = params::plan_polynomial(schedule_.cosine, schedule_.polynomial);
  const bool whole = schedule_.form == params::BootstrapForm::whole;
  Ciphertext y = ChebyshevEvaluation(above, x, plan, levels, whole ? OddTerms::imaginary : OddTerms::real)
                     .run(plan.root, scales_.cosine);
  for (std::size_t i = params::kCosineDepth; i + 1 < levels.size(); ++i) {
    // cos(2 a) = 2 cos(a)^2 - 1, and exp(2 i a) = exp(i a)^2.
    const double scale = y.scale * y.scale;
    Evaluator::Sum sum{.products = {{&y, &y}}, .multiples = {}, .constant = 0, .weight = 1};
    if (!whole) {
      sum.constant = -ChebyshevEvaluation::integer(1, scale);
      sum.weight = 2;
    }
    y = above.divided_sum(sum, levels[i], levels[i + 1], scale, "bootstrap");
  }
  y.scale = scales_.sine;
  return y;
}

Ciphertext Bootstrapper::finished(const Evaluator& above, Ciphertext x) const {
  above.add_constant(x, static_cast<rlwe::Int128>(std::llround(-x.scale * schedule_.shift() / schedule_.range)));
  Ciphertext y = sine(above, x);
  y.scale = context_->parameters().scale();
  if (y.level != schedule_.output_level) y = above.drop_to_level(y, schedule_.output_level);
  y.parameters = context_->parameters().hash();  // below the skipped primes both sets are one
  return y;
}

Ciphertext Bootstrapper::bootstrap(const Evaluator& evaluator, const Ciphertext& x, base::Progress& progress) const {
  const Ciphertext input = prepared(evaluator, x);
  check_keys(evaluator);
  const Evaluator above = this->above(evaluator);
  Ciphertext slots = raised(evaluator, above, input);
  progress.advance(0);
  above.add_in_place(slots, above.conjugate(slots));
  return finished(above, std::move(slots));
}

std::pair<Ciphertext, Ciphertext> Bootstrapper::bootstrap_pair(const Evaluator& evaluator, const Ciphertext& x,
                                                               const Ciphertext& y, base::Progress& progress) const {
  const Ciphertext real = prepared(evaluator, x), imaginary = times_i(*context_, prepared(evaluator, y));
  const Ciphertext input = evaluator.add(real, imaginary);
  check_keys(evaluator);
  const Evaluator above = this->above(evaluator);
  const Ciphertext slots = raised(evaluator, above, input);
  progress.advance(0);
  const Ciphertext conjugate = above.conjugate(slots);
  Ciphertext first = finished(above, above.add(slots, conjugate));
  progress.advance(0);
  return {std::move(first), finished(above, times_i(*raised_, above.sub(slots, conjugate), true))};
}

Ciphertext Bootstrapper::bootstrap_twice(const Evaluator& evaluator, const Ciphertext& x) const {
  if (schedule_.form != params::BootstrapForm::linear)
    throw base::InputError(
        "bootstrap: a second iteration needs the linear form, whose results are the slots themselves");
  if (schedule_.output_level <= schedule_.input_level)
    base::refuse(
        "bootstrap: a second iteration begins at level {}, which must be below the output level {}; choose "
        "a higher one",
        schedule_.input_level, schedule_.output_level);
  const Ciphertext input = prepared(evaluator, x);
  Ciphertext result = bootstrap(evaluator, input);
  Ciphertext missed = evaluator.sub(input, evaluator.drop_to_level(result, input.level));
  // Of what was missed it is the values that grow, of the result the scale.
  const auto enlarge = [&](Ciphertext& y) {
    for (int bit = 0; bit < kGainedBits; ++bit) evaluator.add_in_place(y, y);
  };
  enlarge(missed);
  enlarge(result);
  evaluator.add_in_place(result, bootstrap(evaluator, missed));
  result.scale = std::ldexp(result.scale, kGainedBits);
  return result;
}

}  // namespace tacit::scheme::ckks
