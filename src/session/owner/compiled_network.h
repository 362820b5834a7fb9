#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "graph/client_parts.h"
#include "graph/graph.h"
#include "params/interconnect.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// The roots of the files of both halves.
struct HalvesRoots {
  base::Digest server{}, client{};
};

/// A network compiled for one scheme, for the holder of the model, the inputs and the keys. Thread safe.
class CompiledNetwork {
 public:
  virtual ~CompiledNetwork() = default;
  virtual const CompilationHead& head() const = 0;
  const std::string& name() const { return head().name; }  ///< of the model file
  const graph::Graph& graph() const { return head().graph; }
  double seconds() const { return head().seconds; }  ///< of import and compilation
  /// Returns facts that users of the network should know.
  std::vector<std::string> warnings() const { return head().all_warnings(); }
  virtual const graph::ClientParts& parts() const = 0;
  virtual std::int64_t batch() const = 0;  ///< most inputs per run

  /// Returns the plan as JSON: model, scheme, parameters, client's steps, estimates of keys, memory and time, and the
  /// instructions.
  virtual nlohmann::ordered_json plan() const = 0;

  /// Returns the costs on `ranks` ranks connected by `network`, as JSON (session/owner/rank_plan.h).
  virtual nlohmann::ordered_json plan_of_ranks(std::int64_t ranks, const params::Interconnect& network) const = 0;

  /// Writes the compiled model as two halves, one per party, bound by one id. The client's half carries the plan
  /// without its instructions. Throws InputError naming the path.
  virtual HalvesRoots save_halves(const std::filesystem::path& server, const std::filesystem::path& client) const = 0;

  /// Reads 1 to `batch` samples in the clear, as one run. Returns for each the first value that left the interval of
  /// its layer. `first` is the number of the first sample.
  virtual std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                        std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// Returns the values that left their intervals so far, in the order of the layers.
  virtual std::vector<RangeExcess> excesses() const = 0;

  /// Returns client and server in one process, and makes the keys at once. Several ranks share the work for this many
  /// `runs`. The network must outlive the engine. Throws InputError if the budget cannot be met.
  virtual std::unique_ptr<Engine> encrypted(const base::MemoryBudget& memory, base::Progress& progress,
                                            std::size_t runs) const = 0;
  /// Returns the clear reading with modelled noise. The network must outlive it.
  virtual std::unique_ptr<Engine> simulated() const = 0;
};

/// Compiles an imported network for the chosen scheme, as compile_network and compile_integers do. With
/// Scheme::automatic it compiles for both and takes the one with the shorter planned time. A note in its plan states
/// that. A wrong option of either scheme is refused before a scheme is tried.
std::variant<Compilation, IntegerCompilation> compile_for_scheme(CompileRequest request, base::Progress& progress);
/// Compiles as compile_for_scheme does.
std::unique_ptr<CompiledNetwork> make_compiled_network(CompileRequest request, base::Progress& progress);

/// Wraps a network that was compiled for slots or for integers. The plan on slots shows times by the prices of
/// `shown_costs`.
std::unique_ptr<CompiledNetwork> network_on_slots(Compilation compilation, const CompileOptions& options);
std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation);

}  // namespace tacit::session
