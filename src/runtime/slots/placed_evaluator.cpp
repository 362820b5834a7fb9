#include "runtime/slots/placed_evaluator.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "layout/diagonals.h"
#include "layout/placement.h"
#include "runtime/exchange_members.h"
#include "runtime/slots/encoded_map.h"

namespace tacit::runtime {

using layout::Index;
using layout::Interval;
using program::ArrayPtr;
using program::View;
using scheme::ckks::Ciphertext;
using slots::Landing;

namespace {

/// An array whose members lie on ranks.
struct PlacedArray final : program::Array {
  PlacedArray(std::vector<Interval> holders_, SharedCiphertexts here_, int level, double scale_)
      : Array(static_cast<Index>(holders_.size()), level),
        holders(std::move(holders_)),
        here(std::move(here_)),
        scale(scale_) {}
  std::vector<Interval> holders;  ///< the ranks that hold a member
  SharedCiphertexts here;         ///< null for those that this rank does not hold
  double scale;                   ///< of all
};

const PlacedArray& placed_array(const ArrayPtr& array) { return static_cast<const PlacedArray&>(*array); }

bool same(const View& a, const View& b) {
  return a.array == b.array && a.rank == b.rank && a.extents == b.extents && a.strides == b.strides &&
         a.offset == b.offset;
}

template <class Poly>
void add_rows(int peer, int level, Poly& poly, auto& list) {
  for (std::size_t row = 0; row <= static_cast<std::size_t>(level); ++row)
    if constexpr (std::is_const_v<Poly>)
      list.push_back({peer, std::as_bytes(poly.limb_span(row))});
    else
      list.push_back({peer, std::as_writable_bytes(poly.limb_span(row))});
}

/// The members of views, behind each other.
struct Members {
  std::vector<Interval> holders;
  SharedCiphertexts here;
  std::vector<double> scales;
  Index count() const { return static_cast<Index>(holders.size()); }
};

Members members_of(std::span<const View> views) {
  Members members;
  for (const View& view : views) {
    const PlacedArray& array = placed_array(view.array);
    for (Index i = 0; i < view.count(); ++i) {
      const auto at = static_cast<std::size_t>(view.at(i));
      members.holders.push_back(array.holders[at]);
      members.here.push_back(array.here[at]);
      members.scales.push_back(array.scale);
    }
  }
  return members;
}

/// A linear map with the blocks that this rank multiplies by.
struct PlacedMap final : slots::EncodedMap {
  PlacedMap(std::shared_ptr<const DiagonalMap> blocks_, std::vector<std::vector<Index>> inputs_)
      : blocks(std::move(blocks_)), inputs(std::move(inputs_)) {}
  double bytes() const override { return blocks->bytes(); }

  std::shared_ptr<const DiagonalMap> blocks;
  std::vector<std::vector<Index>> inputs;  ///< that every output reads, of all groups
};

/// An instruction a call: what it reads is fetched, and what this rank makes of it is placed.
class PlacedReading final : public PlacedEvaluator {
 public:
  PlacedReading(EncryptedEvaluator& local, Communicator& ranks)
      : local_(local), ranks_(ranks), placement_(ranks.size()), rank_(ranks.rank()) {}

  layout::Index slots() const override { return local_.slots(); }
  double ciphertext_bytes(int level) const override { return local_.ciphertext_bytes(level); }

  ArrayPtr from_rank_0(Index count, const ArrayPtr& array, Landing at) const override {
    SharedCiphertexts here(static_cast<std::size_t>(count));
    if (rank_ == 0) here = ciphertexts_of(array);
    return std::make_shared<const PlacedArray>(std::vector<Interval>(static_cast<std::size_t>(count), {0, 1}),
                                               std::move(here), at.level, at.scale);
  }

  ArrayPtr to_rank_0(const ArrayPtr& array) override {
    const View whole = View::whole(array);
    Needs needs(static_cast<std::size_t>(placement_.ranks()));
    for (Index i = 0; i < array->count(); ++i) needs[0].push_back(i);
    ArrayPtr collected = fetch(members_of({&whole, 1}), needs, array->level());
    return rank_ == 0 ? collected : nullptr;
  }

  ArrayPtr encrypt(const layout::Layout&, const program::SlotsOf&, Landing) override {
    throw base::InternalError("a value was to be encrypted on several ranks");
  }

  std::vector<std::vector<double>> decrypt(const View&, slots::Decoding) override {
    throw base::InternalError("a value was to be decrypted on several ranks");
  }

  ArrayPtr encode_addend(Index count, const program::SlotsOf& slots, Landing to) override {
    const Interval share = own(count);
    return local_.encode_addend(
        share.size(), [&](Index i) { return slots(share.begin + i); }, to);
  }

  ArrayPtr encode_factor(Index count, const program::SlotsOf& slots, Landing from, Landing to) override {
    return local_.encode_factor(count, slots, from, to);
  }

  slots::EncodedMapPtr encode_map(const slots::ScheduledMap& map, Landing from, Landing to) override {
    return std::make_shared<const PlacedMap>(local_.encode_map(map, from, to, own(map.map.out.ciphertexts())),
                                             layout::inputs_of_outputs(map.map));
  }

  ArrayPtr add(const View& a, const View& b, Landing to) override {
    return pairwise(a, b, 1, to.level, to, [&](const View& x, const View& y) { return local_.add(x, y, to); });
  }

  ArrayPtr subtract(const View& a, const View& b, Landing to) override {
    return pairwise(a, b, 1, to.level, to, [&](const View& x, const View& y) { return local_.subtract(x, y, to); });
  }

  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override {
    return unit_by_unit(a, 1, to.level, to, [&](const View& x) { return local_.add_plain(x, plain, to); });
  }

  ArrayPtr sum(const View& a, Index terms, Landing to) override {
    return unit_by_unit(a, terms, to.level, to, [&](const View& x) { return local_.sum(x, terms, to); });
  }

  ArrayPtr multiply_sum(const View& a, const View& b, Index terms, Landing to) override {
    return pairwise(a, b, terms, to.level + 1, to,
                    [&](const View& x, const View& y) { return local_.multiply_sum(x, y, terms, to); });
  }

  ArrayPtr multiply_plain_sum(const View& a, const View& plain, Index terms, Landing to) override {
    View factors = View::whole(plain.array);
    const Interval share = own(a.count() / terms);
    factors.offset = share.begin * terms;
    factors.extents[0] = share.size() * terms;
    return unit_by_unit(a, terms, to.level + 1, to,
                        [&](const View& x) { return local_.multiply_plain_sum(x, factors, terms, to); });
  }

  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override {
    return unit_by_unit(a, 1, to.level, to, [&](const View& x) { return local_.rotate(x, steps, to); });
  }

  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override {
    return unit_by_unit(a, 1, to.level, to, [&](const View& x) { return local_.rotate_sum(x, steps, to); });
  }

  // Members stay where they are.
  ArrayPtr gather(std::span<const View> parts, Landing to) override {
    Members members = members_of(parts);
    SharedCiphertexts held;
    std::ranges::copy_if(members.here, std::back_inserter(held), [](const auto& one) { return one != nullptr; });
    const View whole = View::whole(array_of(std::move(held), to.level));
    const ArrayPtr landed = local_.gather({&whole, 1}, to);
    auto next = ciphertexts_of(landed).begin();
    for (auto& one : members.here)
      if (one) one = *next++;
    return std::make_shared<const PlacedArray>(std::move(members.holders), std::move(members.here), to.level, to.scale);
  }

  ArrayPtr drop(const View& a, Landing to) override {
    return unit_by_unit(a, 1, to.level + 1, to, [&](const View& x) { return local_.drop(x, to); });
  }

  ArrayPtr linear(std::span<const slots::MappedView> terms, const ArrayPtr& bias, Landing to) override {
    ArrayPtr sum;
    for (const slots::MappedView& term : terms) {
      ArrayPtr share = map_share(term, to);
      sum = sum ? local_.add(View::whole(sum), View::whole(share), to) : std::move(share);
    }
    if (bias) sum = local_.add_plain(View::whole(sum), View::whole(bias), to);
    const auto count = static_cast<Index>(static_cast<const PlacedMap&>(*terms.front().map).inputs.size());
    return placed(count, count, 1, sum, to);
  }

  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override {
    return unit_by_unit(a, 1, to.level + schedule.depth, to,
                        [&](const View& x) { return local_.polynomial(x, coefficients, schedule, to); });
  }

  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override {
    const Members members = members_of(parts);
    const Index count = members.count(), pairs = (count + 1) / 2;
    const View share =
        View::whole(fetch(members, layout::needs_of_units(placement_, pairs, 2, count), schedule.input_level));
    return placed(count, pairs, 2, local_.bootstrap({&share, 1}, schedule, to), to);
  }

  ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                   const params::LookupSchedule& schedule, Landing to) override {
    const Members members = members_of(parts);
    const auto of_each = static_cast<Index>(tables.size());
    const Index count = members.count(), pairs = (count + 1) / 2;
    const View share =
        View::whole(fetch(members, layout::needs_of_units(placement_, pairs, 2, count), schedule.input_level()));
    return placed(count * of_each, pairs, 2 * of_each, local_.look_up({&share, 1}, tables, schedule, to), to);
  }

 private:
  using Needs = std::vector<std::vector<Index>>;  ///< by rank, the members that it reads

  Interval own(Index units) const { return placement_.blocks_of(rank_, units); }

  /// What this rank reads, as an array of the encrypted reading; from other ranks at `level`.
  ArrayPtr fetch(const Members& members, const Needs& needs, int level) {
    const params::CkksParameters& parameters = local_.context()->parameters();
    const auto rows = static_cast<std::size_t>(level) + 1;
    std::vector<std::shared_ptr<Ciphertext>> arrived(members.here.size());
    exchange_members(
        ranks_, members.holders, needs,
        [&](std::size_t at, int to, auto& messages) {
          const Ciphertext& held = *members.here[at];
          add_rows(to, level, held.c0, messages);
          add_rows(to, level, held.c1, messages);
        },
        [&](std::size_t at, int from, auto& rooms) {
          auto& room = arrived[at];
          room = std::make_shared<Ciphertext>(Ciphertext{ring::NttPoly(parameters.n(), rows),
                                                         ring::NttPoly(parameters.n(), rows), level, members.scales[at],
                                                         parameters.hash()});
          add_rows(from, level, room->c0, rooms);
          add_rows(from, level, room->c1, rooms);
        });
    SharedCiphertexts list;
    for (const Index member : needs[static_cast<std::size_t>(rank_)]) {
      const auto at = static_cast<std::size_t>(member);
      list.push_back(members.here[at] ? members.here[at] : arrived[at]);
    }
    return array_of(std::move(list), level);
  }

  /// The array of `count` ciphertexts of which this rank has computed those of its units, of `each` ciphertexts.
  ArrayPtr placed(Index count, Index units, Index each, const ArrayPtr& made, Landing to) const {
    std::vector<Interval> holders;
    for (Index i = 0; i < count; ++i) holders.push_back(placement_.ranks_of(i / each, units));
    SharedCiphertexts here(static_cast<std::size_t>(count));
    std::ranges::copy(ciphertexts_of(made), here.begin() + own(units).begin * each);
    return std::make_shared<const PlacedArray>(std::move(holders), std::move(here), to.level, to.scale);
  }

  /// An instruction whose i-th result reads `each` consecutive members of `a`, at `level`.
  ArrayPtr unit_by_unit(const View& a, Index each, int level, Landing to,
                        const std::function<ArrayPtr(const View&)>& carry_out) {
    const Index units = a.count() / each;
    const ArrayPtr read = fetch(members_of({&a, 1}), layout::needs_of_units(placement_, units, each, a.count()), level);
    return placed(units, units, 1, carry_out(View::whole(read)), to);
  }

  ArrayPtr pairwise(const View& a, const View& b, Index each, int level, Landing to,
                    const std::function<ArrayPtr(const View&, const View&)>& call) {
    const Index units = a.count() / each;
    const Needs needs = layout::needs_of_units(placement_, units, each, a.count());
    const ArrayPtr left = fetch(members_of({&a, 1}), needs, level);
    const ArrayPtr right = same(a, b) ? left : fetch(members_of({&b, 1}), needs, level);
    return placed(units, units, 1, call(View::whole(left), View::whole(right)), to);
  }

  std::shared_ptr<const Ciphertext> zero(Landing at) const {
    const params::CkksParameters& parameters = local_.context()->parameters();
    ring::NttPoly none(parameters.n(), static_cast<std::size_t>(at.level) + 1);
    none.zero();
    return std::make_shared<const Ciphertext>(Ciphertext{none, none, at.level, at.scale, parameters.hash()});
  }

  /// The results of a term of a linear instruction that this rank computes.
  ArrayPtr map_share(const slots::MappedView& term, Landing to) {
    const auto& map = static_cast<const PlacedMap&>(*term.map);
    const auto outputs = static_cast<Index>(map.inputs.size());
    const Needs needs = layout::needs_of_units(placement_, map.inputs);
    const ArrayPtr fetched = fetch(members_of({&term.view, 1}), needs, to.level + 1);
    const std::vector<Index>& read = needs[static_cast<std::size_t>(rank_)];
    // One group after the other, as on one rank.
    const auto groups = static_cast<Index>(map.blocks->groups());
    const Index group_outputs = outputs / groups, group_inputs = term.view.count() / groups;
    const Interval share = own(outputs);
    SharedCiphertexts made;
    for (Index j = share.begin; j < share.end;) {
      const Index group = j / group_outputs;
      std::vector<Index> rows, columns;
      for (; j < share.end && j / group_outputs == group; ++j) rows.push_back(j % group_outputs);
      View inputs;
      inputs.array = fetched;
      for (std::size_t k = 0; k < read.size(); ++k)
        if (read[k] / group_inputs == group) {
          if (columns.empty()) inputs.offset = static_cast<Index>(k);
          columns.push_back(read[k] % group_inputs);
        }
      if (columns.empty()) {  // all weights are 0
        for (std::size_t k = 0; k < rows.size(); ++k) made.push_back(zero(to));
        continue;
      }
      inputs.add_dimension(static_cast<Index>(columns.size()), 1);
      const slots::MappedView part{inputs, std::make_shared<const DiagonalMap>(map.blocks->part(rows, columns))};
      const ArrayPtr results = local_.linear({&part, 1}, nullptr, to);
      std::ranges::copy(ciphertexts_of(results), std::back_inserter(made));
    }
    return array_of(std::move(made), to.level);
  }

  EncryptedEvaluator& local_;
  Communicator& ranks_;
  layout::Placement placement_;
  Index rank_;
};

}  // namespace

std::unique_ptr<PlacedEvaluator> PlacedEvaluator::make(EncryptedEvaluator& local, Communicator& ranks) {
  return std::make_unique<PlacedReading>(local, ranks);
}

}  // namespace tacit::runtime
