#include "app/service/metrics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::app::service {
namespace {

using testing::HasSubstr;

TEST(Metrics, AreTheCountsOfJobsAndKeys) {
  const JobBook::Counts jobs{.queued = 1,
                             .running = 2,
                             .kept = 3,
                             .queued_bytes = 4,
                             .accepted = 5,
                             .done = 6,
                             .failed = 7,
                             .refused = 8,
                             .seconds = 9.5};
  const KeyShelf::Counts keys{.in_memory = 10, .loads = 11, .uploads = 12, .received = 13};
  const std::string text = metrics_text(jobs, keys);
  EXPECT_THAT(text, testing::StartsWith("# HELP tacit_jobs_accepted_total Jobs that this process accepted\n"
                                        "# TYPE tacit_jobs_accepted_total counter\n"
                                        "tacit_jobs_accepted_total 5\n"
                                        "# HELP tacit_jobs_done_total "));
  for (const char* line :
       {"tacit_jobs_done_total 6", "tacit_jobs_failed_total 7", "tacit_jobs_refused_total 8",
        "tacit_evaluation_seconds_total 9.5", "tacit_jobs_queued 1", "tacit_jobs_queued_bytes 4",
        "tacit_jobs_running 2", "tacit_jobs_kept 3", "tacit_key_uploads_total 12", "tacit_key_upload_bytes_total 13",
        "tacit_key_loads_total 11", "tacit_key_memory_bytes 10", "tacit_connections_waiting 0"})
    EXPECT_THAT(text, HasSubstr(fmt::format("\n{}\n", line)));
  EXPECT_THAT(text, HasSubstr("# TYPE tacit_jobs_queued gauge\n"));
}

}  // namespace
}  // namespace tacit::app::service
