#include "bench/slots/cost_measurement.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "bench/kernel_prices.h"
#include "bench/price_fit.h"
#include "bench/slots/benchmark_bed.h"
#include "bench/slots/packing_bench.h"
#include "params/ckks_parameters.h"
#include "session/owner/kernel_speeds.h"
#include "session/owner/machine.h"
#include "session/owner/measurement.h"

namespace tacit::bench {
namespace {

constexpr int kHoisted = 8, kEncoded = 8, kFewDiagonals = 64, kManyDiagonals = 256, kLowDegree = 27, kHighDegree = 59;

struct FittedCase {
  std::string name;
  std::function<TimedOperation(BenchmarkBed& bed)> prepare;
  bool fitted = true;  // prices are fitted to it
};

std::vector<FittedCase> cases(const params::CkksLiteral& literal) {
  std::vector<FittedCase> list{
      {"rotate", [](BenchmarkBed& bed) { return bed.rotate(); }},
      {fmt::format("rotate {} hoisted", kHoisted), [](BenchmarkBed& bed) { return bed.rotate_hoisted(kHoisted); }},
      {"multiply, relinearise, rescale", [](BenchmarkBed& bed) { return bed.multiply(); }}};
  for (const int degree : {kLowDegree, kHighDegree})
    if (const int top = message_top(literal); params::PolynomialSchedule::choose(degree).depth <= top)
      list.push_back({fmt::format("polynomial of degree {} from level {}", degree, top),
                      [=](BenchmarkBed& bed) { return bed.polynomial(degree); }});
  for (const int diagonals : {kFewDiagonals, kManyDiagonals})
    list.push_back({fmt::format("linear map of {} diagonals from level {}", diagonals, BenchmarkBed::kLinearLevel),
                    [=](BenchmarkBed& bed) { return bed.linear(diagonals); }});
  // The number is small, so that results are in memory that the last round returned (base/aligned.h).
  list.push_back({fmt::format("encode {} diagonals for level {}", kEncoded, BenchmarkBed::kLinearLevel),
                  [=](BenchmarkBed& bed) { return bed.encode(kEncoded); }, false});
  list.push_back({"make the key of a rotation", [=](BenchmarkBed& bed) { return bed.make_keys(1); }, false});
  if (literal.bootstrap)
    list.push_back({fmt::format("bootstrap to level {}", message_top(literal)),
                    [=](BenchmarkBed& bed) { return bed.bootstrap(message_top(literal), false); }});
  return list;
}

}  // namespace

CostMeasurement measure_costs(const CostMeasurementOptions& options,
                              const std::function<void(const std::string&)>& progress) {
  if (options.sets.empty()) throw base::InputError("bench cost: at least one parameter set is needed");
  for (const std::string& set : options.sets) params::named_literal(set);
  CostMeasurement result;
  const params::CostTable standard;
  std::vector<PriceSample> samples;
  std::vector<std::function<double(const params::CostTable&)>> prices;
  for (const std::string& set : options.sets) {
    progress(fmt::format("keys of {}", set));
    BenchmarkBed bed(set, standard);
    for (const FittedCase& c : cases(params::named_literal(set))) {
      progress(fmt::format("{}, {}", c.name, set));
      const TimedOperation operation = c.prepare(bed);
      // The first decile, because the time of other work on a shared machine is not part of the price.
      PriceSample sample{session::measure(operation.run, options.seconds).lower};
      for (std::size_t i = 0; i < kFittedPrices.size(); ++i) sample.unit[i] = operation.price(unit_table(i));
      result.operations.push_back({c.name, set, sample.seconds, operation.price(standard)});
      if (c.fitted) samples.push_back(sample);
      prices.push_back(operation.price);
    }
  }
  progress("sums of products from the caches and from memory");
  PackingBench bench({}, standard);
  bench.make_keys();
  bench.measure_prices();
  result.costs = fit_prices(samples, bench.fitted_table(), KernelPrices().least(base::thread_limit()));
  result.costs.threads = base::thread_limit();
  const session::KernelSpeeds speeds = session::measure_kernels(base::thread_limit());
  result.costs.embed_ns = speeds.embedding;
  result.costs.touch_ns = speeds.touch;
  for (std::size_t i = 0; i < prices.size(); ++i) result.operations[i].by_measured = prices[i](result.costs);
  return result;
}

}  // namespace tacit::bench
