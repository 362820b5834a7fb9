#include "session/cost_file.h"

#include <string>

#include "base/error.h"
#include "base/naming.h"
#include "session/bounded_file.h"
#include "session/output_files.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

constexpr std::uintmax_t kMaxBytes = 1 << 16;

}  // namespace

params::CostTable read_costs(const std::filesystem::path& file) {
  if (file.empty()) return {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    base::refuse("--costs {} is no file; 'tacit bench cost --output {}' measures this machine and writes it",
                 file.string(), file.string());
  const std::string text = read_bounded(file, kMaxBytes);
  return base::naming(file.string(), [&] { return params::cost_table_from_json(text); });
}

void write_costs(const std::filesystem::path& file, const params::CostTable& costs) {
  write_file(file, params::to_json(costs) + "\n");
}

}  // namespace tacit::session
