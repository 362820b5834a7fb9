#include "scheme/rlwe/key_switch.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {

constexpr std::size_t kStrip = 4096;

using Pointers = std::vector<const std::uint64_t*>;

/// sum of left[i] * right[i] + multiplier * combination, one row. Strip by strip where there are operands to scale, which
/// then stay in cache; everything is reduced once.
class RowSum {
 public:
  RowSum(const ModulusChain& chain, std::size_t row, const Pointers& left, const Pointers& right,
         const Combination& add, std::uint64_t multiplier, const ring::Modulus& q)
      : q_(q),
        strip_(add.products.empty() && add.multiples.empty() ? chain.n() : std::min(kStrip, chain.n())),
        given_(left.size()),
        left_(left),
        right_(right),
        scaled_(strip_, add.products.size() + add.multiples.size()),
        weight_(q.mul(q.reduce(add.weight), multiplier)),
        constant_(q.mul(residue(add.constant, q), multiplier)) {
    std::size_t next = 0;
    for (const auto& [x, y] : add.products) {
      factors_.push_back(x->limb(row));
      left_.push_back(scaled_[next++]);
      right_.push_back(y->limb(row));
    }
    for (const auto& [x, factor] : add.multiples) {
      std::fill_n(scaled_[next], strip_, q.mul(residue(factor, q), multiplier));
      left_.push_back(scaled_[next++]);
      right_.push_back(x->limb(row));
    }
  }
  void run(std::uint64_t* out, std::size_t n) {
    for (std::size_t at = 0; at < n; at += strip_) next(out + at);
  }

 private:
  void next(std::uint64_t* out) {
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      if (weight_ == 1) {
        left_[given_ + i] = factors_[i];
      } else {
        limb::multiply_scalar(scaled_[i], factors_[i], weight_, strip_, q_);
      }
      factors_[i] += strip_;
    }
    if (left_.empty()) {
      std::memset(out, 0, strip_ * sizeof(std::uint64_t));
    } else {
      limb::dot(out, left_, right_, strip_, q_);
    }
    if (constant_ != 0) limb::add_scalar(out, out, constant_, strip_, q_);
    for (std::size_t i = 0; i < given_; ++i) left_[i] += strip_;
    for (const std::uint64_t*& pointer : right_) pointer += strip_;
  }

  const ring::Modulus& q_;
  std::size_t strip_, given_;
  Pointers left_, right_, factors_;
  ScratchRows scaled_;
  std::uint64_t weight_, constant_;
};

/// Fills out[poly * group.count + r] with row group.first + r.
using GroupProducer = std::function<void(const RowGroup& group, std::uint64_t* const* out)>;

void divide_groups(const ModulusChain& chain, int level, std::size_t polys, Divisor divisor,
                   const GroupProducer& produce, const RowSink& sink) {
  const std::size_t n = chain.n();
  const auto& groups = chain.groups(level);
  const auto top = static_cast<std::size_t>(level);
  const bool rescaling = divisor == Divisor::special_and_last;
  const std::size_t first_dropped = rescaling ? top : top + 1;
  const auto is_dropped = [&](const RowGroup& group) { return group.first >= first_dropped; };
  const auto split = static_cast<std::size_t>(std::ranges::find_if(groups, is_dropped) - groups.begin());

  std::vector<ring::CoefficientPoly> dropped;
  for (std::size_t k = 0; k < polys; ++k) dropped.emplace_back(n, chain.extended_rows(level) - first_dropped);
  base::parallel_for(split, groups.size(), [&](std::size_t g) {
    const RowGroup& group = groups[g];
    std::vector<std::uint64_t*> out;
    for (std::size_t k = 0; k < polys; ++k)
      for (std::size_t r = 0; r < group.count; ++r) out.push_back(dropped[k].limb(group.first + r - first_dropped));
    produce(group, out.data());
    for (std::size_t i = 0; i < out.size(); ++i)
      chain.ntt(chain.prime_of(level, group.first + i % group.count)).inverse(out[i]);
  });

  if (split == 0) return;
  const ring::BaseConverter& any = rescaling ? *groups[0].divide_rescale : *groups[0].divide;
  std::vector<base::AlignedVector<std::uint64_t>> prepared(polys);
  base::parallel_for(0, polys, [&](std::size_t k) {
    Pointers sources;
    for (std::size_t i = 0; i < dropped[k].limbs(); ++i) sources.push_back(dropped[k].limb(i));
    prepared[k].resize(any.prepared_words(n));
    any.prepare(sources, prepared[k].data(), n);
  });
  base::parallel_for(0, split, [&](std::size_t g) {
    const RowGroup& group = groups[g];
    const std::size_t count = polys * group.count;
    ScratchRows scratch(n, 2 * count);
    std::vector<std::uint64_t*> values(count), converted(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = scratch[i];
      converted[i] = scratch[count + i];
    }
    produce(group, values.data());
    const ring::BaseConverter& converter = rescaling ? *group.divide_rescale : *group.divide;
    for (std::size_t k = 0; k < polys; ++k)
      converter.convert_prepared(prepared[k].data(), std::span(converted).subspan(k * group.count, group.count), n);
    for (std::size_t r = 0; r < group.count; ++r) {
      const std::size_t row = group.first + r;
      const std::uint64_t factor = rescaling ? chain.divide_rescale_factor(level, row) : chain.divide_factor(row);
      for (std::size_t k = 0; k < polys; ++k) {
        const std::size_t i = k * group.count + r;
        chain.ntt(row).forward(converted[i], values[i]);
        limb::sub_multiply_scalar(values[i], values[i], converted[i], factor, n, chain.modulus(row));
        sink(k, row, values[i]);
      }
    }
  });
}

/// Rows of <digits, key> + P * add for one group.
void inner_product(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                   const std::array<Combination, 2>& add, const RowGroup& group, std::uint64_t* const* out) {
  const int level = digits.level();
  const std::size_t count = digits.count();
  ScratchRows scratch(chain.n(), count * group.count);
  std::vector<std::uint64_t*> room(count * group.count);
  for (std::size_t i = 0; i < room.size(); ++i) room[i] = scratch[i];
  Pointers rows(room.size());
  digits.extend(group, room.data(), rows.data());
  static const Combination nothing;
  for (std::size_t r = 0; r < group.count; ++r) {
    const std::size_t row = group.first + r;
    const ring::Modulus& q = chain.modulus(chain.prime_of(level, row));
    Pointers left(count), b(count), a(count);
    for (std::size_t d = 0; d < count; ++d) {
      left[d] = rows[d * group.count + r];
      b[d] = key.b(d, level, row);
      a[d] = key.a(d, level, row);
    }
    const std::uint64_t multiplier = group.special ? 0 : chain.special_product(row);
    RowSum sum0(chain, row, left, b, group.special ? nothing : add[0], multiplier, q);
    RowSum sum1(chain, row, left, a, group.special ? nothing : add[1], multiplier, q);
    sum0.run(out[r], chain.n());
    sum1.run(out[group.count + r], chain.n());
  }
}

void check_key(const SwitchingKey& key, int level) {
  if (key.level() < level)
    throw base::InternalError("a switching key for level " + std::to_string(key.level()) + " was used at level " +
                              std::to_string(level));
}

}  // namespace

std::uint64_t residue(Int128 value, const ring::Modulus& q) {
  __extension__ using Wide = unsigned __int128;
  const bool negative = value < 0;
  const Wide magnitude = negative ? -static_cast<Wide>(value) : static_cast<Wide>(value);
  const auto r = static_cast<std::uint64_t>(magnitude % q.value());
  return negative ? q.negate(r) : r;
}

Digits::Digits(const ModulusChain& chain, const ring::NttPoly& source, int level)
    : chain_(&chain),
      source_(&source),
      level_(level),
      digits_(chain.digits(level)),
      prepared_(digits_) {
  TACIT_ASSERT(source.limbs() >= ModulusChain::rows(level));
  const std::size_t n = chain.n();
  base::parallel_for(0, digits_, [&](std::size_t digit) {
    const std::size_t first = chain.digit_first(digit), rows = chain.digit_last(level, digit) - first;
    ScratchRows scratch(n, rows);
    Pointers from;
    for (std::size_t r = 0; r < rows; ++r) from.push_back(scratch[r]);
    base::parallel_for(0, rows, [&](std::size_t r) {
      std::memcpy(scratch[r], source.limb(first + r), n * sizeof(std::uint64_t));
      chain.ntt(first + r).inverse(scratch[r]);
    });
    const ring::BaseConverter& converter = chain.groups(level)[0].mod_up[digit];
    prepared_[digit].resize(converter.prepared_words(n));
    converter.prepare(from, prepared_[digit].data(), n);
  });
}

void Digits::extend(const RowGroup& group, std::uint64_t* const* scratch, const std::uint64_t** out) const {
  for (std::size_t digit = 0; digit < digits_; ++digit) {
    const std::size_t first = chain_->digit_first(digit), last = chain_->digit_last(level_, digit);
    std::vector<std::uint64_t*> to;
    for (std::size_t r = 0; r < group.count; ++r) {
      const std::size_t row = group.first + r, at = digit * group.count + r;
      if (row >= first && row < last) {
        out[at] = source_->limb(row);
      } else if (!extended_.empty()) {
        out[at] = extended_[digit].limb(row);
      } else {
        to.push_back(scratch[at]);
        out[at] = scratch[at];
      }
    }
    if (to.empty()) continue;
    group.mod_up[digit].convert_prepared(prepared_[digit].data(), to, chain_->n());
    std::size_t done = 0;
    for (std::size_t r = 0; r < group.count; ++r) {
      const std::size_t row = group.first + r;
      if (row >= first && row < last) continue;
      chain_->ntt(chain_->prime_of(level_, row)).forward(to[done], done + 1 < to.size() ? to[done + 1] : nullptr);
      ++done;
    }
  }
}

void Digits::hoist() {
  if (!extended_.empty()) return;
  std::vector<ring::NttPoly> extended;
  for (std::size_t digit = 0; digit < digits_; ++digit)
    extended.emplace_back(chain_->n(), chain_->extended_rows(level_));
  const auto& groups = chain_->groups(level_);
  base::parallel_for(0, groups.size(), [&](std::size_t g) {
    const RowGroup& group = groups[g];
    std::vector<std::uint64_t*> room;
    for (std::size_t digit = 0; digit < digits_; ++digit)
      for (std::size_t r = 0; r < group.count; ++r) room.push_back(extended[digit].limb(group.first + r));
    Pointers rows(room.size());
    extend(group, room.data(), rows.data());
  });
  extended_ = std::move(extended);
}

void switch_key_extended(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                         const RowSink& sink) {
  check_key(key, digits.level());
  const auto& groups = chain.groups(digits.level());
  base::parallel_for(0, groups.size(), [&](std::size_t g) {
    const RowGroup& group = groups[g];
    ScratchRows scratch(chain.n(), 2 * group.count);
    std::vector<std::uint64_t*> out;
    for (std::size_t i = 0; i < 2 * group.count; ++i) out.push_back(scratch[i]);
    inner_product(chain, digits, key, {}, group, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) sink(i / group.count, group.first + i % group.count, out[i]);
  });
}

void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RowSink& sink) {
  check_key(key, digits.level());
  divide_groups(
      chain, digits.level(), 2, divisor,
      [&](const RowGroup& group, std::uint64_t* const* out) { inner_product(chain, digits, key, add, group, out); },
      sink);
}

void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RowSink& sink) {
  divide_groups(
      chain, level, polys.size(), divisor,
      [&](const RowGroup& group, std::uint64_t* const* out) {
        for (std::size_t k = 0; k < polys.size(); ++k)
          for (std::size_t r = 0; r < group.count; ++r)
            std::memcpy(out[k * group.count + r], polys[k]->limb(group.first + r), chain.n() * sizeof(std::uint64_t));
      },
      sink);
}

void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out) {
  RowSum(chain, row, {}, {}, combination, 1, chain.modulus(row)).run(out, chain.n());
}

void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RowSink& sink) {
  const std::size_t n = chain.n();
  const auto top = static_cast<std::size_t>(level);
  std::vector<ring::CoefficientPoly> last;
  for (std::size_t k = 0; k < combinations.size(); ++k) last.emplace_back(n, 1);
  base::parallel_for(0, combinations.size(), [&](std::size_t k) {
    evaluate_row(chain, combinations[k], top, last[k].limb(0));
    chain.ntt(top).inverse(last[k].limb(0));
  });
  base::parallel_for(0, top * combinations.size(), [&](std::size_t task) {
    const std::size_t row = task / combinations.size(), k = task % combinations.size();
    const ring::Modulus& q = chain.modulus(row);
    ScratchRows scratch(n, 2);
    limb::switch_modulus_centered(scratch[1], last[k].limb(0), n, chain.modulus(top), q);
    chain.ntt(row).forward(scratch[1]);
    evaluate_row(chain, combinations[k], row, scratch[0]);
    limb::sub_multiply_scalar(scratch[0], scratch[0], scratch[1], chain.rescale_factor(level, row), n, q);
    sink(k, row, scratch[0]);
  });
}

}  // namespace tacit::scheme::rlwe
