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
  switch (choices.scheme) {
    case Scheme::ckks: return network_on_slots(compile_network(std::move(request), progress), choices);
    case Scheme::tfhe: return network_on_integers(compile_integers(std::move(request), progress));
    case Scheme::automatic: break;
  }
  // A scheme that refuses the network leaves it to the other one. Wrong options are refused before, as they are by
  // either scheme, because they say nothing about the network.
  if (!choices.parameters.empty())
    throw base::InputError("--parameters names a set of one scheme: give --scheme ckks or --scheme tfhe as well");
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
  const CompileRequest for_slots = tried_on(graph::Target::slots, request, of_slots),
                       for_integers = tried_on(graph::Target::integers, request, of_integers);
  const graph::CompileOptions slots_options = options_on_slots(for_slots);
  const graph::quant::CompileOptions integers_options = options_on_integers(for_integers);
  session::require_options(request.graph, slots_options);
  session::require_options(integers_options);
  std::unique_ptr<CompiledNetwork> slots, integers;
  const base::Feasible<SchemeChoice> choice = choose_scheme(
      [&] {
        slots = network_on_slots(compile_network(for_slots, slots_options, progress), choices);
        return slots->priced_seconds();
      },
      [&] {
        integers = network_on_integers(compile_integers(for_integers, integers_options, progress));
        return integers->priced_seconds();
      });
  const auto tell = [&](const Explanations& told) {
    for (const auto& [pass, text] : told) choices.passes.explain(pass, text);
  };
  if (!choice) {
    tell(of_slots);
    tell(of_integers);
    choice.problem().refuse();
  }
  std::unique_ptr<CompiledNetwork>& taken = choice->on_slots ? slots : integers;
  taken->add_note(choice->note);
  tell(choice->on_slots ? of_slots : of_integers);
  return std::move(taken);
}

}  // namespace tacit::session
