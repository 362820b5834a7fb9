#include "program/slots/clear.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "program/slots/chebyshev_series.h"

namespace tacit::slots {
namespace {

using layout::Index;
using Slots = std::vector<double>;

struct ClearArray final : Array {
  ClearArray(SlotArray slots, int level) : Array(static_cast<Index>(slots.size()), level), content(std::move(slots)) {}
  ~ClearArray() override { base::wipe(content); }
  SlotArray content;
};

const Slots& member(const View& view, Index position) {
  return static_cast<const ClearArray&>(*view.array).content[static_cast<std::size_t>(view.at(position))];
}

template <class Body>
ArrayPtr each(Index count, Landing to, const Body& body) {
  SlotArray slots(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) slots[static_cast<std::size_t>(i)] = body(i);
  return clear_array(std::move(slots), to.level);
}

/// Slots repeated to at least `size` of them. What they were in is wiped.
void widen(Slots& slots, std::size_t size) {
  if (slots.size() >= size) return;
  Slots wide(size);
  for (std::size_t s = 0; s < size; ++s) wide[s] = slots[s % slots.size()];
  slots.swap(wide);
  base::wipe(wide);
}

/// sum = operation(sum, a) slot by slot; the shorter of the two repeats.
template <class Operation>
void combine(Slots& sum, const Slots& a, const Operation& operation) {
  widen(sum, a.size());
  for (std::size_t begin = 0; begin < sum.size(); begin += a.size())
    std::transform(a.begin(), a.end(), sum.begin() + static_cast<std::ptrdiff_t>(begin),
                   sum.begin() + static_cast<std::ptrdiff_t>(begin),
                   [&](double x, double total) { return operation(total, x); });
}

Slots rotated(const Slots& a, std::int64_t steps) {
  const auto n = static_cast<std::int64_t>(a.size());
  Slots result(a.size());
  std::rotate_copy(a.begin(), a.begin() + (steps % n + n) % n, a.end(), result.begin());
  return result;
}

template <class Operation>
ArrayPtr slotwise(const View& a, const View& b, Landing to, const Operation& operation) {
  return each(a.count(), to, [&](Index i) {
    Slots result = member(a, i);
    combine(result, member(b, i), operation);
    return result;
  });
}

ArrayPtr sum_of_products(const View& a, const View& b, Index terms, Landing to) {
  return each(a.count() / terms, to, [&](Index i) {
    Slots sum = member(a, i * terms);
    combine(sum, member(b, i * terms), std::multiplies<>());
    for (Index k = 1; k < terms; ++k) {
      Slots product = member(a, i * terms + k);
      const base::WipedAtExit wiped(product);
      combine(product, member(b, i * terms + k), std::multiplies<>());
      combine(sum, product, std::plus<>());
    }
    return sum;
  });
}

/// What a map does to elements. The samples of a batch share it.
struct ClearMap final : EncodedMap {
  ClearMap(const layout::LinearMap& map, layout::KnownPositions& positions)
      : out_period(map.out.period()),
        out_ciphertexts(map.out.ciphertexts()),
        copies(map.out.copies_in_period()),
        source(positions.of(map.in)),
        target(positions.of(map.out)),
        op(map.op) {
    if (map.in.shape().empty() || map.out.shape().empty()) return;
    const Index batch = std::gcd(map.in.shape().front(), map.out.shape().front());
    if (const layout::LinearOperatorPtr of_one = batch > 1 ? op->equal_part(batch) : nullptr) {
      op = of_one;
      samples = static_cast<std::size_t>(batch);
    }
  }
  /// Entries are generated when they are needed.
  double bytes() const override { return 0; }

  /// Adds what the map makes of an operand to a number for every logical output.
  void apply(const View& operand, Slots& result) const {
    Slots elements;
    elements.reserve(source->size());
    const base::WipedAtExit wiped(elements);
    for (const layout::Position& at : *source) {
      const Slots& slots = member(operand, at.ciphertext);
      elements.push_back(slots[static_cast<std::size_t>(at.slot) % slots.size()]);
    }
    const std::size_t from = source->size() / samples, to = target->size() / samples;  // elements of a sample
    base::parallel_for(0, samples, [&](std::size_t i) {
      op->apply(std::span(elements).subspan(i * from, from), std::span(result).subspan(i * to, to), 1);
    });
  }

  Index out_period, out_ciphertexts;
  std::vector<Index> copies;                         // of an element, in one period
  layout::KnownPositions::Positions source, target;  // of every element of operand and result
  std::size_t samples = 1;
  layout::LinearOperatorPtr op;  // of one sample
};

}  // namespace

ArrayPtr clear_array(SlotArray slots, int level) { return std::make_shared<const ClearArray>(std::move(slots), level); }
const SlotArray& slots_of(const ArrayPtr& array) { return static_cast<const ClearArray&>(*array).content; }

SlotArray pack_period(const layout::Layout& layout, std::span<const double> tensor) {
  if (tensor.size() != static_cast<std::size_t>(layout::element_count(layout.shape())))
    throw base::InternalError("a tensor of another size than its layout");
  SlotArray slots(static_cast<std::size_t>(layout.ciphertexts()), Slots(static_cast<std::size_t>(layout.period())));
  const std::vector<Index> copies = layout.copies_in_period();
  const std::vector<layout::Position> positions = layout.positions();
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const layout::Position& at = positions[e];
    auto& vector = slots[static_cast<std::size_t>(at.ciphertext)];
    for (const Index copy : copies) vector[static_cast<std::size_t>(at.slot + copy)] = tensor[e];
  }
  return slots;
}

std::vector<double> unpack_period(const layout::Layout& layout, const SlotArray& slots) {
  std::vector<double> tensor;
  for (const layout::Position& at : layout.positions()) {
    const Slots& one = slots.at(static_cast<std::size_t>(at.ciphertext));
    tensor.push_back(one[static_cast<std::size_t>(at.slot) % one.size()]);
  }
  return tensor;
}

ArrayPtr ClearEvaluator::encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) {
  return each(layout.ciphertexts(), to, slots);
}

std::vector<Slots> ClearEvaluator::decrypt(const View& a, Decoding) {
  std::vector<Slots> result;
  for (Index i = 0; i < a.count(); ++i) {
    result.push_back(member(a, i));
    widen(result.back(), static_cast<std::size_t>(slots_));
  }
  return result;
}

ArrayPtr ClearEvaluator::encode_addend(Index count, const SlotsOf& slots, Landing to) { return each(count, to, slots); }
ArrayPtr ClearEvaluator::encode_factor(Index count, const SlotsOf& slots, Landing from, Landing) {
  return each(count, from, slots);
}

EncodedMapPtr ClearEvaluator::encode_map(const ScheduledMap& map, Landing, Landing) {
  return std::make_shared<const ClearMap>(map.map, positions_);
}

ArrayPtr ClearEvaluator::add(const View& a, const View& b, Landing to) { return slotwise(a, b, to, std::plus<>()); }
ArrayPtr ClearEvaluator::subtract(const View& a, const View& b, Landing to) {
  return slotwise(a, b, to, std::minus<>());
}
ArrayPtr ClearEvaluator::add_plain(const View& a, const View& plain, Landing to) { return add(a, plain, to); }

ArrayPtr ClearEvaluator::sum(const View& a, Index terms, Landing to) {
  return each(a.count() / terms, to, [&](Index i) {
    Slots sum = member(a, i * terms);
    for (Index k = 1; k < terms; ++k) combine(sum, member(a, i * terms + k), std::plus<>());
    return sum;
  });
}

ArrayPtr ClearEvaluator::multiply_sum(const View& a, const View& b, Index terms, Landing to) {
  return sum_of_products(a, b, terms, to);
}
ArrayPtr ClearEvaluator::multiply_plain_sum(const View& a, const View& plain, Index terms, Landing to) {
  return sum_of_products(a, plain, terms, to);
}

ArrayPtr ClearEvaluator::rotate(const View& a, std::int64_t steps, Landing to) {
  return each(a.count(), to, [&](Index i) { return rotated(member(a, i), steps); });
}

ArrayPtr ClearEvaluator::rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) {
  return each(a.count(), to, [&](Index i) {
    Slots sum = member(a, i);
    for (const std::int64_t step : steps) {
      Slots turned = rotated(member(a, i), step);
      const base::WipedAtExit wiped(turned);
      combine(sum, turned, std::plus<>());
    }
    return sum;
  });
}

ArrayPtr ClearEvaluator::gather(std::span<const View> parts, Landing to) {
  SlotArray slots;
  for (const View& part : parts)
    for (Index i = 0; i < part.count(); ++i) slots.push_back(member(part, i));
  return clear_array(std::move(slots), to.level);
}

ArrayPtr ClearEvaluator::drop(const View& a, Landing to) { return gather({&a, 1}, to); }

ArrayPtr ClearEvaluator::linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) {
  const auto& first = static_cast<const ClearMap&>(*terms.front().map);
  const std::vector<layout::Position>& target = *first.target;
  Slots result(target.size());
  const base::WipedAtExit wiped(result);
  for (const MappedView& term : terms) static_cast<const ClearMap&>(*term.map).apply(term.view, result);
  SlotArray slots(static_cast<std::size_t>(first.out_ciphertexts), Slots(static_cast<std::size_t>(first.out_period)));
  for (std::size_t row = 0; row < result.size(); ++row) {
    auto& vector = slots[static_cast<std::size_t>(target[row].ciphertext)];
    for (const Index copy : first.copies) vector[static_cast<std::size_t>(target[row].slot + copy)] = result[row];
  }
  if (bias)  // it lies in the same layout, and repeats with its period
    for (std::size_t c = 0; c < slots.size(); ++c)
      std::transform(slots[c].begin(), slots[c].end(), slots_of(bias)[c].begin(), slots[c].begin(), std::plus<>());
  return clear_array(std::move(slots), to.level);
}

ArrayPtr ClearEvaluator::polynomial(const View& a, std::span<const double> coefficients,
                                    const params::PolynomialSchedule&, Landing to) {
  return each(a.count(), to, [&](Index i) {
    Slots slots = member(a, i);
    chebyshev_series_in_place(coefficients, slots);
    return slots;
  });
}

ArrayPtr ClearEvaluator::bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) {
  SlotArray refreshed = slots_of(gather(parts, to));
  for (auto& slots : refreshed)
    for (double& z : slots) z = schedule.result(z);
  return clear_array(std::move(refreshed), to.level);
}

ArrayPtr ClearEvaluator::look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                                 const params::LookupSchedule& schedule, Landing to) {
  std::vector<std::vector<std::complex<double>>> series;
  for (const std::vector<double>& table : tables) series.push_back(params::table_series(schedule.form(), table));
  SlotArray results;
  for (const View& part : parts)
    for (Index i = 0; i < part.count(); ++i)
      for (const auto& one : series) {
        Slots& slots = results.emplace_back(member(part, i));
        for (double& x : slots) x = params::look_up(schedule.form(), one, x);
      }
  return clear_array(std::move(results), to.level);
}

}  // namespace tacit::slots
