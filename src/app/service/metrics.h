#pragma once

#include <string>

#include "app/service/job_book.h"
#include "app/service/key_shelf.h"

namespace tacit::app::service {

/// What a service did and holds, in the text format of Prometheus. Names no client.
std::string metrics_text(const JobBook::Counts& jobs, const KeyShelf::Counts& keys);

}  // namespace tacit::app::service
