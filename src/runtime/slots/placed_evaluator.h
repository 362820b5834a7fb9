#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "layout/placement.h"
#include "program/slots/evaluator.h"
#include "runtime/communicator.h"
#include "runtime/slots/encrypted_evaluator.h"

namespace tacit::runtime {

/// The encrypted reading on several ranks, which all carry out the same instructions: each computes the ciphertexts
/// that the placement gives it, after it has got those that they are made from. These move at the level that the
/// instruction reads, straight from and into their words. Every ciphertext comes out as one rank alone would compute
/// it, bit for bit. Calls are collective, but for encoding, which a rank does for what it computes.
///
/// A bootstrap is placed by the pairs that pass together. Plain factors are encoded whole on every rank.
class PlacedEvaluator final : public slots::Evaluator {
 public:
  /// `local`, which carries out this rank's share, and `ranks` must outlive the evaluator and what it makes.
  PlacedEvaluator(EncryptedEvaluator& local, Communicator& ranks);

  /// An array of the encrypted reading that rank 0 holds, as one that lies there; the others give none. `count`
  /// ciphertexts, `at` this level or above.
  program::ArrayPtr from_rank_0(layout::Index count, const program::ArrayPtr& array, slots::Landing at) const;
  /// An array of the encrypted reading with all ciphertexts on rank 0; null on the others.
  program::ArrayPtr to_rank_0(const program::ArrayPtr& array);

  layout::Index slots() const override { return local_.slots(); }
  double ciphertext_bytes(int level) const override { return local_.ciphertext_bytes(level); }
  /// Throw InternalError: programs neither encrypt nor decrypt.
  program::ArrayPtr encrypt(const layout::Layout& layout, const program::SlotsOf& slots, slots::Landing to) override;
  std::vector<std::vector<double>> decrypt(const program::View& a, slots::Decoding decoding) override;
  program::ArrayPtr encode_addend(layout::Index count, const program::SlotsOf& slots, slots::Landing to) override;
  program::ArrayPtr encode_factor(layout::Index count, const program::SlotsOf& slots, slots::Landing from,
                                  slots::Landing to) override;
  slots::EncodedMapPtr encode_map(const slots::ScheduledMap& map, slots::Landing from, slots::Landing to) override;
  program::ArrayPtr add(const program::View& a, const program::View& b, slots::Landing to) override;
  program::ArrayPtr subtract(const program::View& a, const program::View& b, slots::Landing to) override;
  program::ArrayPtr add_plain(const program::View& a, const program::View& plain, slots::Landing to) override;
  program::ArrayPtr sum(const program::View& a, layout::Index terms, slots::Landing to) override;
  program::ArrayPtr multiply_sum(const program::View& a, const program::View& b, layout::Index terms,
                                 slots::Landing to) override;
  program::ArrayPtr multiply_plain_sum(const program::View& a, const program::View& plain, layout::Index terms,
                                       slots::Landing to) override;
  program::ArrayPtr rotate(const program::View& a, std::int64_t steps, slots::Landing to) override;
  program::ArrayPtr rotate_sum(const program::View& a, std::span<const std::int64_t> steps, slots::Landing to) override;
  program::ArrayPtr gather(std::span<const program::View> parts, slots::Landing to) override;
  program::ArrayPtr drop(const program::View& a, slots::Landing to) override;
  program::ArrayPtr linear(std::span<const slots::MappedView> terms, const program::ArrayPtr& bias,
                           slots::Landing to) override;
  program::ArrayPtr polynomial(const program::View& a, std::span<const double> coefficients,
                               const params::PolynomialSchedule& schedule, slots::Landing to) override;
  program::ArrayPtr bootstrap(std::span<const program::View> parts, const params::BootstrapSchedule& schedule,
                              slots::Landing to) override;

 private:
  struct Members;
  class Map;
  using Needs = std::vector<std::vector<layout::Index>>;  ///< by rank, the members that it reads

  static Members members_of(std::span<const program::View> views);
  layout::Interval own(layout::Index units) const { return placement_.blocks_of(rank_, units); }
  /// What this rank reads, as an array of the encrypted reading; from other ranks at `level`.
  program::ArrayPtr fetch(const Members& members, const Needs& needs, int level);
  /// The array of `count` ciphertexts of which this rank has computed those of its units, of `each` ciphertexts.
  program::ArrayPtr placed(layout::Index count, layout::Index units, layout::Index each, const program::ArrayPtr& made,
                           slots::Landing to) const;
  /// An instruction whose i-th result reads `each` consecutive members of `a`, at `level`.
  program::ArrayPtr unit_by_unit(const program::View& a, layout::Index each, int level, slots::Landing to,
                                 const std::function<program::ArrayPtr(const program::View&)>& carry_out);
  program::ArrayPtr pairwise(const program::View& a, const program::View& b, layout::Index each, int level,
                             slots::Landing to,
                             const std::function<program::ArrayPtr(const program::View&, const program::View&)>& call);
  std::shared_ptr<const scheme::ckks::Ciphertext> zero(slots::Landing at) const;
  /// The results of a term of a linear instruction that this rank computes.
  program::ArrayPtr map_share(const slots::MappedView& term, slots::Landing to);

  EncryptedEvaluator& local_;
  Communicator& ranks_;
  layout::Placement placement_;
  layout::Index rank_;
};

}  // namespace tacit::runtime
