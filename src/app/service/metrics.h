#pragma once

#include <string>

#include "app/service/job_book.h"
#include "app/service/key_shelf.h"

namespace tacit::app::service {

/// Returns the counts of a service in the text format of Prometheus. It names no client.
std::string metrics_text(const JobBook::Counts& jobs, const KeyShelf::Counts& keys);

}  // namespace tacit::app::service
