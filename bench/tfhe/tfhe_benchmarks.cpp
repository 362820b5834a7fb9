#include "bench/tfhe/tfhe_benchmarks.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/aligned.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/memory_bandwidth.h"
#include "ring/torus_products.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::bench {
namespace {

using namespace scheme::tfhe;

constexpr int kBatches[] = {1, 64};
constexpr std::size_t kDegrees[] = {256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr double kPriceBudget = 5e-3;

enum class Operation { lookup, key_switch, bootstrap };
constexpr std::pair<Operation, const char*> kOperations[] = {{Operation::lookup, "key switch + bootstrap"},
                                                             {Operation::key_switch, "key switch"},
                                                             {Operation::bootstrap, "bootstrap"}};

/// Returns the default sets at 2^-128.
std::vector<std::string> measured_sets() {
  std::vector<std::string> names;
  for (const std::string& name : params::named_tfhe_literals())
    if (name.find('-') == name.npos) names.push_back(name);
  return names;
}

std::string fft_name(std::size_t n) { return fmt::format("FFT, N {}", n); }
std::string name_of(const char* operation, const std::string& set, int batch) {
  return fmt::format("{}, {}, batch {}", operation, set, batch);
}

/// The digits of one polynomial, their products with one of a key, and the way back, on data in the nearest caches.
struct FftStep {
  explicit FftStep(std::size_t n, std::size_t polynomials = 1, unsigned levels = 1)
      : fft(n),
        columns(polynomials),
        cut{levels == 1 ? 23U : 30U / levels, levels},
        matrix(fft.matrix_doubles(polynomials * levels, polynomials), 1e-9),
        rows(polynomials * levels * (n + kPadding)),
        words(polynomials * (n + kPadding), 0x123456789abcdefU) {
    for (std::size_t row = 0; row < polynomials * levels; ++row) at.push_back(rows.data() + row * (n + kPadding));
  }
  void run() {
    const std::size_t n = fft.n();
    for (std::size_t p = 0; p < columns; ++p)
      fft.begin_digits(words.data() + p * (n + kPadding), 77, words.data() + p * (n + kPadding), cut,
                       at.data() + p * cut.levels);
    fft.products(at, matrix.data(), std::span(at).first(columns));
    for (std::size_t p = 0; p < columns; ++p) fft.add_words(at[p], words.data() + p * (n + kPadding));
  }

  static constexpr std::size_t kPadding = 16;
  ring::NegacyclicFft fft;
  std::size_t columns;
  ring::DigitCut cut;
  base::AlignedVector<double> matrix, rows;
  base::AlignedVector<std::uint64_t> words;
  std::vector<double*> at;
};

/// Returns the seconds of one multiply-accumulate of a key switch, from the nearest caches.
double switch_seconds() {
  constexpr std::size_t kRows = 256, kCount = 24;
  base::AlignedVector<std::uint32_t> key(kRows * ring::kTorusColumns, 3), out(kCount * ring::kTorusColumns, 0);
  base::AlignedVector<std::int32_t> digits(kCount * kRows, 5);
  const auto run = [&] {
    ring::subtract_digit_products({.key = key.data(),
                                   .tile_stride = key.size(),
                                   .columns = ring::kTorusColumns,
                                   .rows = kRows,
                                   .digits = digits.data(),
                                   .digit_stride = kRows,
                                   .out = out.data(),
                                   .out_stride = ring::kTorusColumns,
                                   .count = kCount});
  };
  return session::measure(run, kPriceBudget).lower / static_cast<double>(kRows * kCount * ring::kTorusColumns);
}

/// One parameter set with its keys and inputs.
class Bed {
 public:
  explicit Bed(const std::string& set)
      : context_(Context::make(params::TfheParameters::check(params::named_tfhe_literal(set)))),
        secret_(SecretKey::generate(*context_)),
        evaluator_(context_, SeededEvaluationKeys::generate(*context_, secret_)),
        table_(LookupTable::of(*context_, [this](std::int64_t x) { return (x * x + 1) % messages(); })) {
    FftStep step(context_->polynomial(), context_->glwe() + 1,
                 static_cast<unsigned>(context_->parameters().bootstrap().levels));
    const double steps = static_cast<double>(context_->small() * context_->extension());
    bootstrap_seconds_ = steps * session::measure([&] { step.run(); }, kPriceBudget).lower;
    switch_seconds_ = static_cast<double>(context_->large() * (context_->small() + 1)) *
                      context_->parameters().key_switch().levels * switch_seconds();
  }

  std::string parameters() const {
    const params::TfheLiteral& l = context_->parameters().literal();
    return fmt::format("{}: {} bits, n {}, k {}, N {}{}", l.name, l.bits, l.lwe_dimension, l.glwe_dimension,
                       context_->polynomial(),
                       l.log_extension > 0 ? fmt::format(" * {}", context_->extension()) : std::string());
  }

  TfheBenchmarkResult measure(Operation operation, int batch, double seconds) {
    std::vector<std::int64_t> inputs;
    for (int i = 0; i < batch; ++i) inputs.push_back((37 * i + 5) % messages());
    const LweCiphertexts ciphertexts = Encryptor(context_, secret_).encrypt_messages(inputs);
    const SmallLweCiphertexts switched = evaluator_.key_switch(ciphertexts);
    const std::vector<const LookupTable*> tables(inputs.size(), &table_);
    check(inputs, evaluator_.bootstrap(switched, tables));
    const auto run = [&] {
      switch (operation) {
        case Operation::lookup: evaluator_.lookup(ciphertexts, tables); break;
        case Operation::key_switch: evaluator_.key_switch(ciphertexts); break;
        case Operation::bootstrap: evaluator_.bootstrap(switched, tables); break;
      }
    };
    TfheBenchmarkResult result;
    result.batch = batch;
    result.threads = base::thread_limit();
    result.measurement = session::measure(run, seconds);
    for (double* time : {&result.measurement.median, &result.measurement.lower, &result.measurement.upper})
      *time /= batch;
    result.bootstrap_key_bytes = static_cast<double>(evaluator_.bootstrap_key_bytes());
    result.key_switch_key_bytes = static_cast<double>(evaluator_.key_switch_key_bytes());
    const bool switches = operation != Operation::bootstrap, bootstraps = operation != Operation::key_switch;
    const double keys = (switches ? result.key_switch_key_bytes : 0) + (bootstraps ? result.bootstrap_key_bytes : 0);
    result.traffic_bytes = keys / batch;
    // One ciphertext is one task, for any number of threads.
    const int used = std::min(result.threads, batch);
    result.arithmetic_seconds =
        ((switches ? switch_seconds_ : 0) + (bootstraps ? bootstrap_seconds_ : 0)) / static_cast<double>(used);
    return result;
  }

 private:
  std::int64_t messages() const { return std::int64_t{1} << context_->parameters().bits(); }
  void check(const std::vector<std::int64_t>& inputs, const LweCiphertexts& results) const {
    const std::vector<std::uint64_t> decrypted = Decryptor(context_, secret_).decrypt(results);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (static_cast<std::int64_t>(decrypted[i]) != (inputs[i] * inputs[i] + 1) % messages())
        throw base::InternalError(
            fmt::format("a lookup of '{}' gave a wrong result", context_->parameters().literal().name));
  }

  ContextPtr context_;
  SecretKey secret_;
  Evaluator evaluator_;
  LookupTable table_;
  double bootstrap_seconds_ = 0, switch_seconds_ = 0;
};

}  // namespace

std::vector<std::string> tfhe_benchmark_names() {
  std::vector<std::string> names;
  for (const std::size_t n : kDegrees) names.push_back(fft_name(n));
  for (const std::string& set : measured_sets())
    for (const int batch : kBatches)
      for (const auto& [operation, text] : kOperations) names.push_back(name_of(text, set, batch));
  return names;
}

void run_tfhe_benchmarks(std::string_view filter, double seconds, double cache_mib,
                         const std::function<void(const TfheBenchmarkResult&)>& sink) {
  const auto chosen = [&](const std::string& name) { return name.find(filter) != name.npos; };
  for (const std::size_t n : kDegrees) {
    if (!chosen(fft_name(n))) continue;
    FftStep step(n);
    TfheBenchmarkResult result;
    result.operation = "FFT there and back, one product";
    result.parameters = fmt::format("N {}", n);
    result.measurement = session::measure([&] { step.run(); }, seconds);
    sink(result);
  }
  std::optional<double> bandwidth;
  for (const std::string& set : measured_sets()) {
    std::unique_ptr<Bed> bed;
    for (const int batch : kBatches)
      for (const auto& [operation, text] : kOperations) {
        if (!chosen(name_of(text, set, batch))) continue;
        if (!bed) bed = std::make_unique<Bed>(set);
        TfheBenchmarkResult result = bed->measure(operation, batch, seconds);
        result.operation = text;
        result.parameters = bed->parameters();
        // The largest cache may still hold its data from the last run.
        const double from_memory = result.traffic_bytes * batch - std::ldexp(cache_mib, 20);
        if (from_memory > 0) {
          if (!bandwidth) bandwidth = memory_bandwidth(base::thread_limit());
          result.memory_seconds = from_memory / *bandwidth / batch;
        }
        sink(result);
      }
  }
}

}  // namespace tacit::bench
