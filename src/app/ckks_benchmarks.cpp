#include "app/ckks_benchmarks.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/aligned.h"
#include "base/parallel.h"
#include "base/random.h"
#include "params/ckks_parameters.h"
#include "params/ntt_primes.h"
#include "params/schedule.h"
#include "ring/ntt.h"
#include "ring/sampler.h"
#include "scheme/ckks/bootstrapper.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::app {
namespace {

namespace ckks = scheme::ckks;

constexpr int kHoistedRotations = 16;
constexpr int kPolynomialDegree = 59;

/// Keys and two ciphertexts of one parameter set, made when the first benchmark needs them.
class Bed {
 public:
  explicit Bed(const std::string& set) {
    const auto context = ckks::Context::make(params::CkksParameters::check(params::named_literal(set)));
    const params::CkksParameters& parameters = context->parameters();
    const int top = parameters.max_level();
    const ckks::KeyGenerator generator(context);
    const auto secret = generator.secret_key();
    scheme::rlwe::KeyManifest manifest;
    manifest.relinearise_level = top;
    for (int step = 1; step <= kHoistedRotations; ++step) {
      steps_.push_back(step);
      manifest.rotations[step] = top;
    }
    evaluator_ = std::make_unique<ckks::Evaluator>(
        context, std::make_shared<const ckks::EvaluationKeys>(generator.evaluation_keys(secret, manifest)));
    const ckks::Encoder encoder(context);
    const ckks::Encryptor encryptor(context, secret);
    std::vector<double> values(parameters.slots());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17) / 17.0 - 0.5;
    a_ = encryptor.encrypt(encoder.encode(std::span<const double>(values), top, parameters.scale()));
    b_ = a_;
    scale_ = parameters.scale();
    coefficients_.assign(kPolynomialDegree + 1, 0.0);
    for (int k = 0; k <= kPolynomialDegree; ++k) coefficients_[static_cast<std::size_t>(k)] = 1.0 / (1.0 + k * k);
    schedule_ = params::PolynomialSchedule::choose(kPolynomialDegree);
  }
  void rotate() const { evaluator_->rotate(a_, 1); }
  void rotate_hoisted() const { evaluator_->rotate_hoisted(a_, steps_); }
  void multiply() const { evaluator_->multiply(a_, b_); }
  void add() const { evaluator_->add(a_, b_); }
  void polynomial() const { evaluator_->polynomial(a_, coefficients_, schedule_, scale_); }

 private:
  std::unique_ptr<ckks::Evaluator> evaluator_;
  ckks::Ciphertext a_, b_;
  std::vector<std::int64_t> steps_;
  std::vector<double> coefficients_;
  params::PolynomialSchedule schedule_;
  double scale_ = 0;
};

/// Keys, transforms and two ciphertexts that need refreshing, of one bootstrapping set.
class BootstrapBed {
 public:
  explicit BootstrapBed(const std::string& set) {
    const auto context = ckks::Context::make(params::CkksParameters::check(params::named_literal(set)));
    const params::CkksParameters& parameters = context->parameters();
    const params::BootstrapSchedule schedule = params::plan_bootstrap(parameters.literal());
    const ckks::KeyGenerator generator(context);
    const auto secret = generator.secret_key();
    evaluator_ = std::make_unique<ckks::Evaluator>(
        context, std::make_shared<const ckks::EvaluationKeys>(
                     generator.evaluation_keys(secret, ckks::bootstrap_manifest(schedule))));
    bootstrapper_ = std::make_unique<ckks::Bootstrapper>(context, schedule);
    std::vector<double> values(parameters.slots());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17) / 17.0 - 0.5;
    x_ = ckks::Encryptor(context, secret)
             .encrypt(ckks::Encoder(context).encode(std::span<const double>(values), schedule.chain.input,
                                                    parameters.scale()));
  }
  void bootstrap() const { bootstrapper_->bootstrap(*evaluator_, x_); }
  void bootstrap_pair() const { bootstrapper_->bootstrap_pair(*evaluator_, x_, x_); }

 private:
  std::unique_ptr<ckks::Evaluator> evaluator_;
  std::unique_ptr<ckks::Bootstrapper> bootstrapper_;
  ckks::Ciphertext x_;
};

/// A benchmark: its name, whether it uses the thread limit, and what makes its timed operation.
struct Case {
  std::string operation, parameters;
  bool threaded = false;
  std::function<std::function<void()>()> prepare;
};

void add_ntt_cases(std::vector<Case>& cases) {
  for (const int log_n : {13, 14, 15, 16})
    for (const int bits : {50, 40})
      for (const bool forward : {true, false})
        cases.push_back({forward ? "NTT forward" : "NTT inverse", fmt::format("N 2^{}, {}-bit prime", log_n, bits),
                         false, [=]() -> std::function<void()> {
                           const std::size_t n = std::size_t{1} << log_n;
                           const ring::Modulus q(params::largest_ntt_primes(bits, 2 * n, 1, {}).at(0));
                           const auto tables = std::make_shared<const ring::NttTables>(q, n);
                           const auto limb = std::make_shared<base::AlignedVector<std::uint64_t>>(n);
                           base::Csprng random(base::Seed{});
                           ring::sample_uniform(*limb, q, random);
                           if (forward) return [=] { tables->forward(limb->data()); };
                           return [=] { tables->inverse(limb->data()); };
                         }});
}

/// One bed at a time: the keys of the large sets take gigabytes.
struct Beds {
  std::map<std::string, std::shared_ptr<Bed>> leveled;
  std::map<std::string, std::shared_ptr<BootstrapBed>> bootstrapping;
};

template <class AnyBed>
void add_case(std::vector<Case>& cases, const std::shared_ptr<Beds>& beds,
              std::map<std::string, std::shared_ptr<AnyBed>> Beds::*kind, const std::string& name,
              const std::string& set, void (AnyBed::*operation)() const) {
  cases.push_back({name, set, true, [=]() -> std::function<void()> {
                     auto& made = (*beds).*kind;
                     if (!made.contains(set)) {
                       beds->leveled.clear();
                       beds->bootstrapping.clear();
                       made[set] = std::make_shared<AnyBed>(set);
                     }
                     const auto bed = made.at(set);
                     return [bed, operation] { ((*bed).*operation)(); };
                   }});
}

void add_scheme_cases(std::vector<Case>& cases, const std::shared_ptr<Beds>& beds) {
  const auto add = [&](const std::string& name, const std::string& set, void (Bed::*operation)() const) {
    add_case(cases, beds, &Beds::leveled, name, set, operation);
  };
  for (const char* set : {"N13-d4", "N14-d7", "N15-d15", "N16-d32"}) {
    add("rotate", set, &Bed::rotate);
    add(fmt::format("rotate {} hoisted", kHoistedRotations), set, &Bed::rotate_hoisted);
    add("multiply, relinearise, rescale", set, &Bed::multiply);
    add("add", set, &Bed::add);
    if (params::named_literal(set).q_bits.size() > 7)
      add(fmt::format("polynomial of degree {}", kPolynomialDegree), set, &Bed::polynomial);
  }
  for (const std::string& set : params::bootstrapping_literals()) {
    add_case(cases, beds, &Beds::bootstrapping, "bootstrap", set, &BootstrapBed::bootstrap);
    add_case(cases, beds, &Beds::bootstrapping, "bootstrap a pair", set, &BootstrapBed::bootstrap_pair);
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_ntt_cases(cases);
  add_scheme_cases(cases, std::make_shared<Beds>());
  return cases;
}

std::string name_of(const Case& c) { return fmt::format("{}, {}", c.operation, c.parameters); }

std::string parameters_text(const Case& c) {
  if (!c.threaded) return c.parameters;
  const params::CkksLiteral literal = params::named_literal(c.parameters);
  return fmt::format("{}: N 2^{}, {} + {} limbs", literal.name, literal.log_n, literal.q_bits.size(),
                     literal.p_bits.size());
}

}  // namespace

std::vector<std::string> ckks_benchmark_names() {
  std::vector<std::string> names;
  for (const Case& c : all_cases()) names.push_back(name_of(c));
  return names;
}

void run_ckks_benchmarks(std::string_view filter, double seconds,
                         const std::function<void(const BenchmarkResult&)>& sink) {
  for (const Case& c : all_cases())
    if (name_of(c).find(filter) != std::string::npos)
      sink({c.operation, parameters_text(c), c.threaded ? base::thread_limit() : 1, measure(c.prepare(), seconds)});
}

}  // namespace tacit::app
