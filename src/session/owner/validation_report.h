#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check/result.h"
#include "check/slots/dry_run.h"

namespace tacit::session {

/// Returns the JSON object of `tacit validate --json`. It has the operators with errors in bits, level, scale, share of
/// the range, likely cause and its origin. It has the first failure, and the cost of validating.
nlohmann::ordered_json validation_json(const check::Report& report);
/// Returns the report as a table, for people.
std::string validation_text(const check::Report& report);

/// Returns the data for a report page: the error along the network. `validate` is the request as it was written.
nlohmann::ordered_json validation_page(const std::string& network, const std::string& validate, bool end_to_end,
                                       nlohmann::ordered_json validation);

nlohmann::ordered_json dry_run_json(const std::vector<check::DryValue>& values);
std::string dry_run_text(const std::vector<check::DryValue>& values);

}  // namespace tacit::session
