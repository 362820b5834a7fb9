#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layout/placement.h"
#include "program/slots/evaluator.h"
#include "runtime/slots/bootstrappers.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::runtime {

class DiagonalMap;

/// The ciphertexts of an array of the encrypted reading; arrays share them.
using SharedCiphertexts = std::vector<std::shared_ptr<const scheme::ckks::Ciphertext>>;
const SharedCiphertexts& ciphertexts_of(const program::ArrayPtr& array);
/// An array of ciphertexts from elsewhere, which are at one level: of copies, or of the ciphertexts themselves, which
/// must outlive it.
program::ArrayPtr array_of(std::span<const scheme::ckks::Ciphertext> ciphertexts);
program::ArrayPtr array_of(SharedCiphertexts ciphertexts, int level);
program::ArrayPtr borrowed(std::span<const scheme::ckks::Ciphertext> ciphertexts);

/// The encrypted reading. Every instruction ends at the level and the scale that its caller names: operands that are
/// higher are dropped first, and a result that lands elsewhere is an InternalError. Ciphertexts are carried out on
/// threads. Thread safe.
class EncryptedEvaluator final : public slots::Evaluator {
 public:
  /// `keys` may be null: what needs one is then refused. KeyMismatch on keys of another set. `bootstrappers`, which
  /// must outlive the evaluator, may be null where nothing is bootstrapped. `progress` too must outlive it: bootstraps,
  /// the longest instructions, ask it on their way whether to go on.
  EncryptedEvaluator(scheme::ckks::ContextPtr context, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                     const Bootstrappers* bootstrappers = nullptr, base::Progress& progress = base::Progress::silent());
  /// What encrypts and decrypts here; without it, both are refused (InputError).
  void set_secret(const scheme::ckks::SecretKey& secret);
  const scheme::ckks::ContextPtr& context() const { return context_; }
  /// A linear map of which only some outputs will be computed (DiagonalMap).
  std::shared_ptr<const DiagonalMap> encode_map(const slots::ScheduledMap& map, slots::Landing from, slots::Landing to,
                                                const layout::Interval& outputs) const;

  layout::Index slots() const override;
  double ciphertext_bytes(int level) const override;
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
  using Ciphertext = scheme::ckks::Ciphertext;
  /// One result at a time, each on its own thread.
  template <class Body>
  program::ArrayPtr each(layout::Index count, slots::Landing to, const Body& body) const;
  /// Plaintexts of `slots`.
  program::ArrayPtr encoded(layout::Index count, const program::SlotsOf& slots, int level, double scale) const;
  /// Scale of a factor that takes a ciphertext from one landing to the other.
  double factor_scale(slots::Landing from, slots::Landing to) const;
  /// One ciphertext of a view, dropped to a level if it is higher.
  std::shared_ptr<const Ciphertext> read(const program::View& view, layout::Index position, int level) const;
  std::vector<std::shared_ptr<const Ciphertext>> read_terms(const program::View& view, layout::Index sum,
                                                            layout::Index terms, int level) const;

  scheme::ckks::ContextPtr context_;
  scheme::ckks::Encoder encoder_;
  scheme::ckks::Evaluator evaluator_;
  const Bootstrappers* bootstrappers_;
  base::Progress& progress_;
  std::optional<scheme::ckks::Encryptor> encryptor_;
  std::optional<scheme::ckks::Decryptor> decryptor_;
};

}  // namespace tacit::runtime
