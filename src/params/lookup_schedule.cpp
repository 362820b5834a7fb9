#include "params/lookup_schedule.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace tacit::params {
namespace {

// The exponential takes some relinearisations more than the cosine, and the series of a larger table in half form a
// level and half as many relinearisations more than in whole form.
constexpr int kMostCheapHalfEntries = 16;

int degree_of(BootstrapForm form, int entries) { return form == BootstrapForm::half ? 2 * entries - 1 : entries - 1; }

const char* name_of(BootstrapForm form) { return form == BootstrapForm::half ? "half" : "whole"; }

void check(BootstrapForm form, int entries) {
  if (!is_of_lookups(form)) throw base::InputError("lookup: its bootstrap has neither the half nor the whole form");
  if (entries < kFewestEntries || entries > most_entries(form))
    base::refuse("lookup: a table has {} entries, and in {} form it has {} to {}; use {}", entries, name_of(form),
                 kFewestEntries, most_entries(form),
                 entries > most_entries(form) && entries <= kMostEntries ? "the whole form" : "another table");
}

}  // namespace

PolynomialSchedule series_schedule(BootstrapForm form, int entries) {
  check(form, entries);
  return PolynomialSchedule::choose(degree_of(form, entries));
}

int lookup_depth(BootstrapForm form, int entries) { return series_schedule(form, entries).depth; }

BootstrapForm cheaper_form(int entries) {
  return entries <= kMostCheapHalfEntries ? BootstrapForm::half : BootstrapForm::whole;
}

LookupSchedule plan_lookup(const CkksLiteral& literal, const LookupOptions& options, const CostTable& prices) {
  LookupSchedule schedule;
  schedule.entries = options.entries;
  schedule.polynomial = series_schedule(options.form, options.entries);
  const int highest = chain_of(literal).output, output = std::max(options.output_level, 0),
            depth = schedule.polynomial.depth;
  if (output + depth > highest)
    base::refuse(
        "lookup: a table of {} entries takes {} levels and its results {}, and the parameter set '{}' has {} "
        "after a bootstrap; use a set with more message levels, or smaller tables",
        options.entries, depth, output, literal.name, highest);
  // A bootstrap ends no lower than it begins.
  const int end = options.output_level < 0 ? highest : std::max(output + depth, chain_of(literal).input);
  schedule.bootstrap = plan_bootstrap(literal, {.form = options.form, .output_level = end}, prices);
  return schedule;
}

std::string schedule_problem(const LookupSchedule& schedule, const CkksLiteral& literal) {
  if (!is_of_lookups(schedule.form())) return "has neither the half nor the whole form";
  if (schedule.entries < kFewestEntries || schedule.entries > most_entries(schedule.form()))
    return "has tables of another size than its form allows";
  if (schedule.polynomial != series_schedule(schedule.form(), schedule.entries))
    return "has another series than its tables";
  if (schedule.output_level() < 0) return "has fewer levels than its series";
  return schedule_problem(schedule.bootstrap, literal);
}

PolynomialPlan series_plan(const LookupSchedule& schedule) {
  if (schedule.form() == BootstrapForm::whole) return plan_powers(schedule.polynomial);
  // Square roots make a series in which nothing cancels.
  std::vector<double> dense;
  for (int k = 0; k <= schedule.polynomial.degree; ++k) dense.push_back(std::sqrt(k + 2.0));
  return plan_polynomial(dense, schedule.polynomial);
}

KeyManifest key_manifest(const LookupSchedule& schedule) { return key_manifest(schedule.bootstrap); }

}  // namespace tacit::params
