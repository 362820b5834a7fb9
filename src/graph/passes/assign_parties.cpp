#include "graph/passes/assign_parties.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/links.h"
#include "graph/passes/guard_client.h"
#include "graph/passes/noise_after.h"
#include "graph/passes/operator_kind.h"
#include "graph/passes/value_domains.h"
#include "graph/passes/write_out_lookups.h"
#include "graph/prune.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

/// The most results of an affine map before the client's part that stays with the server.
constexpr std::int64_t kFewElements = 4096;

enum class Party { server, before, after };

std::int64_t numbers_of(const Attribute& attribute) {
  if (const auto* reals = std::get_if<std::vector<double>>(&attribute)) return static_cast<std::int64_t>(reals->size());
  if (const auto* tensor = std::get_if<Tensor>(&attribute)) return tensor->integral ? 0 : tensor->size();
  return 0;
}

class Assigner {
 public:
  Assigner(const Graph& graph, const PartyChoices& choices) : graph_(graph), choices_(choices), links_(graph) {
    for (const Node& node : graph.nodes) {
      kinds_.push_back(kind_of(graph, node, choices.tables));
      operands_.emplace_back();
      for (const std::size_t i : private_inputs(graph, node)) operands_.back().push_back(node.inputs[i]);
    }
  }

  Parties run() {
    check_kept();
    check_outputs();
    assign([this] { mark_before(); });
    if (nothing_is_encrypted()) {
      // The server computes all it can. Operators without an encrypted form, and the operators that they need, stay
      // with the client.
      assign([this] {
        std::vector<char> stays(graph_.nodes.size(), 0);
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
          stays[n] = parties_[n] != Party::before && !may_move(n, stays);
          if (kinds_[n] == OperatorKind::none && parties_[n] == Party::server && !stays[n]) pull_before(n);
        }
      });
      if (nothing_is_encrypted())
        throw base::InputError(
            "every operator of the model works on the inputs alone, so that the client can run all of it: there is "
            "nothing to encrypt");
    }
    keep_moved_inputs();
    reorder_decrypted();
    check_refused();
    check_texts();
    return cut();
  }

 private:
  /// Gives outputs that only move elements of inputs to the client, which keeps them.
  void keep_moved_inputs() {
    if (!choices_.before) return;
    const std::vector<Party> before = parties_;
    std::vector<char> moves(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      moves[n] = is(graph_.nodes[n].op, Class::movement) && movable(n) &&
                 std::ranges::all_of(operands_[n],
                                     [&](TensorId id) { return !links_.makers[id] || moves[*links_.makers[id]]; });
    for (const TensorId id : graph_.outputs)
      if (links_.makers[id] && moves[*links_.makers[id]]) pull_before(*links_.makers[id]);
    if (nothing_is_encrypted() || decrypted_tensors().empty()) parties_ = before;
  }

  /// Gives the last transposes to the client, with the reshapes behind them. The server would need many diagonals to
  /// bring the elements of a ciphertext into another order. A reshape alone leaves their order as it is.
  void reorder_decrypted() {
    if (!choices_.after || choices_.tables) return;
    const auto made_by = [&](std::size_t n) { return links_.makers[*different_operands(n).begin()]; };
    std::vector<char> last(graph_.nodes.size(), 0);
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      last[n] = parties_[n] == Party::server && movable(n) && is_rearrangement(graph_.nodes[n].op) &&
                different_operands(n).size() == 1 && made_by(n) && parties_[*made_by(n)] == Party::server &&
                std::ranges::all_of(links_.readers[graph_.nodes[n].outputs[0]], [&](std::size_t reader) {
                  return parties_[reader] == Party::after || last[reader];
                });
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (last[n] && (graph_.nodes[n].op == "Transpose" || parties_[*made_by(n)] == Party::after))
        parties_[n] = Party::after;
  }

  /// True for operators whose result has the elements of their operand, each once.
  static bool is_rearrangement(const std::string& op) {
    static const std::set<std::string> kRearrangements{"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    return kRearrangements.contains(op);
  }

  void check_kept() const {
    for (const std::string& kept : choices_.keep_private) {
      const auto named = [&](const Node& node) { return node.name == kept; };
      if (std::none_of(graph_.nodes.begin(), graph_.nodes.end(), named))
        base::refuse("--keep-private names '{}', which is no node of the model", kept);
    }
  }

  void check_outputs() const {
    const bool others = std::ranges::any_of(graph_.outputs, [&](TensorId id) { return !graph_.is_constant(id); });
    for (const TensorId id : graph_.outputs)
      if (graph_.is_constant(id) && !(others && choices_.after))
        base::refuse(
            "output '{}' does not depend on a private input: there is nothing to encrypt; leave it out of the model, "
            "as it is the same for every input",
            graph_.tensors[id].name);
  }

  /// True for a node with weights of a layer. The model's owner keeps these.
  bool holds_weights(const Node& node) const {
    if (node.op == kTreeScoresOp) return true;
    if (has_trait(node.op, kLayer))
      return std::ranges::any_of(node.inputs, [&](TensorId id) { return reals_in(id) != nullptr; });
    if (!has_trait(node.op, kLookup)) return false;
    const Tensor* table = reals_in(node.inputs[0]);
    return table != nullptr && table->size() > kSmallTable;
  }

  /// Returns a constant of reals, or null for other tensors.
  const Tensor* reals_in(TensorId id) const {
    if (id == kNoTensor || !graph_.is_constant(id)) return nullptr;
    const Tensor& constant = graph_.constant(id);
    return constant.integral || !constant.texts.empty() ? nullptr : &constant;
  }

  bool movable(std::size_t n) const {
    return !holds_weights(graph_.nodes[n]) && !choices_.keep_private.contains(graph_.nodes[n].name);
  }

  /// True for arithmetic between an input and several rows of constants, as in distances and densities of classes. The
  /// model has learned these constants.
  bool compares_with_rows(std::size_t n) const {
    std::int64_t widest = 0;
    for (const TensorId id : operands_[n]) widest = std::max(widest, elements(id));
    return is(graph_.nodes[n].op, Class::arithmetic) && elements(graph_.nodes[n].outputs[0]) > widest;
  }

  /// True if the client has the tensor before anything is encrypted.
  bool known_to_client(TensorId id) const {
    return !links_.makers[id] || parties_[*links_.makers[id]] == Party::before;
  }

  bool made_after(TensorId id) const { return links_.makers[id] && parties_[*links_.makers[id]] == Party::after; }

  bool operands_known(std::size_t n) const {
    return std::ranges::all_of(operands_[n], [&](TensorId id) { return known_to_client(id); });
  }

  std::int64_t elements(TensorId id) const { return element_count(graph_.tensors[id].shape); }

  /// True if a node with an encrypted form is better run on the inputs.
  bool better_before(std::size_t n) const {
    const Node& node = graph_.nodes[n];
    switch (kinds_[n]) {
      case OperatorKind::function:
      case OperatorKind::product: return true;
      case OperatorKind::movement: {
        bool alone = true;
        std::int64_t in = 0, out = 0;
        for (const TensorId id : operands_[n]) {
          alone = alone && links_.readers[id].size() == 1;
          in += elements(id);
        }
        for (const TensorId id : node.outputs)
          if (id != kNoTensor) out += elements(id);
        return alone && out <= in && node.outputs.size() == 1;
      }
      default: return false;
    }
  }

  /// True if the client would run everything before encryption.
  bool nothing_is_encrypted() const {
    return !graph_.nodes.empty() &&
           std::all_of(parties_.begin(), parties_.end(), [](Party party) { return party == Party::before; });
  }

  void mark_before() {
    if (!choices_.before) return;
    const std::vector<char> prepares = nodes_that_prepare();
    std::vector<char> stays(graph_.nodes.size(), 0);  // true if the node, or a node that it depends on, may not move
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
        if (parties_[n] == Party::before) continue;
        stays[n] = !may_move(n, stays);
        if (!movable(n)) continue;
        if (parties_[n] == Party::after) {
          // A node that could follow decryption is more exact on the inputs.
          if (kinds_[n] == OperatorKind::none && operands_known(n)) parties_[n] = Party::before;
          continue;
        }
        if (better_before(n) && operands_known(n)) parties_[n] = Party::before;
        const bool pulls = kinds_[n] == OperatorKind::none || (kinds_[n] == OperatorKind::function && prepares[n]);
        if (pulls && !stays[n] && parties_[n] != Party::before) {
          pull_before(n);
          changed = true;
        }
      }
    }
  }

  /// Returns for every node true if it and all nodes that it depends on prepare the inputs: no products, no weights of
  /// layers. A Clip of scaled inputs is exact at the client, and wide inputs do not leave its interval.
  std::vector<char> nodes_that_prepare() const {
    std::vector<char> prepares(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const std::string& op = graph_.nodes[n].op;
      const bool scales = kinds_[n] == OperatorKind::affine && is(op, Class::arithmetic);
      const bool may = scales || kinds_[n] == OperatorKind::movement || kinds_[n] == OperatorKind::function ||
                       kinds_[n] == OperatorKind::none;
      prepares[n] = may && movable(n) && std::ranges::all_of(operands_[n], [&](TensorId id) {
                      return !links_.makers[id] || prepares[*links_.makers[id]];
                    });
    }
    return prepares;
  }

  /// True if the client may run a node and all nodes that it depends on and does not run so far. `stays` has the
  /// answers for the nodes before it.
  bool may_move(std::size_t n, const std::vector<char>& stays) const {
    const auto may = [&](TensorId id) { return known_to_client(id) || !stays[*links_.makers[id]]; };
    return movable(n) && !compares_with_rows(n) && std::ranges::all_of(operands_[n], may);
  }

  /// Gives a node and all nodes that it depends on to the client.
  void pull_before(std::size_t n) {
    std::vector<std::size_t> pending{n};
    while (!pending.empty()) {
      const std::size_t at = pending.back();
      pending.pop_back();
      if (parties_[at] == Party::before) continue;
      parties_[at] = Party::before;
      for (const TensorId id : operands_[at])
        if (links_.makers[id]) pending.push_back(*links_.makers[id]);
    }
  }

  /// Gives the last operators to the client, then the operators that `more` gives it. Repeats this without the
  /// operators that would read decrypted numbers but need exact ones.
  template <typename More>
  void assign(const More& more) {
    barred_.assign(graph_.nodes.size(), 0);
    for (bool again = true; again;) {
      parties_.assign(graph_.nodes.size(), Party::server);
      if (choices_.after) mark_after();
      more();
      again = false;
      std::vector<char> last;
      for (const Party party : parties_) last.push_back(party == Party::after);
      for (const std::size_t n : nodes_that_noise_upsets(graph_, last)) barred_[n] = again = true;
    }
  }

  void mark_after() {
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      if (!movable(n) || barred_[n]) continue;
      bool last = true;
      for (const TensorId id : graph_.nodes[n].outputs)
        if (id != kNoTensor)
          for (const std::size_t reader : links_.readers[id]) last = last && parties_[reader] == Party::after;
      if (last) parties_[n] = Party::after;
    }
    keep_exact_ones_at_server();
  }

  /// Keeps the first operators of the client's last part at the server, if they are exact on ciphertexts and leave no
  /// more to decrypt.
  void keep_exact_ones_at_server() {
    std::vector<std::int64_t> readers_after(graph_.tensors.size(),
                                            0);  // by tensor, a reader outside the graph included
    for (const TensorId id : graph_.outputs) ++readers_after[id];
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (parties_[n] == Party::after)
        for (const TensorId id : different_operands(n)) ++readers_after[id];
    std::int64_t decrypted = 0;  // elements
    for (const TensorId id : decrypted_tensors()) decrypted += elements(id);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (parties_[n] != Party::after || !exact_and_first(n)) continue;
      // If the server ran the node, its results would be decrypted in place of its operands.
      std::int64_t without = decrypted, more_tensors = 0;
      for (const TensorId id : different_operands(n))
        if (readers_after[id] == 1) {
          without -= elements(id);
          --more_tensors;
        }
      for (const TensorId id : graph_.nodes[n].outputs)
        if (id != kNoTensor && readers_after[id] > 0) {
          without += elements(id);
          ++more_tensors;
        }
      const bool hides = kinds_[n] != OperatorKind::movement;  // hides numbers of the model, or intermediate values
      if (more_tensors > 0 || (without > decrypted && !(hides && without <= kFewElements))) continue;
      parties_[n] = Party::server;
      decrypted = without;
      for (const TensorId id : different_operands(n)) --readers_after[id];
    }
  }

  std::set<TensorId> different_operands(std::size_t n) const { return {operands_[n].begin(), operands_[n].end()}; }

  bool exact_and_first(std::size_t n) const {
    const bool exact = kinds_[n] == OperatorKind::movement || kinds_[n] == OperatorKind::affine ||
                       kinds_[n] == OperatorKind::linear || kinds_[n] == OperatorKind::product;
    return exact && std::ranges::none_of(operands_[n], [&](TensorId id) { return made_after(id); });
  }

  /// Returns the tensors that a party's nodes read, then `others`, each once, if they are `wanted`.
  template <typename Wanted>
  std::vector<TensorId> read_by(Party party, const std::vector<TensorId>& others, const Wanted& wanted) const {
    std::vector<TensorId> result;
    std::vector<char> added(graph_.tensors.size(), 0);
    const auto add = [&](TensorId id) {
      if (wanted(id) && std::exchange(added[id], 1) == 0) result.push_back(id);
    };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (parties_[n] == party) std::ranges::for_each(operands_[n], add);
    std::ranges::for_each(others, add);
    return result;
  }

  /// Returns the outputs that the client knows before encryption and keeps. Empty if nothing else is decrypted.
  std::vector<TensorId> kept_tensors() const {
    std::vector<TensorId> kept;
    bool others = false;
    for (const TensorId id : graph_.outputs) {
      if (graph_.is_constant(id)) continue;
      others = others || !known_to_client(id);
      if (known_to_client(id) && std::ranges::find(kept, id) == kept.end()) kept.push_back(id);
    }
    return others ? kept : std::vector<TensorId>();
  }

  /// Returns the tensors that the client's last part or only the caller reads, and that the client does not keep.
  std::vector<TensorId> decrypted_tensors() const {
    const std::vector<TensorId> kept = kept_tensors();
    return read_by(Party::after, graph_.outputs, [&](TensorId id) {
      return !made_after(id) && !graph_.is_constant(id) && std::ranges::find(kept, id) == kept.end();
    });
  }

  /// Returns the tensors that the client knows and the server reads. Inputs that nothing reads are not encrypted.
  std::vector<TensorId> encrypted_tensors(const std::vector<TensorId>& decrypted) const {
    if (std::ranges::find(parties_, Party::before) == parties_.end() && kept_tensors().empty()) {
      std::vector<TensorId> read;
      for (const TensorId id : graph_.inputs)
        if (!links_.readers[id].empty()) read.push_back(id);
      return read.empty() ? graph_.inputs : read;
    }
    return read_by(Party::server, decrypted, [&](TensorId id) { return known_to_client(id); });
  }

  void check_refused() const {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (parties_[n] != Party::server) continue;
      if (kinds_[n] != OperatorKind::none) continue;
      if (barred_[n])
        refuse(node,
               std::string("it needs exact numbers, and what is decrypted carries noise, which would make another "
                           "value of them; ") +
                   (node.op == "Cast" ? "round in front of it (Round), or " : "") +
                   "end the network in front of this operator");
      if (choices_.keep_private.contains(node.name))
        refuse(node, "this operator has no encrypted form, and --keep-private forbids the client to run it");
      if (!choices_.before && choices_.after && reads_inputs_alone(node))
        refuse(
            node,
            "this operator has no encrypted form, and --client-before off forbids the client to run it on the inputs");
    }
  }

  bool reads_inputs_alone(const Node& node) const {
    return std::ranges::all_of(node.inputs, [&](TensorId id) {
      return id == kNoTensor || graph_.is_constant(id) || std::ranges::find(graph_.inputs, id) != graph_.inputs.end();
    });
  }

  void check_texts() const {
    for (const TensorId id : encrypted_tensors(decrypted_tensors())) {
      const TensorInfo& info = graph_.tensors[id];
      if (info.text && links_.makers[id])
        refuse(graph_.nodes[*links_.makers[id]],
               fmt::format("its result '{}' holds texts, which would have to be encrypted", info.name));
      if (info.text)
        base::refuse(
            "input '{}' holds texts, where numbers are needed to encrypt: encode them (OneHotEncoder, "
            "LabelEncoder) in front of the first layer",
            info.name);
    }
  }

  Graph part(Party party, std::vector<TensorId> inputs, std::vector<TensorId> outputs) const {
    Graph part = graph_;
    part.nodes.clear();
    part.notes.clear();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (parties_[n] == party) part.nodes.push_back(graph_.nodes[n]);
    part.inputs = std::move(inputs);
    part.outputs = std::move(outputs);
    return part;
  }

  /// Lets a node make every output that is a constant, because files state outputs that nodes make. Outputs keep their
  /// names.
  static Graph with_made_outputs(Graph after) {
    for (TensorId& id : after.outputs) {
      if (!after.is_constant(id)) continue;
      TensorInfo made = after.tensors[id];
      made.constant = -1;
      const TensorId constant = std::exchange(id, static_cast<TensorId>(after.tensors.size()));
      after.nodes.push_back({"Identity", made.name, {constant}, {id}, {}});
      after.tensors[constant].name += ".constant";
      after.tensors.push_back(std::move(made));
    }
    return after;
  }

  Parties cut() const {
    const std::vector<TensorId> decrypted = decrypted_tensors();
    const std::vector<TensorId> encrypted = encrypted_tensors(decrypted);
    const std::vector<TensorId> kept = kept_tensors();
    const auto with_kept = [&](std::vector<TensorId> ids) {
      ids.insert(ids.end(), kept.begin(), kept.end());
      return ids;
    };
    Parties result;
    result.encrypted = part(Party::server, encrypted, decrypted);
    result.client.kept = kept.size();
    result.client.before = prune(part(Party::before, graph_.inputs, with_kept(encrypted)));
    result.client.after =
        prune(guard_client(with_made_outputs(part(Party::after, with_kept(decrypted), graph_.outputs)), kept.size(),
                           value_domains(graph_)));
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (parties_[n] != Party::server)
        result.client.nodes.push_back(
            {graph_.nodes[n].name, graph_.nodes[n].op, parties_[n] == Party::before, learned(graph_.nodes[n])});
    return result;
  }

  std::int64_t learned(const Node& node) const {
    std::int64_t count = 0;
    for (const TensorId id : node.inputs)
      if (const Tensor* constant = reals_in(id)) count += constant->size();
    for (const auto& [name, attribute] : node.attributes) count += numbers_of(attribute);
    return count;
  }

  const Graph& graph_;
  const PartyChoices& choices_;
  const Links links_;
  std::vector<OperatorKind> kinds_;              // of every node
  std::vector<std::vector<TensorId>> operands_;  // of every node, without constants
  std::vector<Party> parties_;                   // of every node
  std::vector<char> barred_;                     // nodes after decryption that would need exact operands
};

}  // namespace

Parties assign_parties(const Graph& graph, const PartyChoices& choices) {
  for (const TensorId id : graph.outputs)
    if (element_count(graph.tensors[id].shape) == 0)
      base::refuse("output '{}' of shape {} has no element: there is nothing to encrypt", graph.tensors[id].name,
                   graph::to_text(graph.tensors[id].shape));
  const Graph written = write_out_lookups(graph, choices.keep_private, choices.before);
  return Assigner(written, choices).run();
}

}  // namespace tacit::graph::passes
