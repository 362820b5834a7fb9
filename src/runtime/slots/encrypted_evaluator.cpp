#include "runtime/slots/encrypted_evaluator.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "program/slots/landing_rules.h"
#include "runtime/slots/encoded_map.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"
#include "scheme/ckks/lookup.h"

namespace tacit::runtime {

using layout::Index;
using program::ArrayPtr;
using program::View;
using scheme::ckks::Ciphertext;
using scheme::ckks::CompactPlaintext;
using scheme::ckks::Plaintext;
using slots::Landing;

namespace {

template <class Content>
struct SharedArray final : program::Array {
  using Member = std::shared_ptr<const Content>;
  SharedArray(std::vector<Member> members, int level)
      : Array(static_cast<Index>(members.size()), level), content(std::move(members)) {}
  std::vector<Member> content;
};

template <class Content>
ArrayPtr shared(std::vector<std::shared_ptr<const Content>> members, int level) {
  return std::make_shared<const SharedArray<Content>>(std::move(members), level);
}

template <class Content>
const std::shared_ptr<const Content>& member(const View& view, Index position) {
  return static_cast<const SharedArray<Content>&>(*view.array).content[static_cast<std::size_t>(view.at(position))];
}

template <class Content>
std::vector<const Content*> pointers(const std::vector<std::shared_ptr<const Content>>& members) {
  std::vector<const Content*> list;
  for (const auto& one : members) list.push_back(one.get());
  return list;
}

/// The plaintexts of a view, expanded when they are asked for; one that stands at every position is expanded once.
class Expanded {
 public:
  Expanded(const scheme::ckks::Encoder& encoder, const View& plain) : encoder_(encoder), plain_(plain) {
    for (Index i = 1; i < plain.count(); ++i)
      if (member<CompactPlaintext>(plain, i) != member<CompactPlaintext>(plain, 0)) return;
    same_ = expand(0);
  }
  std::shared_ptr<const Plaintext> at(Index position) const { return same_ ? same_ : expand(position); }

 private:
  std::shared_ptr<const Plaintext> expand(Index position) const {
    return std::make_shared<const Plaintext>(encoder_.expand(*member<CompactPlaintext>(plain_, position)));
  }
  const scheme::ckks::Encoder& encoder_;
  const View& plain_;
  std::shared_ptr<const Plaintext> same_;
};

/// A result where its caller says it lands, with the exact scale.
std::shared_ptr<const Ciphertext> landed(Ciphertext made, Landing to) {
  if (made.level != to.level || !slots::same_scale(made.scale, to.scale))
    throw base::InternalError(
        fmt::format("an instruction ended at level {}, scale 2^{:.6f}, and was to land at level {}, scale 2^{:.6f}",
                    made.level, std::log2(made.scale), to.level, std::log2(to.scale)));
  made.scale = to.scale;
  return std::make_shared<const Ciphertext>(std::move(made));
}

/// An instruction a call.
class EncryptedReading final : public EncryptedEvaluator {
 public:
  EncryptedReading(scheme::ckks::ContextPtr context, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                   const Bootstrappers* bootstrappers, base::Progress& progress)
      : context_(context),
        encoder_(context),
        evaluator_(context, std::move(keys)),
        bootstrappers_(bootstrappers),
        progress_(progress) {}

  const scheme::ckks::ContextPtr& context() const override { return context_; }

  void set_secret(const scheme::ckks::SecretKey& secret) override {
    encryptor_.emplace(context_, secret);
    decryptor_.emplace(context_, secret);
  }

  Index slots() const override { return static_cast<Index>(context_->parameters().slots()); }

  double ciphertext_bytes(int level) const override {
    return 2.0 * (level + 1) * static_cast<double>(context_->parameters().n() * sizeof(std::uint64_t));
  }

  ArrayPtr encrypt(const layout::Layout& layout, const program::SlotsOf& slots, Landing to) override {
    if (!encryptor_) throw base::InputError("encrypt: this session has no key to encrypt with");
    std::vector<std::vector<double>> values;
    const base::WipedAtExit wiped(values);
    for (Index i = 0; i < layout.ciphertexts(); ++i) values.push_back(slots(i));
    return each(layout.ciphertexts(), to, [&](Index i) {
      Plaintext plaintext = encoder_.encode(values[static_cast<std::size_t>(i)], to.level, to.scale);
      Ciphertext ciphertext = encryptor_->encrypt(plaintext);
      plaintext.poly.wipe();
      return ciphertext;
    });
  }

  std::vector<std::vector<double>> decrypt(const View& a, slots::Decoding decoding) override {
    if (!decryptor_) throw base::InputError("decrypt: this session has no secret key");
    std::vector<std::vector<double>> result(static_cast<std::size_t>(a.count()));
    base::parallel_for(0, result.size(), [&](std::size_t i) {
      const Ciphertext& ciphertext = *member<Ciphertext>(a, static_cast<Index>(i));
      std::vector<std::complex<double>> values =
          decoding == slots::Decoding::exact ? decryptor_->exact_slots(ciphertext) : decryptor_->decrypt(ciphertext);
      const base::WipedAtExit wiped(values);
      result[i].reserve(values.size());
      for (const std::complex<double>& z : values) result[i].push_back(z.real());
    });
    return result;
  }

  ArrayPtr encode_addend(Index count, const program::SlotsOf& slots, Landing to) override {
    return encoded(count, slots, to.level, to.scale);
  }

  ArrayPtr encode_factor(Index count, const program::SlotsOf& slots, Landing from, Landing to) override {
    return encoded(count, slots, from.level, factor_scale(from, to));
  }

  slots::EncodedMapPtr encode_map(const slots::ScheduledMap& map, Landing from, Landing to) override {
    return encode_map(map, from, to, {0, map.map.out.ciphertexts()});
  }

  std::shared_ptr<const DiagonalMap> encode_map(const slots::ScheduledMap& map, Landing from, Landing to,
                                                const layout::Interval& outputs) const override {
    return std::make_shared<const DiagonalMap>(encoder_, map, from, to, evaluator_.rotation_primes(), outputs);
  }

  ArrayPtr add(const View& a, const View& b, Landing to) override {
    return each(a.count(), to, [&](Index i) { return evaluator_.add(*read(a, i, to.level), *read(b, i, to.level)); });
  }

  ArrayPtr subtract(const View& a, const View& b, Landing to) override {
    return each(a.count(), to, [&](Index i) { return evaluator_.sub(*read(a, i, to.level), *read(b, i, to.level)); });
  }

  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override {
    const Expanded addends(encoder_, plain);
    return each(a.count(), to, [&](Index i) { return evaluator_.add_plain(*read(a, i, to.level), *addends.at(i)); });
  }

  ArrayPtr sum(const View& a, Index terms, Landing to) override {
    if (terms == 1) return gather({&a, 1}, to);
    return each(a.count() / terms, to, [&](Index i) {
      Ciphertext sum = evaluator_.add(*read(a, i * terms, to.level), *read(a, i * terms + 1, to.level));
      for (Index k = 2; k < terms; ++k) evaluator_.add_in_place(sum, *read(a, i * terms + k, to.level));
      return sum;
    });
  }

  ArrayPtr multiply_sum(const View& a, const View& b, Index terms, Landing to) override {
    const int level = to.level + 1;
    return each(a.count() / terms, to, [&](Index i) {
      if (terms == 1 && member<Ciphertext>(a, i) == member<Ciphertext>(b, i))
        return evaluator_.square(*read(a, i, level));
      const SharedCiphertexts x = read_terms(a, i, terms, level), y = read_terms(b, i, terms, level);
      return evaluator_.multiply_sum(pointers(x), pointers(y));
    });
  }

  ArrayPtr multiply_plain_sum(const View& a, const View& plain, Index terms, Landing to) override {
    const Expanded factors(encoder_, plain);
    return each(a.count() / terms, to, [&](Index i) {
      const SharedCiphertexts x = read_terms(a, i, terms, to.level + 1);
      std::vector<std::shared_ptr<const Plaintext>> y;
      for (Index k = 0; k < terms; ++k) y.push_back(factors.at(i * terms + k));
      return evaluator_.multiply_plain_sum(pointers(x), pointers(y));
    });
  }

  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override {
    return each(a.count(), to, [&](Index i) { return evaluator_.rotate(*read(a, i, to.level), steps); });
  }

  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override {
    return each(a.count(), to, [&](Index i) { return evaluator_.rotate_sum(*read(a, i, to.level), steps); });
  }

  ArrayPtr gather(std::span<const View> parts, Landing to) override {
    SharedCiphertexts members;
    for (const View& part : parts)
      for (Index i = 0; i < part.count(); ++i) {
        auto one = read(part, i, to.level);
        // Shared as it is, but for the rounding of its scale.
        members.push_back(one->scale == to.scale ? std::move(one) : landed(*one, to));
      }
    return shared(std::move(members), to.level);
  }

  ArrayPtr drop(const View& a, Landing to) override {
    const std::vector<double> ones(static_cast<std::size_t>(slots()), 1.0);
    const Landing from{to.level + 1, member<Ciphertext>(a, 0)->scale};
    const Plaintext one = encoder_.encode(ones, from.level, factor_scale(from, to));
    return each(a.count(), to,
                [&](Index i) { return evaluator_.multiply_plain_rescale(*read(a, i, from.level), one); });
  }

  ArrayPtr linear(std::span<const slots::MappedView> terms, const ArrayPtr& bias, Landing to) override {
    std::vector<Ciphertext> sum;
    for (const slots::MappedView& term : terms) {
      const auto& map = static_cast<const DiagonalMap&>(*term.map);
      // A group at a time, so that what it needs stays in memory that is in use already.
      const Index group = term.view.count() / static_cast<Index>(map.groups());
      std::vector<Ciphertext> part;
      for (Index first = 0; first < term.view.count(); first += group) {
        SharedCiphertexts inputs;
        for (Index i = first; i < first + group; ++i) inputs.push_back(read(term.view, i, to.level + 1));
        for (Ciphertext& made : evaluator_.linear(pointers(inputs), map.blocks(), map.schedule()))
          part.push_back(std::move(made));
      }
      if (sum.empty()) {
        sum = std::move(part);
      } else {
        for (std::size_t i = 0; i < sum.size(); ++i) evaluator_.add_in_place(sum[i], part[i]);
      }
    }
    std::optional<Expanded> addends;
    const View plain = bias ? View::whole(bias) : View();
    if (bias) addends.emplace(encoder_, plain);
    return each(static_cast<Index>(sum.size()), to, [&](Index i) {
      Ciphertext one = std::move(sum[static_cast<std::size_t>(i)]);
      if (addends) evaluator_.add_plain_in_place(one, *addends->at(i));
      return one;
    });
  }

  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override {
    return each(a.count(), to, [&](Index i) {
      return evaluator_.polynomial(*read(a, i, to.level + schedule.depth), coefficients, schedule, to.scale);
    });
  }

  // Two ciphertexts with real slots pass as one with complex ones.
  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override {
    if (bootstrappers_ == nullptr) throw base::InternalError("a bootstrap without encoded transforms");
    const scheme::ckks::Bootstrapper& bootstrapper = bootstrappers_->of(schedule);
    SharedCiphertexts waiting, refreshed;
    for (const View& part : parts)
      for (Index i = 0; i < part.count(); ++i) waiting.push_back(member<Ciphertext>(part, i));
    const auto add = [&](const Ciphertext& made) {
      refreshed.push_back(landed(made.level == to.level ? made : evaluator_.drop_to_level(made, to.level), to));
    };
    for (std::size_t i = 0; i + 1 < waiting.size(); i += 2) {
      const auto [first, second] = bootstrapper.bootstrap_pair(evaluator_, *waiting[i], *waiting[i + 1], progress_);
      add(first);
      add(second);
      progress_.advance(0);
    }
    if (waiting.size() % 2 == 1) add(bootstrapper.bootstrap(evaluator_, *waiting.back(), progress_));
    return shared(std::move(refreshed), to.level);
  }

  ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                   const params::LookupSchedule& schedule, Landing to) override {
    if (bootstrappers_ == nullptr) throw base::InternalError("a lookup without encoded transforms");
    const scheme::ckks::Bootstrapper& bootstrapper = bootstrappers_->of(schedule.bootstrap);
    SharedCiphertexts waiting, found;
    for (const View& part : parts)
      for (Index i = 0; i < part.count(); ++i) waiting.push_back(member<Ciphertext>(part, i));
    const auto add = [&](const std::vector<Ciphertext>& results) {
      for (const Ciphertext& made : results)
        found.push_back(landed(made.level == to.level ? made : evaluator_.drop_to_level(made, to.level), to));
      progress_.advance(0);
    };
    for (std::size_t i = 0; i + 1 < waiting.size(); i += 2) {
      const auto [first, second] = scheme::ckks::look_up_pair(bootstrapper, evaluator_, *waiting[i], *waiting[i + 1],
                                                              tables, schedule, progress_);
      add(first);
      add(second);
    }
    if (waiting.size() % 2 == 1)
      add(scheme::ckks::look_up(bootstrapper, evaluator_, *waiting.back(), tables, schedule, progress_));
    return shared(std::move(found), to.level);
  }

 private:
  /// One result at a time, each on its own thread.
  template <class Body>
  ArrayPtr each(Index count, Landing to, const Body& body) const {
    SharedCiphertexts results(static_cast<std::size_t>(count));
    base::parallel_for(0, results.size(), [&](std::size_t i) { results[i] = landed(body(static_cast<Index>(i)), to); });
    return shared(std::move(results), to.level);
  }

  /// One ciphertext of a view, dropped to a level if it is higher.
  std::shared_ptr<const Ciphertext> read(const View& view, Index position, int level) const {
    const auto& ciphertext = member<Ciphertext>(view, position);
    if (ciphertext->level == level) return ciphertext;
    return std::make_shared<const Ciphertext>(evaluator_.drop_to_level(*ciphertext, level));
  }

  SharedCiphertexts read_terms(const View& view, Index sum, Index terms, int level) const {
    SharedCiphertexts list;
    for (Index k = 0; k < terms; ++k) list.push_back(read(view, sum * terms + k, level));
    return list;
  }

  /// Scale of a factor that takes a ciphertext from one landing to the other.
  double factor_scale(Landing from, Landing to) const {
    return to.scale * context_->parameters().prime(from.level) / from.scale;
  }

  /// Plaintexts of `slots`.
  ArrayPtr encoded(Index count, const program::SlotsOf& slots, int level, double scale) const {
    std::vector<std::vector<double>> values;
    for (Index i = 0; i < count; ++i) values.push_back(slots(i));
    std::vector<std::shared_ptr<const CompactPlaintext>> plaintexts(values.size());
    // Members with the same slots, as of a plaintext that meets many ciphertexts, are encoded once.
    std::map<std::vector<double>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < values.size(); ++i) places[std::move(values[i])].push_back(i);
    std::vector<const decltype(places)::value_type*> different;
    for (const auto& entry : places) different.push_back(&entry);
    base::parallel_for(0, different.size(), [&](std::size_t d) {
      const auto one = std::make_shared<const CompactPlaintext>(encoder_.compact(different[d]->first, level, scale));
      for (const std::size_t i : different[d]->second) plaintexts[i] = one;
    });
    return shared(std::move(plaintexts), level);
  }

  scheme::ckks::ContextPtr context_;
  scheme::ckks::Encoder encoder_;
  scheme::ckks::Evaluator evaluator_;
  const Bootstrappers* bootstrappers_;
  base::Progress& progress_;
  std::optional<scheme::ckks::Encryptor> encryptor_;
  std::optional<scheme::ckks::Decryptor> decryptor_;
};

}  // namespace

const SharedCiphertexts& ciphertexts_of(const ArrayPtr& array) {
  return static_cast<const SharedArray<Ciphertext>&>(*array).content;
}

ArrayPtr array_of(std::span<const Ciphertext> ciphertexts) {
  SharedCiphertexts members;
  for (const Ciphertext& one : ciphertexts) members.push_back(std::make_shared<const Ciphertext>(one));
  return shared(std::move(members), ciphertexts.empty() ? 0 : ciphertexts.front().level);
}

ArrayPtr array_of(SharedCiphertexts ciphertexts, int level) { return shared(std::move(ciphertexts), level); }

ArrayPtr borrowed(std::span<const Ciphertext> ciphertexts) {
  SharedCiphertexts members;
  for (const Ciphertext& one : ciphertexts) members.emplace_back(std::shared_ptr<void>(), &one);
  return shared(std::move(members), ciphertexts.empty() ? 0 : ciphertexts.front().level);
}

std::shared_ptr<EncryptedEvaluator> EncryptedEvaluator::make(scheme::ckks::ContextPtr context,
                                                             std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                                                             const Bootstrappers* bootstrappers,
                                                             base::Progress& progress) {
  return std::make_shared<EncryptedReading>(std::move(context), std::move(keys), bootstrappers, progress);
}

}  // namespace tacit::runtime
