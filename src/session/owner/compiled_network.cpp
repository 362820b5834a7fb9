#include "session/owner/compiled_network.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/pipeline.h"
#include "session/owner/scheme_choice.h"

namespace tacit::session {
namespace {

/// The explanations of a compiler, in order: pass and text.
using Explanations = std::vector<std::pair<std::string, std::string>>;

/// Returns the request for one of two compilers. Its explanations are held in `told`, because only one is taken.
CompileRequest tried_on(graph::Target target, CompileRequest request, Explanations& told) {
  graph::PassControl& passes = request.choices.passes;
  passes = graph::for_target(passes, target);
  if (passes.explain)
    passes.explain = [&told](const std::string& pass, const std::string& text) { told.emplace_back(pass, text); };
  return request;
}

/// Throws InputError for a pass that neither compiler can explain.
void require_explained(const graph::PassControl& passes) {
  std::set<std::string> unknown = passes.explained;
  for (const graph::Target target : {graph::Target::slots, graph::Target::integers})
    for (const std::string& name : graph::explained_passes(target)) unknown.erase(name);
  graph::check({.explained = unknown}, graph::Target::slots);
}

}  // namespace

std::unique_ptr<CompiledNetwork> make_compiled_network(CompileRequest request, base::Progress& progress) {
  const CompileChoices choices = request.choices;
  const auto on_slots = [&](CompileRequest of) {
    return network_on_slots(compile_network(std::move(of), progress), choices);
  };
  const auto on_integers = [&](CompileRequest of) {
    return network_on_integers(compile_integers(std::move(of), progress));
  };
  switch (choices.scheme) {
    case Scheme::ckks: return on_slots(std::move(request));
    case Scheme::tfhe: return on_integers(std::move(request));
    case Scheme::automatic: break;
  }
  // Refusals of either scheme say only that the other one is taken, and this one would hide mistakes.
  if (!choices.shardings.empty())
    throw base::InputError("--shard lays out ciphertexts of slots: give --scheme ckks as well");
  if (!choices.passes.skipped.empty())
    throw base::InputError("--passes names passes of one compiler: give --scheme ckks or --scheme tfhe as well");
  if (!choices.costs.empty())
    throw base::InputError(
        "--costs prices CKKS alone, so that it says nothing about which scheme takes less time: give --scheme ckks as "
        "well, or leave it out");
  require_either_rounds(choices.rounding == graph::quant::Rounding::exact);
  require_explained(choices.passes);
  Explanations of_slots, of_integers;
  std::unique_ptr<CompiledNetwork> slots, integers;
  const SchemeChoice choice = choose_scheme(
      [&] { return (slots = on_slots(tried_on(graph::Target::slots, request, of_slots)))->priced_seconds(); },
      [&] {
        return (integers = on_integers(tried_on(graph::Target::integers, request, of_integers)))->priced_seconds();
      });
  std::unique_ptr<CompiledNetwork>& taken = choice.on_slots ? slots : integers;
  taken->add_note(choice.note);
  for (const auto& [pass, text] : choice.on_slots ? of_slots : of_integers) choices.passes.explain(pass, text);
  return std::move(taken);
}

}  // namespace tacit::session
