#include "runtime/integers/encrypted_integers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "program/integers/rank_needs.h"
#include "runtime/exchange_members.h"
#include "scheme/tfhe/rounding.h"

namespace tacit::runtime {
namespace {

using integers::Instruction;
using integers::Linear;
using integers::Lookup;
using integers::ValueId;
using layout::Index;
using layout::Interval;
using program::ArrayPtr;
using scheme::tfhe::LookupTable;
using scheme::tfhe::LweCiphertexts;
using scheme::tfhe::Torus;

/// Passes the steps of lookups on, without their beginnings and ends.
class Steps final : public base::Progress {
 public:
  explicit Steps(base::Progress& whole) : whole_(whole) {}

 private:
  void stage_began(std::string_view, std::uint64_t) override {}
  void steps_done(std::uint64_t steps) override { whole_.advance(steps); }
  void stage_ended() override {}
  base::Progress& whole_;
};

/// A tensor whose ciphertexts lie on ranks.
struct IntegerArray final : program::Array {
  IntegerArray(std::vector<Interval> holders_, Index rank, std::shared_ptr<const LweCiphertexts> here_)
      : Array(static_cast<Index>(holders_.size()), 0), holders(std::move(holders_)), here(std::move(here_)) {
    for (const Interval& ranks : holders) rows.push_back(ranks.contains(rank) ? held++ : 0);
  }
  std::vector<Interval> holders;               ///< by element, the ranks that hold it
  std::shared_ptr<const LweCiphertexts> here;  ///< those that this rank holds, in the order of their elements
  std::size_t held = 0;
  std::vector<std::size_t> rows;  ///< by element that this rank holds, its place in `here`
};

const IntegerArray& integer_array(const ArrayPtr& array) { return static_cast<const IntegerArray&>(*array); }

/// Ciphertext rows[i] of a batch becomes ciphertext i.
template <class Batch>
Batch gathered(const Batch& from, std::span<const std::size_t> rows) {
  Batch to(params::LweDimension(from.dimension()), rows.size(), from.parameters());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(from[rows[i]], to[i].begin());
  return to;
}

LweCiphertexts stretch_of(const LweCiphertexts& from, const Interval& stretch) {
  std::vector<std::size_t> rows;
  for (Index i = stretch.begin; i < stretch.end; ++i) rows.push_back(static_cast<std::size_t>(i));
  return gathered(from, rows);
}

}  // namespace

EncryptedIntegers::EncryptedIntegers(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator,
                                     base::Progress& progress)
    : prepared_(prepared),
      program_(prepared.program()),
      evaluator_(evaluator),
      progress_(progress),
      placement_(prepared.ranks() == nullptr ? 1 : prepared.ranks()->size()),
      rank_(prepared.ranks() == nullptr ? 0 : prepared.ranks()->rank()) {}

std::size_t EncryptedIntegers::bootstraps() const {
  std::size_t count = 0;
  for (ValueId id = 0; id < program_.instructions.size(); ++id) {
    const Instruction& made = program_.value(id);
    const auto* const round = std::get_if<integers::Round>(&made.operation);
    count += round != nullptr ? static_cast<std::size_t>(own(integers::elements(made)).size() * round->dropped)
                              : static_cast<std::size_t>(own(prepared_.bootstraps(id).count()).size());
  }
  return count;
}

ArrayPtr EncryptedIntegers::from_rank_0(ValueId id, std::shared_ptr<const LweCiphertexts> ciphertexts) const {
  return std::make_shared<const IntegerArray>(
      std::vector<Interval>(integers::elements(program_.value(id)), Interval{0, 1}), rank_, std::move(ciphertexts));
}

ArrayPtr EncryptedIntegers::to_rank_0(const ArrayPtr& array) {
  if (alone()) return array;
  Needs needs(static_cast<std::size_t>(placement_.ranks()));
  for (Index e = 0; e < array->count(); ++e) needs[0].push_back(e);
  auto whole = fetch(array, needs);
  if (rank_ != 0) return nullptr;
  return std::make_shared<const IntegerArray>(
      std::vector<Interval>(static_cast<std::size_t>(array->count()), Interval{0, 1}), rank_, std::move(whole));
}

const std::shared_ptr<const LweCiphertexts>& EncryptedIntegers::ciphertexts_of(const ArrayPtr& array) {
  return integer_array(array).here;
}

/// What this rank reads of an array, each at the place of its element. The words of other elements are not set.
std::shared_ptr<const LweCiphertexts> EncryptedIntegers::fetch(const ArrayPtr& array, const Needs& needs) {
  const IntegerArray& from = integer_array(array);
  if (alone()) return from.here;
  const params::TfheParameters& parameters = prepared_.context()->parameters();
  auto operand = std::make_shared<LweCiphertexts>(parameters.large_lwe(), from.holders.size(), parameters.hash());
  exchange_members(
      *prepared_.ranks(), from.holders, needs,
      [&](std::size_t element, int to, auto& messages) {
        messages.push_back({to, std::as_bytes((*from.here)[from.rows[element]])});
      },
      [&](std::size_t element, int sender, auto& rooms) {
        rooms.push_back({sender, std::as_writable_bytes((*operand)[element])});
      });
  for (const Index needed : needs[static_cast<std::size_t>(rank_)]) {
    const auto element = static_cast<std::size_t>(needed);
    if (from.holders[element].contains(rank_))
      std::ranges::copy((*from.here)[from.rows[element]], (*operand)[element].begin());
  }
  return operand;
}

ArrayPtr EncryptedIntegers::placed(std::vector<Interval> holders, LweCiphertexts here) const {
  return std::make_shared<const IntegerArray>(std::move(holders), rank_,
                                              std::make_shared<const LweCiphertexts>(std::move(here)));
}

ArrayPtr EncryptedIntegers::add_up(ValueId id, std::span<const ArrayPtr> operands) {
  const Instruction& made = program_.value(id);
  const auto& linear = std::get<Linear>(made.operation);
  const std::size_t count = integers::elements(made);
  const Interval share = own(count);
  const auto first = static_cast<std::size_t>(share.begin);
  std::vector<Torus> bias(static_cast<std::size_t>(share.size()), 0);
  if (!linear.bias.empty())
    for (std::size_t r = 0; r < bias.size(); ++r) bias[r] = static_cast<Torus>(linear.bias[first + r]) << made.step;
  LweCiphertexts sums = evaluator_.trivial(bias);
  for (std::size_t t = 0; t < operands.size(); ++t) {
    const integers::WeightRows& weights = prepared_.weights(id)[t];
    evaluator_.add_sums(
        *fetch(operands[t], alone() ? Needs() : integers::needs_of_rows(placement_, weights)),
        [&](std::size_t r) {
          const integers::WeightRows::Row row = weights.row(first + r);
          return scheme::tfhe::Evaluator::WeightedInputs{row.columns, row.weights};
        },
        sums);
  }
  std::vector<Interval> holders;
  for (std::size_t e = 0; e < count; ++e)
    holders.push_back(placement_.ranks_of(static_cast<Index>(e), static_cast<Index>(count)));
  return placed(std::move(holders), std::move(sums));
}

/// The results of a stretch of the bootstraps at the turn of a lookup, in order. Their arguments are moved so that the
/// middle of the first box is 0. An argument that several of them read is switched to the small key once.
LweCiphertexts EncryptedIntegers::bootstrapped(ValueId id, const LweCiphertexts& operand, const Interval& own) {
  const auto& lookup = std::get<Lookup>(program_.value(id).operation);
  const integers::Bootstraps& bootstraps = prepared_.bootstraps(id);
  std::vector<std::size_t> read, place;  // elements of the operand, and by bootstrap which of them
  std::vector<const LookupTable*> tables;
  for (auto i = static_cast<std::size_t>(own.begin); i < static_cast<std::size_t>(own.end); ++i) {
    if (read.empty() || read.back() != bootstraps.arguments[i]) read.push_back(bootstraps.arguments[i]);
    place.push_back(read.size() - 1);
    tables.push_back(&prepared_.tables(id)[bootstraps.set_of[i]]);
  }
  LweCiphertexts arguments = gathered(operand, read);
  const auto first = static_cast<Torus>(integers::first_centre(program_, lookup)) << program_.value(lookup.input).step;
  for (std::size_t i = 0; i < arguments.count(); ++i) arguments.body(i) -= first;
  const scheme::tfhe::SmallLweCiphertexts small = evaluator_.key_switch(arguments);
  Steps steps(progress_);
  return evaluator_.bootstrap(read.size() == place.size() ? small : gathered(small, place), tables, steps);
}

void EncryptedIntegers::look_up(ValueId id, const ArrayPtr& operand, std::span<ArrayPtr> values) {
  const integers::Bootstraps& bootstraps = prepared_.bootstraps(id);
  const Interval share = own(bootstraps.count());
  const LweCiphertexts results =
      bootstrapped(id, *fetch(operand, integers::needs_of_bootstraps(placement_, bootstraps)), share);
  // Who holds an element, and which result of this rank it is.
  struct Made {
    std::vector<Interval> holders;
    std::vector<std::size_t> results;
  };
  std::map<ValueId, Made> made;
  for (const auto& set : bootstraps.sets)
    for (const auto& [lookup, table] : set) {
      const std::size_t count = integers::elements(program_.value(lookup));
      made.try_emplace(lookup, Made{std::vector<Interval>(count), std::vector<std::size_t>(count)});
    }
  std::size_t next = 0;
  for (std::size_t i = 0; i < bootstraps.count(); ++i) {
    const Interval holders = placement_.ranks_of(static_cast<Index>(i), static_cast<Index>(bootstraps.count()));
    for (const auto& [lookup, element] : bootstraps.made(i)) {
      Made& of = made.at(lookup);
      of.holders[element] = holders;
      if (share.contains(static_cast<Index>(i))) of.results[element] = next++;
    }
  }
  for (auto& [lookup, of] : made) {
    std::vector<std::size_t> rows;
    for (std::size_t e = 0; e < of.holders.size(); ++e)
      if (of.holders[e].contains(rank_)) rows.push_back(of.results[e]);
    values[lookup] = placed(std::move(of.holders), gathered(results, rows));
  }
}

ArrayPtr EncryptedIntegers::round_off(ValueId id, const ArrayPtr& operand) {
  const auto& round = std::get<integers::Round>(program_.value(id).operation);
  const Index count = operand->count();
  const auto read = fetch(operand, layout::needs_of_units(placement_, count, 1, count));
  const Interval share = own(static_cast<std::size_t>(count));
  Steps steps(progress_);
  const int step = program_.value(round.input).step;
  std::vector<Interval> holders;
  for (Index e = 0; e < count; ++e) holders.push_back(placement_.ranks_of(e, count));
  return placed(std::move(holders),
                scheme::tfhe::round_off(evaluator_, stretch_of(*read, share), step, round.dropped, steps));
}

}  // namespace tacit::runtime
