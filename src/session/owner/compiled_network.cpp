#include "session/owner/compiled_network.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/pipeline.h"
#include "session/owner/integers/plan.h"
#include "session/owner/measured_ranges.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/scheme_choice.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {
namespace {

/// The explanations of a compiler, in order: pass and text.
using Explanations = std::vector<std::pair<std::string, std::string>>;

/// Returns the request for one of two compilers. Its explanations are held in `told`, because only one is taken.
CompileRequest tried_on(graph::Target target, CompileRequest request, Explanations& told) {
  CompileOptions& options = request.options;
  const graph::PassControl passes = graph::for_target(pass_control(options), target);
  options.skipped_passes = {passes.skipped.begin(), passes.skipped.end()};
  options.explained_passes = {passes.explained.begin(), passes.explained.end()};
  if (passes.explain)
    options.explain = [&told](const std::string& pass, const std::string& text) { told.emplace_back(pass, text); };
  else
    options.explain = nullptr;
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

std::variant<Compilation, IntegerCompilation> compile_for_scheme(CompileRequest request, base::Progress& progress) {
  const CompileOptions options = request.options;
  switch (options.scheme) {
    case Scheme::ckks: return compile_network(std::move(request), progress);
    case Scheme::tfhe: return compile_integers(std::move(request), progress);
    case Scheme::automatic: break;
  }
  if (!options.ranges.empty()) {  // they were measured for one scheme
    request.options.scheme = scheme_of_ranges(options.ranges);
    request.graph.notes.push_back(fmt::format("--scheme auto took {}, for which the ranges were measured",
                                              request.options.scheme == Scheme::ckks ? "CKKS" : "TFHE"));
    return compile_for_scheme(std::move(request), progress);
  }
  // A scheme that refuses the network leaves it to the other one. Wrong options are refused before, as they are by
  // either scheme, because they say nothing about the network.
  require_explained(pass_control(options));
  Explanations of_slots, of_integers;
  const CompileRequest for_slots = tried_on(graph::Target::slots, request, of_slots),
                       for_integers = tried_on(graph::Target::integers, request, of_integers);
  const graph::CompileOptions slots_options = options_on_slots(for_slots);
  const graph::quant::CompileOptions integers_options = options_on_integers(for_integers);
  session::require_options(request.graph, slots_options);
  session::require_options(request.graph, integers_options);
  std::optional<Compilation> slots;
  std::optional<IntegerCompilation> integers;
  const base::Feasible<SchemeChoice> choice = choose_scheme(
      [&] { return planned_seconds(slots.emplace(compile_network(for_slots, slots_options, progress))); },
      [&] { return planned_seconds(integers.emplace(compile_integers(for_integers, integers_options, progress))); });
  const auto tell = [&](const Explanations& told) {
    for (const auto& [pass, text] : told) options.explain(pass, text);
  };
  if (!choice) {
    tell(of_slots);
    tell(of_integers);
    choice.problem().refuse();
  }
  tell(choice->on_slots ? of_slots : of_integers);
  (choice->on_slots ? slots->graph : integers->graph).notes.push_back(choice->note);
  if (choice->on_slots) return *std::move(slots);
  return *std::move(integers);
}

std::unique_ptr<CompiledNetwork> make_compiled_network(CompileRequest request, base::Progress& progress) {
  const CompileOptions options = request.options;
  std::variant<Compilation, IntegerCompilation> compiled = compile_for_scheme(std::move(request), progress);
  if (auto* const slots = std::get_if<Compilation>(&compiled)) return network_on_slots(std::move(*slots), options);
  return network_on_integers(std::get<IntegerCompilation>(std::move(compiled)));
}

}  // namespace tacit::session
