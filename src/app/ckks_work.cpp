#include "app/ckks_work.h"

#include <algorithm>
#include <set>

#include "params/bootstrap_scales.h"

namespace tacit::app {

Work& Work::operator+=(const Work& other) {
  for (const auto& [bits, words] : other.transforms) transforms[bits] += words;
  macs += other.macs;
  bytes += other.bytes;
  return *this;
}

WorkCounter::WorkCounter(const params::CkksParameters& parameters, double key_halves)
    : parameters_(parameters), n_(static_cast<double>(parameters.n())), key_halves_(key_halves) {}

double WorkCounter::Gadget::count(int level) const {
  std::size_t covered = 0;
  double count = 0;
  for (const std::size_t digit : digits) {
    if (static_cast<int>(covered) > level) break;
    covered += digit;
    ++count;
  }
  return count;
}

double WorkCounter::half_key_bytes(int level, const Gadget& gadget) const {
  return gadget.count(level) * gadget.extended(level) * limb_bytes();
}

Work WorkCounter::rows(int level, const Gadget& gadget, double ciphertext_primes, double special_primes) const {
  Work work;
  const params::CkksLiteral& literal = parameters_.literal();
  const double words = n_ * literal.log_n;
  for (int i = 0; i <= level; ++i)
    work.transforms[literal.q_bits[static_cast<std::size_t>(i)]] += ciphertext_primes * words;
  for (std::size_t k = 0; k < gadget.special_primes[static_cast<std::size_t>(level)]; ++k)
    work.transforms[literal.p_bits[k]] += special_primes * words;
  return work;
}

Work WorkCounter::decompose(int level, const Gadget& gadget) const {
  Work work = rows(level, gadget, gadget.count(level), gadget.count(level));
  double first = 0;
  for (const std::size_t digit : gadget.digits) {
    const double size = std::min(static_cast<double>(digit), limbs(level) - first);
    if (size <= 0) break;
    work.macs += size * (gadget.extended(level) - size) * n_;
    first += size;
  }
  return work;
}

Work WorkCounter::key_product(int level, const Gadget& gadget) const {
  Work work;
  work.macs = 2 * gadget.count(level) * gadget.extended(level) * n_;
  work.bytes = key_halves_ * half_key_bytes(level, gadget);
  return work;
}

Work WorkCounter::divide(int level, const Gadget& gadget, bool rescaled) const {
  Work work = rows(level, gadget, 2, 2);
  const double dropped = gadget.special(level) + (rescaled ? 1 : 0);
  work.macs = 2 * dropped * (gadget.extended(level) - dropped) * n_;
  return work;
}

Work WorkCounter::rescale(int from, int to) const {
  Work work;
  for (int level = from; level > to; --level) {
    Work one = rows(level, rotating(), 2, 0);
    one.macs = 2.0 * level * n_;
    work += one;
  }
  return work;
}

Work WorkCounter::transform(int bits) const {
  Work work;
  work.transforms[bits] = n_ * parameters_.log_n();
  work.bytes = 2 * limb_bytes();
  return work;
}

Work WorkCounter::multiply_accumulate(std::size_t terms) const {
  const auto count = static_cast<double>(terms);
  Work work;
  work.macs = 2 * count * n_;
  work.bytes = (3 * count + 2) * limb_bytes();
  return work;
}

Work WorkCounter::add(int level) const {
  Work work;
  work.bytes = 3 * 2 * limbs(level) * limb_bytes();
  return work;
}

Work WorkCounter::key_switch(int level) const {
  Work work = decompose(level, rotating());
  work += key_product(level, rotating());
  work += divide(level, rotating(), false);
  work.bytes += 2 * 2 * limbs(level) * limb_bytes();
  return work;
}

Work WorkCounter::rotate_hoisted(int level, int rotations) const {
  Work work = decompose(level, rotating());
  for (int r = 0; r < rotations; ++r) {
    work += key_product(level, rotating());
    work += divide(level, rotating(), false);
  }
  work.bytes += (1 + rotations) * 2 * limbs(level) * limb_bytes();
  return work;
}

Work WorkCounter::multiply(int level) const {
  Work work = decompose(level, multiplying());
  work += key_product(level, multiplying());
  work += divide(level, multiplying(), true);
  work.macs += 4 * limbs(level) * n_;
  work.bytes += (2 * 2 * limbs(level) + 2 * level) * limb_bytes();
  return work;
}

Work WorkCounter::linear(int level, std::span<const params::DiagonalStep> steps, double diagonal_bytes) const {
  std::set<std::int64_t> babies, giants;
  for (const params::DiagonalStep& step : steps) {
    if (step.baby != 0) babies.insert(step.baby);
    if (step.giant != 0) giants.insert(step.giant);
  }
  Work work;
  if (!babies.empty()) work += decompose(level, rotating());
  for (std::size_t i = 0; i < babies.size(); ++i) work += key_product(level, rotating());
  for (std::size_t i = 0; i < giants.size(); ++i) {
    work += rows(level, rotating(), 1, 1);
    work.macs += rotating().special(level) * limbs(level) * n_;
    work += decompose(level, rotating());
    work += key_product(level, rotating());
  }
  work.macs += 2 * rotating().extended(level) * n_ * static_cast<double>(steps.size());
  work += divide(level, rotating(), true);
  work.bytes += diagonal_bytes + (2 * limbs(level) + 2 * level) * limb_bytes();
  return work;
}

Work WorkCounter::polynomial(const params::PolynomialPlan& plan, std::span<const int> levels) const {
  Work work;
  const auto level = [&](std::size_t depth) { return levels[depth]; };
  for (std::size_t depth = 1; depth < plan.relinearisations.size(); ++depth)
    for (int i = 0; i < plan.relinearisations[depth]; ++i) {
      const int from = level(depth - 1);
      work += decompose(from, multiplying());
      work += key_product(from, multiplying());
      work += divide(from, multiplying(), true);
      work += rescale(from - 1, level(depth));
    }
  // Products lie about evenly over the depths.
  const double mean = (limbs(levels.front()) + limbs(levels.back())) / 2;
  work.macs += plan.products * 4 * mean * n_;
  const auto visit = [&](const auto& self, const params::PolynomialNode& node) -> void {
    const int from = level(static_cast<std::size_t>(std::max(node.depth - 1, 0)));
    work.macs += 2 * limbs(from) * n_ * static_cast<double>(node.terms.size());
    if (node.products.empty() && !node.constant() && node.depth > 0)
      work += rescale(from, level(static_cast<std::size_t>(node.depth)));
    for (const auto& product : node.products) self(self, product.factor);
  };
  visit(visit, plan.root);
  work.bytes += (2 * limbs(levels.front()) + 2 * limbs(levels.back())) * limb_bytes();
  return work;
}

Work WorkCounter::sine(const params::BootstrapSchedule& schedule) const {
  return WorkCounter(params::raised_parameters(parameters_, schedule.chain), key_halves_).sine_above(schedule);
}

Work WorkCounter::sine_above(const params::BootstrapSchedule& schedule) const {
  const std::vector<int>& sine = schedule.chain.sine;
  Work work;
  work += polynomial(params::plan_polynomial(schedule.cosine, schedule.polynomial),
                     std::span(sine).first(static_cast<std::size_t>(params::kCosineDepth) + 1));
  for (std::size_t i = params::kCosineDepth; i + 1 < sine.size(); ++i) {
    work += multiply(sine[i]);
    work += rescale(sine[i] - 1, sine[i + 1]);
  }
  return work;
}

Work WorkCounter::bootstrap(const params::BootstrapSchedule& schedule, double diagonal_bytes) const {
  Work work;
  const WorkCounter raised(params::raised_parameters(parameters_, schedule.chain), key_halves_);
  for (const params::DftFactor& factor : schedule.slots_to_coefficients)
    work += linear(factor.level, factor.schedule.steps, 0);
  // To the ephemeral secret over q_0 and p_0; raised; back.
  work += raised.rows(schedule.chain.top, raised.rotating(), 2, 0);
  work += raised.key_switch(schedule.chain.top);
  for (const params::DftFactor& factor : schedule.coefficients_to_slots)
    work += raised.linear(factor.level, factor.schedule.steps, 0);
  work += raised.key_switch(schedule.chain.sine[0]);
  work += raised.sine_above(schedule);
  work.bytes += diagonal_bytes;
  return work;
}

}  // namespace tacit::app
