#include "graph/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "graph/passes/draft.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/normalise.h"
#include "graph/passes/relu_behind_pools.h"
#include "graph/passes/text_forms.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/passes/write_out_pieces.h"
#include "graph/quant/fold_into_leaves.h"
#include "graph/quant/integers_draft.h"
#include "graph/quant/join_sums.h"
#include "graph/quant/network_passes.h"
#include "graph/quant/program_passes.h"
#include "graph/quant/write_out_contractions.h"
#include "graph/slots/apply_sharding.h"
#include "graph/slots/batch_products.h"
#include "graph/slots/client_passes.h"
#include "graph/slots/program_passes.h"
#include "graph/slots/sample_passes.h"
#include "graph/slots/shape_softmax.h"
#include "graph/slots/slots_draft.h"
#include "graph/slots/tabulate.h"
#include "graph/slots/trees_in_slots.h"

namespace tacit::graph {
namespace {

using passes::Draft;
using passes::SlotsDraft;
using quant::IntegersDraft;

template <auto pass, class Made>
void run_on(Made& draft) {
  pass(draft);
}
template <auto pass>
constexpr PassFunctions kShared{run_on<pass, SlotsDraft>, run_on<pass, IntegersDraft>};
template <auto pass>
constexpr PassFunctions kOnSlots{run_on<pass, SlotsDraft>, nullptr};
template <auto pass>
constexpr PassFunctions kOnIntegers{nullptr, run_on<pass, IntegersDraft>};
template <auto on_slots, auto on_integers>
constexpr PassFunctions kEach{run_on<on_slots, SlotsDraft>, run_on<on_integers, IntegersDraft>};

/// The function of a row that something else runs: the importer, or another pass.
void elsewhere(const Draft&) {}

constexpr Explanation kNothing{};
/// What a pass reports while it runs.
constexpr Explanation told(const char* what) { return {what, nullptr}; }
constexpr Explanation kModel{"the graph", [](const Draft& draft) { return passes::to_text(draft.model); }};
constexpr Explanation kGraph{"the graph", [](const Draft& draft) { return passes::to_text(draft.graph); }};
constexpr Explanation kRecognised{"the graph",
                                  [](const Draft& draft) { return passes::to_text(draft.recognised.graph); }};
constexpr Explanation kNetwork{"the network", [](const Draft& draft) { return passes::to_text(draft.network); }};

}  // namespace

std::span<const Pass> all_passes() {
  using enum Form;
  using passes::on_graph;
  using passes::on_network;
  static constexpr std::array kPasses{
      // From the file to a network with ranges.
      Pass{"import", file, graph, kShared<elsewhere>,
           "brings every operator to one form, infers shapes and folds constants", kModel, "write-out"},
      Pass{"write-out", graph, graph, kShared<passes::write_out_model>,
           "replaces operators that are made of simpler ones", kGraph, "assign-parties"},
      Pass{"assign-parties", graph, encrypted, kShared<passes::part_model>,
           "gives every operator to the server or to the client", kGraph, "recognise"},
      Pass{"client-samples", encrypted, encrypted, kEach<passes::take_client_samples, quant::take_client_samples>,
           "runs the client's first operators on the calibration samples", kNothing, "calibrate"},
      Pass{"relu-behind-pools", encrypted, encrypted, kShared<on_graph<passes::relu_behind_pools>>,
           "moves a Relu that only a maximum reads behind it, where fewer elements are", kGraph},
      Pass{"write-out-pieces", encrypted, encrypted, kOnIntegers<on_graph<passes::write_out_pieces>>,
           "replaces comparisons, logic, choices and quotients by functions, sums and products", kGraph, "recognise"},
      Pass{"shape-softmax", encrypted, encrypted, kOnSlots<passes::shape_softmax>,
           "replaces a Softmax by exponentials, whose rows samples show", kGraph, "recognise"},
      Pass{"write-out-maxima", encrypted, encrypted, kShared<on_graph<passes::write_out_maxima>>,
           "replaces maxima by sums and functions", kGraph, "linearise"},
      Pass{"recognise", encrypted, recognised, kShared<passes::recognise_functions>,
           "makes one node of every group of operators that is one function of one variable", kRecognised, "linearise"},
      Pass{"require-samples", recognised, recognised,
           kEach<passes::require_samples_of_functions, quant::require_samples_of_functions>,
           "refuses functions that have no calibration samples", kNothing, "calibrate"},
      Pass{"linearise", recognised, network, kShared<passes::linearise_graph>,
           "finds the linear operator of every node", kNetwork, "calibrate"},
      Pass{"write-out-contractions", network, network, kOnIntegers<on_network<quant::write_out_contractions>>,
           "replaces products of two matrices by products of elements and sums", kNetwork, "parameters"},
      Pass{"check-wrapping", network, network, kOnSlots<passes::check_integers>,
           "refuses integers that may leave their type", kNothing, "guards"},
      Pass{"trees-in-slots", network, network, kOnSlots<passes::put_trees_in_slots>,
           "lets the client compare features with a public grid, and makes products of the bits of trees", kNetwork,
           "parameters"},
      Pass{"analyse-sharding", network, network, kOnSlots<passes::analyse_annotations>,
           "gathers the rules of nodes, and starts from annotated shardings", told("rules and annotations"),
           "apply-sharding"},
      Pass{"fold", network, network, kShared<passes::fold_network>,
           "composes neighbouring linear operators, so that a chain of them costs one level", kNetwork},
      Pass{"tabulate", network, network, kOnSlots<passes::tabulate>,
           "makes tables of the functions of a quantised network, which lookups read", kNetwork, "degrees"},
      Pass{"fold-into-leaves", network, network, kOnIntegers<on_network<quant::fold_into_leaves>>,
           "adds sums after trees to their leaves, so that they cost no noise", kNetwork},
      Pass{"batch-products", network, network, kOnSlots<on_network<passes::batch_products>>,
           "multiplies side by side what is multiplied one by one", kNetwork},
      Pass{"apply-sharding", network, network, kOnSlots<passes::apply_sharding>,
           "gives annotated shardings to the operands of nodes", kNothing, "parameters"},
      Pass{"propagate-sharding", network, network, kOnSlots<elsewhere>,
           "offers what follows from annotated shardings to operators around them", told("values with blocks, and why"),
           nullptr, "apply-sharding"},
      Pass{"optimise-sharding", network, network, kOnSlots<passes::optimise_annotations>,
           "composes reshards with the linear maps around them",
           told("reshards that were composed, and those that stay")},
      Pass{"isolate-functions", network, network, kOnSlots<on_network<passes::isolate_function_inputs>>,
           "gives every function a linear operator of its own, which can change units", kNetwork, "parameters"},
      Pass{"split-inputs", network, network, kOnIntegers<quant::split_inputs>,
           "gives trees inputs of their own, if sums or tables read the same", kNetwork, "parameters"},
      Pass{"set-rows-aside", network, network, kOnIntegers<quant::set_far_rows_aside>,
           "leaves out calibration rows that are far from all others", told("the rows that are far from all others"),
           "calibrate"},
      Pass{"write-out-products", network, network, kOnIntegers<quant::write_out_products_of_two>,
           "replaces products of two values by squares of sums", kNetwork, "parameters"},
      Pass{"join-sums", network, network, kOnIntegers<on_network<quant::join_sums>>,
           "computes small sums where other sums read them, so that noise grows less", kNetwork},
      Pass{"calibrate", network, network, kEach<passes::calibrate_values, quant::find_ranges>,
           "finds the ranges of values and the intervals of functions", kNetwork, "parameters"},

      // On slots: units and series of functions.
      Pass{"centre-functions", network, network, kOnSlots<on_network<passes::centre_functions>>,
           "moves the interval of an even or odd function around 0, where its series takes fewer products", kNetwork,
           "degrees"},
      Pass{"input-units", network, network, kOnSlots<on_network<passes::with_input_units>>,
           "brings every element of an input to nearly the same range", kNetwork, "parameters"},
      Pass{"stretch", network, network, kOnSlots<on_network<passes::with_stretched_elements>>,
           "gives every element of a function that scales (Relu) an interval of its own", kNetwork},
      Pass{"measure", network, network, kOnSlots<passes::measure_inputs>,
           "notes how the inputs of functions are spread, and how far outputs may move", kNothing, "degrees"},
      Pass{"degrees", network, network, kOnSlots<passes::fit_series>,
           "fits a series of the lowest degree that keeps the answers of the samples to every function",
           told("the degree of every function, and why"), "parameters"},
      Pass{"sharper-degrees", network, network, kOnSlots<passes::fit_finer_series>,
           "tries a level more in every series of a network that bootstraps",
           told("the finer series, their price, and whether they were taken")},
      Pass{"bound-values", network, network, kOnSlots<passes::bound_values>,
           "bounds values by intervals if there are no samples", kNothing, "check-magnitudes"},

      // On integers: features of trees.
      Pass{"narrow-features", network, network, kOnIntegers<quant::narrow_features>,
           "lets a hundredth of the samples lie beyond either end of a feature that trees read",
           told("features with other ends")},

      // The program with its parameters.
      Pass{"search", network, program, kEach<passes::search_programs, quant::search_programs>,
           "tries parameter sets, and programs on each of them",
           told("every candidate, with its price or with what it lacks"), "parameters"},
      Pass{"batch", network, program, kOnSlots<elsewhere>, "chooses how many inputs one run takes, for --batch auto",
           kNothing, "search", "search"},
      Pass{"coarser-degrees", network, network, kOnSlots<elsewhere>,
           "lowers the highest degrees by a level, if no set is deep enough", kNothing, "search", "search"},
      Pass{"tight-grids", network, network, kOnSlots<elsewhere>,
           "lays feature maps without guards around them, and reads slices", kNothing, nullptr, "search"},
      Pass{"guarded-grids", network, network, kOnSlots<elsewhere>,
           "lays feature maps with free rows and columns around them", kNothing, nullptr, "search"},
      Pass{"place-by-price", network, network, kOnSlots<elsewhere>,
           "refreshes values before levels run out where that is cheaper", told("the latest and an earlier placement"),
           nullptr, "search"},
      Pass{"bootstraps", network, network, kOnSlots<elsewhere>, "refreshes values whose levels run out",
           told("the network with refreshed values"), "search", "search"},
      Pass{"layouts", network, program, kOnSlots<elsewhere>, "chooses the layout of every value",
           told("every value's candidates with their prices, the chosen one with a star"), "search", "search"},
      Pass{"sharding-prices", network, program, kOnSlots<elsewhere>,
           "compares the layouts of annotated values and of values with offers", told("their candidates, with prices"),
           "search", "search"},
      Pass{"less-memory", program, program, kOnSlots<elsewhere>,
           "shares rotation keys and repeats weights where that costs little time", kNothing, nullptr, "search"},
      Pass{"small-questions", program, program, kOnSlots<elsewhere>,
           "has the client send one copy of inputs that the layout repeats", kNothing, nullptr, "search"},
      Pass{"lower-bootstraps", program, program, kOnSlots<elsewhere>,
           "ends bootstraps at the level that what follows needs", kNothing, nullptr, "search"},
      Pass{"pair-bootstraps", program, program, kOnSlots<elsewhere>, "bootstraps two values together", kNothing,
           nullptr, "search"},
      Pass{"price-degrees", program, program, kOnSlots<passes::price_finer_series>,
           "takes the finer series if the answers that they keep are worth their time", kNothing, "parameters"},
      Pass{"parameters", program, program, kEach<passes::take_parameters, quant::take_parameters>,
           "takes the cheapest parameters, or refuses the network with what it lacks", told("the chosen set"),
           "program"},
      Pass{"program", program, program, kEach<passes::take_program, quant::take_program>, "takes the cheapest program",
           told("the program"), "client"},
      Pass{"sharding", program, program, kOnSlots<elsewhere>, "describes the sharding of every node",
           told("annotations that give the same program"), "program", "program"},
      Pass{"check-magnitudes", program, program, kOnSlots<passes::check_program>,
           "refuses values that overflow or drown in noise", kNothing, "client"},

      // The model with all that its client needs.
      Pass{"client", program, model, kEach<passes::describe_to_client, quant::describe_to_client>,
           "states how the client packs, checks and reads", kNothing, "guards"},
      Pass{"check-whole", model, model, kOnIntegers<quant::check_whole_outputs>,
           "refuses results of integers that would be other integers", kNothing, "guards"},
      Pass{"meanings", model, model, kOnSlots<passes::find_meanings>,
           "finds the tensor of the model that every value of the program holds", kNothing, "validate"},
      Pass{"guards", model, model, kEach<passes::settle_client, quant::settle_client>,
           "states how far decrypted tensors may be from the exact ones", kNothing, "decrypt"},
      Pass{"neighbour-rates", model, model, kOnIntegers<quant::predict_neighbours>,
           "predicts how often a lookup reads the next box", told("the share of every lookup that rounds"), "plan"},
  };
  return kPasses;
}

namespace {

const char* scheme_of(Target target) { return target == Target::slots ? "ckks" : "tfhe"; }
const char* kind_of(Target target) { return target == Target::slots ? "slots" : "integers"; }
Target other(Target target) { return target == Target::slots ? Target::integers : Target::slots; }

std::vector<std::string> names_of(Target target, bool (*wanted)(const Pass&)) {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes())
    if (pass.is_for(target) && wanted(pass)) names.emplace_back(pass.name);
  return names;
}

/// Returns the pass of this name. Throws InputError if the target has none; `possible` are the names that `option`
/// takes.
const Pass& pass_for(const std::string& name, Target target, const char* option,
                     const std::vector<std::string>& possible) {
  const auto found = std::ranges::find(all_passes(), std::string_view(name), &Pass::name);
  if (found == all_passes().end())
    base::refuse("there is no pass '{}' ({}); possible names: {}", name, option, fmt::join(possible, ", "));
  if (!found->is_for(target))
    base::refuse("networks on {} have no pass '{}' ({}), which belongs to --scheme {}; possible names: {}",
                 kind_of(target), name, option, scheme_of(other(target)), fmt::join(possible, ", "));
  return *found;
}

template <class Made>
void run_rows(Made& draft, void (*PassFunctions::*of_target)(Made&)) {
  for (const Pass& pass : all_passes()) {
    const auto function = pass.run.*of_target;
    if (!function || pass.within || !draft.control.runs(pass.name)) continue;
    function(draft);
    if (pass.shows.text) draft.control.tell(pass.name, [&] { return pass.shows.text(draft); });
  }
}

}  // namespace

std::string to_text(Form form) {
  switch (form) {
    case Form::file: return "file";
    case Form::graph: return "graph";
    case Form::encrypted: return "encrypted graph";
    case Form::recognised: return "recognised graph";
    case Form::network: return "network";
    case Form::program: return "priced program";
    case Form::model: break;
  }
  return "compiled model";
}

std::vector<std::string> optional_passes(Target target) {
  return names_of(target, [](const Pass& pass) { return pass.is_optional(); });
}

std::vector<std::string> explained_passes(Target target) {
  return names_of(target, [](const Pass& pass) { return pass.shows.what != nullptr; });
}

void check(const PassControl& control, Target target) {
  const std::vector<std::string> optional = optional_passes(target), explained = explained_passes(target);
  for (const std::string& name : control.skipped) {
    const Pass& pass = pass_for(name, target, "--passes", optional);
    if (!pass.is_optional())
      base::refuse("pass '{}' cannot be left out (--passes), because '{}' needs it; possible names: {}", name,
                   pass.needed_by, fmt::join(optional, ", "));
  }
  for (const std::string& name : control.explained)
    if (!pass_for(name, target, "--explain", explained).shows.what)
      base::refuse("pass '{}' has nothing to show (--explain); possible names: {}", name, fmt::join(explained, ", "));
}

PassControl for_target(PassControl control, Target target) {
  const auto absent = [&](const std::string& name) {
    return std::ranges::none_of(all_passes(),
                                [&](const Pass& pass) { return pass.name == name && pass.is_for(target); });
  };
  std::erase_if(control.skipped, absent);
  if (std::erase_if(control.explained, absent) > 0 && control.explained.empty()) control.explain = {};
  return control;
}

void run_passes(passes::SlotsDraft& draft) { run_rows(draft, &PassFunctions::on_slots); }
void run_passes(quant::IntegersDraft& draft) { run_rows(draft, &PassFunctions::on_integers); }

}  // namespace tacit::graph
