#include "app/service/metrics.h"

#include <fmt/format.h>

#include <string_view>

#include "app/service/connection_pool.h"
#include "base/process_memory.h"

namespace tacit::app::service {
namespace {

struct Metric {
  std::string_view name, type, help;
  double value;
};

}  // namespace

std::string metrics_text(const JobBook::Counts& jobs, const KeyShelf::Counts& keys) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  const Metric metrics[] = {
      {"tacit_jobs_accepted_total", "counter", "Jobs that this process accepted", number(jobs.accepted)},
      {"tacit_jobs_done_total", "counter", "Jobs that this process finished", number(jobs.done)},
      {"tacit_jobs_failed_total", "counter", "Jobs that this process could not carry out", number(jobs.failed)},
      {"tacit_jobs_refused_total", "counter", "Jobs refused because a queue was full", number(jobs.refused)},
      {"tacit_evaluation_seconds_total", "counter", "Time of evaluating", jobs.seconds},
      {"tacit_jobs_queued", "gauge", "Jobs that wait", number(jobs.queued)},
      {"tacit_jobs_queued_bytes", "gauge", "Bytes of their inputs", number(jobs.queued_bytes)},
      {"tacit_jobs_running", "gauge", "Jobs that run in this process", number(jobs.running)},
      {"tacit_jobs_kept", "gauge", "Finished jobs whose results are kept", number(jobs.kept)},
      {"tacit_key_uploads_total", "counter", "Uploads of keys that were found good", number(keys.uploads)},
      {"tacit_key_upload_bytes_total", "counter", "Bytes of keys received", number(keys.received)},
      {"tacit_key_loads_total", "counter", "Times that keys were read from disk", number(keys.loads)},
      {"tacit_key_memory_bytes", "gauge", "Keys held in memory", number(keys.in_memory)},
      {"tacit_connections_waiting", "gauge", "Connections that wait for a thread", number(ConnectionPool::waiting())},
      {"tacit_resident_bytes", "gauge", "Memory of the process", number(base::resident_bytes())},
  };
  std::string text;
  for (const Metric& metric : metrics)
    text +=
        fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", metric.name, metric.help, metric.type, metric.value);
  return text;
}

}  // namespace tacit::app::service
