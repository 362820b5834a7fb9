#pragma once

#include <string>

#include "params/bootstrap_schedule.h"
#include "params/cost_table.h"
#include "params/lookup_table.h"
#include "params/polynomial_plan.h"

namespace tacit::params {

/// The plan of lookups as plain data: `plan_lookup` chooses it, `scheme` executes it. A lookup is a bootstrap whose
/// sine is not undone, and a series of it for each table. Several tables of one argument share the bootstrap and the
/// powers (Bae, Cheon, Kim, Stehle 2024 for bits; Alexandru, Kim, Polyakov 2024 for integers).
struct LookupSchedule {
  BootstrapSchedule bootstrap;    ///< half or whole
  int entries = 0;                ///< of every table
  PolynomialSchedule polynomial;  ///< of the series of a table
  bool operator==(const LookupSchedule&) const = default;

  BootstrapForm form() const { return bootstrap.form; }
  int input_level() const { return bootstrap.input_level; }
  /// Returns the highest level of a result.
  int output_level() const { return bootstrap.output_level - polynomial.depth; }
};

struct LookupOptions {
  BootstrapForm form = BootstrapForm::half;
  int entries = 16;
  int output_level = -1;  ///< highest level of the results; the default (-1) is the highest one of the set
};

/// Returns the schedule of the series of a table. Throws InputError for sizes that the form does not have.
PolynomialSchedule series_schedule(BootstrapForm form, int entries);
/// Returns the levels of the series of a table.
int lookup_depth(BootstrapForm form, int entries);
/// Returns the form in which tables of this size take less time.
BootstrapForm cheaper_form(int entries);

/// Returns the fastest schedule at these prices. Throws InputError as plan_bootstrap does, and in these cases:
/// - The form is not half or whole.
/// - There are fewer or more entries than the form has.
/// - The levels of the set after a bootstrap do not hold the series and the output level.
LookupSchedule plan_lookup(const CkksLiteral& literal, const LookupOptions& options = {}, const CostTable& prices = {});

/// Returns the reason that a schedule from outside cannot run on the parameter set, as the end of a sentence. The text
/// is empty if it can run. Throws as plan_lookup does.
std::string schedule_problem(const LookupSchedule& schedule, const CkksLiteral& literal);

/// Returns the plan of the series of a table without entries that cancel: the work of any table of the schedule, or
/// more.
PolynomialPlan series_plan(const LookupSchedule& schedule);

/// Returns the evaluation keys of lookups. Levels are those of the whole set.
KeyManifest key_manifest(const LookupSchedule& schedule);

}  // namespace tacit::params
