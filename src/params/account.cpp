#include "params/account.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "params/key_switch_primes.h"
#include "params/rotation_primes.h"

namespace tacit::params {
namespace {

/// Passes over a word that is encoded, and over a word of a key that is made, in the time of a multiply-accumulate:
/// reductions, copies and what is wiped. Fitted to encodings and keys on N13-d4, N15-d15 and S8 (docs/bench.md,
/// Prices).
constexpr double kEncodingPasses = 5, kKeyPasses = 20;

}  // namespace

Account::Account(const CkksLiteral& literal, double key_halves)
    : literal_(literal), n_(std::ldexp(1.0, literal.log_n)), key_halves_(key_halves) {
  rotating_ = gadget_of(literal);
  multiplying_ = product_gadget_of(literal);
  raising_ = raising_gadget_of(literal);
}

Work Account::transforms(int level, const Gadget& gadget, double ciphertext_primes, double special_primes) const {
  Work work;
  const double words = n_ * literal_.log_n;
  const auto add = [&](int bits, double times) { work.transforms.at(static_cast<std::size_t>(bits)) += times * words; };
  const std::size_t last = literal_.q_bits.size() - 1;
  for (int i = 0; i <= level; ++i) add(literal_.q_bits[std::min(static_cast<std::size_t>(i), last)], ciphertext_primes);
  const auto special = static_cast<std::size_t>(gadget.special(level));
  for (std::size_t k = 0; k < special; ++k) add(literal_.p_bits.at(k), special_primes);
  return work;
}

Work Account::decompose(int level, const Gadget& gadget) const {
  Work work = transforms(level, gadget, gadget.count(level), gadget.count(level));
  double first = 0;
  for (const std::size_t digit : gadget.digits) {
    const double size = std::min(static_cast<double>(digit), limbs(level) - first);
    if (size <= 0) break;
    work.macs += size * (gadget.extended(level) - size) * n_;
    first += size;
  }
  return work;
}

Work Account::key_product(int level, const Gadget& gadget) const {
  Work work;
  work.key_macs = 2 * gadget.count(level) * gadget.extended(level) * n_;
  work.additions = 2 * gadget.extended(level) * n_;  // reductions
  work.bytes = key_halves_ * half_key_bytes(level, gadget);
  return work;
}

void Account::add_products(LinearParts<Work>& parts, int level, const Gadget& gadget) const {
  parts.product.products = parts.repeated.macs = 2 * gadget.extended(level) * n_;
  parts.finish = divide(level, gadget, true);
}

Work Account::divide(int level, const Gadget& gadget, bool rescaled) const {
  Work work = transforms(level, gadget, 2, 2);
  const double dropped = gadget.special(level) + (rescaled ? 1 : 0);
  work.macs = 2 * dropped * (gadget.extended(level) - dropped) * n_;
  work.additions = 2 * (gadget.extended(level) - dropped) * n_;
  return work;
}

Work Account::rescale(int from, int to) const {
  Work work;
  for (int level = from; level > to; --level) {
    work += transforms(level, rotating_, 2, 0);
    work.macs += 2.0 * level * n_;
  }
  return work;
}

Work Account::add(int level) const {
  Work work;
  work.additions = 2 * limbs(level) * n_;
  work.bytes = 3 * ciphertext_bytes(level);
  return work;
}

Work Account::rotate_hoisted(int level, int rotations) const {
  Work work = decompose(level, rotating_);
  work += static_cast<double>(rotations) * (key_product(level, rotating_) + divide(level, rotating_, false));
  work.bytes += (1 + rotations) * ciphertext_bytes(level);
  return work;
}

Work Account::multiply(int level) const {
  Work work = decompose(level, multiplying_) + key_product(level, multiplying_) + divide(level, multiplying_, true);
  work += product(level);
  work.bytes += ciphertext_bytes(level - 1);
  return work;
}

Work Account::product(int level) const {
  Work work;
  work.products = 4 * limbs(level) * n_;
  work.additions = 2 * limbs(level) * n_;
  work.bytes = 2 * ciphertext_bytes(level);
  return work;
}

Work Account::multiply_plain(int level) const {
  Work work = rescale(level, level - 1);
  work.products += 2 * limbs(level) * n_;
  work.additions += 2 * limbs(level) * n_;
  work.bytes += 1.5 * ciphertext_bytes(level) + ciphertext_bytes(level - 1);
  return work;
}

Work Account::encrypt(int level) const {
  Work work = transforms(level, rotating_, 3, 0);
  work.macs = 6 * limbs(level) * n_;
  work.bytes = ciphertext_bytes(level);
  return work;
}

LinearParts<Work> Account::linear(int level) const {
  LinearParts<Work> parts;
  parts.decompose = decompose(level, rotating_);
  parts.baby = key_product(level, rotating_);
  parts.baby.additions += rotating_.extended(level) * n_;
  parts.giant = transforms(level, rotating_, 1, 1) + parts.decompose + key_product(level, rotating_);
  parts.giant.macs += rotating_.special(level) * limbs(level) * n_;
  add_products(parts, level, rotating_);
  parts.fold = rotate(std::max(level - 1, 0));
  return parts;
}

LinearParts<Work> Account::raised_linear(int level) const {
  LinearParts<Work> parts;
  parts.baby = key_product(level, raising_);
  parts.baby.additions += raising_.extended(level) * n_;
  // Both halves are raised. The step 0 takes a key like any other. The key switch over q_0 and p_0 is not counted.
  parts.decompose = transforms(level, raising_, 2, 1) + parts.baby;
  add_products(parts, level, raising_);
  return parts;
}

Work Account::polynomial(const PolynomialPlan& plan, std::span<const int> levels) const {
  Work work;
  const auto level = [&](std::size_t depth) { return levels[depth]; };
  for (std::size_t depth = 1; depth < plan.relinearisations.size(); ++depth) {
    const int from = level(depth - 1);
    Work one = decompose(from, multiplying_) + key_product(from, multiplying_) + divide(from, multiplying_, true);
    work += static_cast<double>(plan.relinearisations[depth]) * (one + rescale(from - 1, level(depth)));
  }
  // Products lie about evenly over the depths.
  const double mean = (limbs(levels.front()) + limbs(levels.back())) / 2;
  work.products += plan.products * 4 * mean * n_;
  const auto visit = [&](const auto& self, const PolynomialNode& node) -> void {
    const int from = level(static_cast<std::size_t>(std::max(node.depth - 1, 0)));
    work.products += 2 * limbs(from) * n_ * static_cast<double>(node.terms.size());
    if (node.products.empty() && !node.constant() && node.depth > 0)
      work += rescale(from, level(static_cast<std::size_t>(node.depth)));
    for (const auto& product : node.products) self(self, product.factor);
  };
  visit(visit, plan.root);
  work.bytes += ciphertext_bytes(levels.front()) + ciphertext_bytes(levels.back());
  return work;
}

Work Account::polynomial(const PolynomialPlan& plan, int level) const {
  std::vector<int> levels;
  for (int depth = 0; depth <= plan.root.depth; ++depth) levels.push_back(std::max(level - depth, 0));
  return polynomial(plan, levels);
}

Account Account::raised(const BootstrapSchedule& schedule) const {
  if (schedule.chain.skipped == 0) return *this;
  return Account(without_primes(literal_, rotating_.digits, schedule.chain.output + 1, schedule.chain.skipped),
                 key_halves_);
}

Work Account::sine_above(const BootstrapSchedule& schedule) const {
  const std::vector<int>& sine = schedule.chain.sine;
  Work work = polynomial(plan_polynomial(schedule.cosine, schedule.polynomial),
                         std::span(sine).first(static_cast<std::size_t>(kCosineDepth) + 1));
  for (std::size_t i = kCosineDepth; i + 1 < sine.size(); ++i)
    work += multiply(sine[i]) + rescale(sine[i] - 1, sine[i + 1]);
  return work;
}

Work Account::bootstrap(const BootstrapSchedule& schedule) const {
  const Account above = raised(schedule);
  Work work = above.sine_above(schedule);
  const auto map = [&](const Account& account, const DftFactor& factor, const LinearParts<Work>& parts) {
    work += total(count(factor, literal_.log_n - 1), parts);
    work.bytes += account.ciphertext_bytes(factor.level) + account.ciphertext_bytes(factor.level - 1);
  };
  for (const DftFactor& factor : schedule.slots_to_coefficients) map(*this, factor, linear(factor.level));
  const DftFactor& first = schedule.coefficients_to_slots.front();
  map(above, first, above.raised_linear(first.level));
  for (const DftFactor& factor : std::span(schedule.coefficients_to_slots).subspan(1))
    map(above, factor, above.linear(factor.level));
  return work + above.rotate(schedule.chain.sine[0]);
}

Work Account::lookup_tables(const LookupSchedule& schedule, std::int64_t tables) const {
  PolynomialPlan plan = series_plan(schedule);
  const int level = schedule.bootstrap.output_level;
  Work work = polynomial(plan, level);
  // A table more takes its nodes alone.
  for (const int index : plan.basis)
    --plan.relinearisations[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(index - 1)))];
  plan.products -= static_cast<int>(plan.basis.size());
  plan.basis.clear();
  const Work nodes = polynomial(plan, level);
  for (std::int64_t table = 1; table < tables; ++table) work += nodes;
  // The real part is a sum with the conjugate.
  if (schedule.form() == BootstrapForm::whole)
    for (std::int64_t table = 0; table < tables; ++table) work += rotate(schedule.output_level());
  return work;
}

double Account::half_key_bytes(int level, const Gadget& gadget) const {
  return gadget.count(level) * gadget.extended(level) * limb_bytes();
}

template <class Body>
void Account::each_factor(const BootstrapSchedule& schedule, const Body& body) const {
  const Account above = raised(schedule);
  const auto visit = [&](const Account& account, const Gadget& gadget, const DftFactor& factor) {
    body(account, gadget, factor.level, count(factor, literal_.log_n - 1));
  };
  for (const DftFactor& factor : schedule.slots_to_coefficients) visit(*this, rotating_, factor);
  bool first = true;
  for (const DftFactor& factor : schedule.coefficients_to_slots)
    visit(above, std::exchange(first, false) ? above.raising_ : above.rotating_, factor);
}

double Account::transform_bytes(const BootstrapSchedule& schedule) const {
  double bytes = 0;
  each_factor(schedule, [&](const Account& account, const Gadget& gadget, int level, const LinearCounts& counts) {
    bytes += static_cast<double>(counts.products) * counts.density * gadget.extended(level) * account.limb_bytes();
  });
  return bytes;
}

Work Account::encode_transforms(const BootstrapSchedule& schedule) const {
  Work work;
  each_factor(schedule, [&](const Account& account, const Gadget& gadget, int level, const LinearCounts& counts) {
    const auto diagonals = static_cast<double>(counts.products);
    const double weights = diagonals * counts.density * slots();
    work += account.encode(level, gadget, diagonals, weights, weights * n_ / slots());
  });
  return work;
}

Work Account::encode_diagonals(int level, double diagonals, double weights) const {
  return encode(level, rotating_, diagonals, weights, weights * n_ / slots() / (literal_.real_slots ? 1 : 2));
}

// Slots that repeat are those of a polynomial in a power of X, whose transforms are as small. Those of real slots are
// as large as any.
Work Account::encode(int level, const Gadget& gadget, double diagonals, double weights, double kept_words) const {
  constexpr double kLeastSlots = 4;
  if (!(diagonals > 0) || !(weights > 0)) return {};
  const double period = literal_.real_slots ? slots() : std::max(weights / diagonals, kLeastSlots);
  const double words = period * n_ / slots();  // of a diagonal
  const double rows = gadget.extended(level);
  Work work = (diagonals * words * std::log2(words) / (n_ * literal_.log_n)) * transforms(level, gadget, 1, 1);
  work.additions = kEncodingPasses * diagonals * words * rows;
  work.embeddings = diagonals * period * std::log2(period);
  work.touched = kept_words * rows;
  return work;
}

Work Account::encode_compact() const {
  Work work;
  work.embeddings = slots() * std::log2(slots());
  work.touched = n_;
  return work;
}

// The other half is expanded from its seed and multiplied by the secret.
Work Account::make_key(int level, const Gadget& gadget) const {
  Work work = transforms(level, gadget, gadget.count(level), gadget.count(level));
  work.touched = gadget.count(level) * gadget.extended(level) * n_;
  work.key_macs = 2 * work.touched;
  work.additions = kKeyPasses * work.touched;
  return work;
}

double Account::linear_scratch_bytes(int level, const LinearCounts& counts) const {
  const double poly = rotating_.extended(level) * limb_bytes();
  const auto batched = [&](double count, double bytes) {
    return std::min(count * bytes, std::max(static_cast<double>(kLinearBatchBytes), bytes));
  };
  const auto all_inputs = static_cast<double>(counts.inputs), giants = static_cast<double>(counts.giants);
  const double sums = static_cast<double>(counts.outputs) * (giants + 1), decomposed = rotating_.count(level) * poly;
  const auto one_batch = static_cast<double>(kLinearBatchBytes);
  // With several groups of inputs every sum is held twice: over the earlier groups, and finished.
  const double sum = (all_inputs * decomposed > one_batch ? 4 : 2) * poly;
  const double inputs = counts.babies > 0 ? batched(all_inputs, decomposed) : 0;
  const double halves = counts.giants > 0 ? batched(giants, decomposed) : 0;
  return (sums * sum <= one_batch ? std::max(inputs, halves) : inputs + halves) + batched(sums, sum) + 6 * poly;
}

double Account::raised_linear_scratch_bytes(int level) const {
  // Both halves raised, and both halves of the sum, extended.
  return 4 * raising_.extended(level) * limb_bytes();
}

double Account::polynomial_scratch_bytes(const PolynomialPlan& plan, int level) const {
  // A sum of products has three polynomials before it is relinearised.
  return (static_cast<double>(plan.basis.size()) + 1.5 * static_cast<double>(plan.relinearisations.size())) *
             ciphertext_bytes(level) +
         key_switch_scratch_bytes(level);
}

double Account::bootstrap_scratch_bytes(const BootstrapSchedule& schedule) const {
  const Account above = raised(schedule);
  double most =
      above.polynomial_scratch_bytes(plan_polynomial(schedule.cosine, schedule.polynomial), schedule.chain.sine[0]);
  for (const DftFactor& factor : schedule.slots_to_coefficients)
    most = std::max(most, linear_scratch_bytes(factor.level, count(factor, literal_.log_n - 1)));
  most = std::max(most, above.raised_linear_scratch_bytes(schedule.chain.top));
  for (const DftFactor& factor : std::span(schedule.coefficients_to_slots).subspan(1))
    most = std::max(most, above.linear_scratch_bytes(factor.level, count(factor, literal_.log_n - 1)));
  // The operand and the result of a factor over the raised primes.
  return most + 2 * above.ciphertext_bytes(schedule.chain.top);
}

double Account::lookup_scratch_bytes(const LookupSchedule& schedule) const {
  // Powers that i multiplies are copies.
  const double copies = schedule.form() == BootstrapForm::whole ? 2 : 1;
  return std::max(bootstrap_scratch_bytes(schedule.bootstrap),
                  copies * polynomial_scratch_bytes(series_plan(schedule), schedule.bootstrap.output_level)) +
         2 * ciphertext_bytes(schedule.bootstrap.output_level);
}

double key_bytes(const Account& account, const Account& rotating, const KeyManifest& keys) {
  double bytes = keys.relinearise_level >= 0
                     ? account.product_key_halves() * account.half_product_key_bytes(keys.relinearise_level)
                     : 0;
  for (const auto& [steps, level] : keys.rotations) bytes += rotating.half_key_bytes(level);
  if (keys.conjugate_level >= 0) bytes += account.half_key_bytes(keys.conjugate_level);
  for (const auto& [steps, level] : keys.raised_rotations) bytes += account.half_raised_key_bytes(level);
  // The key from the secret to the ephemeral one, over q_0 and p_0.
  if (!keys.raised_rotations.empty()) bytes += 2 * account.limb_bytes();
  return bytes;
}

double key_bytes(const CkksLiteral& literal, const KeyManifest& keys) {
  const Account account(literal);
  if (!keys.rotation_primes.top) return key_bytes(account, account, keys);
  return key_bytes(account, Account(for_rotations(literal, *keys.rotation_primes.top)), keys);
}

Work key_generation(const CkksLiteral& literal, const KeyManifest& keys) {
  const Account account(literal);
  const Account rotating =
      keys.rotation_primes.top ? Account(for_rotations(literal, *keys.rotation_primes.top)) : account;
  Work work;
  if (keys.relinearise_level >= 0) work += account.make_product_key(keys.relinearise_level);
  for (const auto& [steps, level] : keys.rotations) work += rotating.make_key(level);
  if (keys.conjugate_level >= 0) work += account.make_key(keys.conjugate_level);
  for (const auto& [steps, level] : keys.raised_rotations) work += account.make_raised_key(level);
  return work;
}

namespace {
/// Returns the bytes of the secrets of key generation, and of one row per thread.
double secret_and_row_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads) {
  const double row = Account(literal).limb_bytes();
  const double secret = static_cast<double>(literal.q_bits.size() + literal.p_bits.size()) * row;
  const double secrets = 2 + (keys.rotation_primes.top ? 1 : 0) + (keys.raised_rotations.empty() ? 0 : 1);
  return secrets * secret + threads * row;
}
}  // namespace

double key_generation_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads) {
  return key_bytes(literal, keys) + secret_and_row_bytes(literal, keys, threads);
}

double one_key_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads) {
  const Account account(literal);
  const Account rotating =
      keys.rotation_primes.top ? Account(for_rotations(literal, *keys.rotation_primes.top)) : account;
  double largest = keys.relinearise_level >= 0 ? account.half_product_key_bytes(keys.relinearise_level) : 0;
  if (keys.conjugate_level >= 0) largest = std::max(largest, account.half_key_bytes(keys.conjugate_level));
  for (const auto& [steps, level] : keys.rotations) largest = std::max(largest, rotating.half_key_bytes(level));
  for (const auto& [steps, level] : keys.raised_rotations)
    largest = std::max(largest, account.half_raised_key_bytes(level));
  return largest + secret_and_row_bytes(literal, keys, threads);
}

}  // namespace tacit::params
