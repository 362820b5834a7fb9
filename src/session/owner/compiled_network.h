#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "graph/client_parts.h"
#include "graph/graph.h"
#include "params/network.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// Of the files of both halves.
struct HalvesRoots {
  base::Digest server{}, client{};
};

/// A network compiled for one scheme, as whoever holds the model, the inputs and the keys sees it. Thread safe.
class CompiledNetwork {
 public:
  virtual ~CompiledNetwork() = default;
  virtual const CompilationHead& head() const = 0;
  const std::string& name() const { return head().name; }  ///< of the model file
  const graph::Graph& graph() const { return head().graph; }
  double seconds() const { return head().seconds; }  ///< of import and compilation
  /// What whoever relies on it should know.
  std::vector<std::string> warnings() const { return head().all_warnings(); }
  virtual const graph::ClientParts& parts() const = 0;
  virtual std::int64_t batch() const = 0;  ///< inputs that one run takes at most
  /// Adds a sentence to the notes of the plan. Before the network is shared.
  virtual void add_note(std::string note) = 0;

  /// As JSON: model, scheme, parameters, client's steps, what keys, memory and time are estimated at, instructions.
  virtual nlohmann::ordered_json plan() const = 0;
  /// Seconds that an input is planned to take, by what choices of the compiler go by: the same on every machine, on one
  /// core, and of one kind for both schemes. The plan shows times of this machine where it knows them.
  virtual double priced_seconds() const = 0;

  /// What so many ranks between which this network lies would take, as JSON (session/owner/slots/rank_plan.h). Throws
  /// InputError for a scheme whose programs are not shared by ranks.
  virtual nlohmann::ordered_json plan_of_ranks(std::int64_t ranks, const params::Network& network) const = 0;

  /// Writes what a compiled model is handed out as: one half a party, bound by one id; the client's carries the plan
  /// without its instructions. Throws InputError naming the path.
  virtual HalvesRoots save_halves(const std::filesystem::path& server, const std::filesystem::path& client) const = 0;

  /// Reads 1 to `batch` samples in the clear, as one run, and says of each which value first left what the network was
  /// compiled for. `first` is the number of the first sample.
  virtual std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                        std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// What left its interval so far, in the order of the layers.
  virtual std::vector<RangeExcess> excesses() const = 0;

  /// Client and server in one process, with keys made at once; where there are several ranks, for so many `runs`. The
  /// network must outlive it. Throws InputError if the budget cannot be met.
  virtual std::unique_ptr<Engine> encrypted(const base::MemoryBudget& memory, base::Progress& progress,
                                            std::size_t runs) const = 0;
  /// The clear reading with modelled noise. The network must outlive it.
  virtual std::unique_ptr<Engine> simulated() const = 0;
};

/// Compiles an imported network for the scheme that the choices name, as compile_network and compile_integers do. With
/// Scheme::automatic for both, and takes what is planned to take less time; its plan has a note that says so.
std::unique_ptr<CompiledNetwork> make_compiled_network(CompileRequest request, base::Progress& progress);

/// A network that was compiled for slots, and for integers. Times of the plan on slots are by the prices that
/// `shown_costs` chooses.
std::unique_ptr<CompiledNetwork> network_on_slots(Compilation compilation, const CompileChoices& choices);
std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation);

}  // namespace tacit::session
