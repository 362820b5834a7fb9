#include "graph/quant/choose_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"
#include "params/tfhe_solver.h"
#include "program/integers/bootstraps.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"

namespace tacit::graph::quant {
namespace {

/// Returns the step of the value that an output reads, by the output's position.
int finest_step(const Quantised& quantised, std::size_t index) {
  for (const integers::Instruction& made : quantised.program.instructions)
    if (const auto* output = std::get_if<integers::Output>(&made.operation); output != nullptr && index-- == 0)
      return quantised.program.value(output->input).step;
  throw base::InternalError("a program has fewer outputs than are asked for");
}

/// Returns the first output of which noise may turn a whole number into another one, or none.
std::optional<base::Infeasible> unclear_result(const Quantised& quantised, std::vector<params::LookupRequirement> asked,
                                               const params::TfheParameters& parameters) {
  std::erase_if(asked, [](const params::LookupRequirement& r) { return !r.decrypted; });
  for (std::size_t output = 0; output < asked.size(); ++output) {
    if (output >= quantised.whole_outputs.size() || !quantised.whole_outputs[output]) continue;
    params::LookupRequirement& r = asked[output];
    const int bits = r.bits;
    while (r.bits > 0 && params::log2_failure(parameters.shape(), r) > r.log2_failure) --r.bits;
    if (r.bits == bits) continue;
    const integers::ClientOutput& client = quantised.client.outputs.at(output);
    const double most = std::ldexp(1.0, r.bits - 1);
    return base::Infeasible{
        .what = fmt::format("output '{}' holds whole numbers from {:.6g} to {:.6g}", client.name,
                            client.quantiser.offset[0],
                            client.quantiser.offset[0] + static_cast<double>(client.quantiser.highest)),
        .bound = fmt::format("noise leaves {:.3g} of them apart", most),
        .way_out = fmt::format("use smaller integers (a range of {:.3g} fits), take them apart into digits, or use "
                               "floating-point numbers, whose results are rounded",
                               most),
        .lack = base::Infeasible::Lack::noise};
  }
  return std::nullopt;
}

/// Returns the cheapest set, or the user's. Results get as many bits as its noise leaves.
base::Feasible<params::TfheLiteral> choose_parameters(Quantised& quantised, double log2_failure,
                                                      const std::optional<params::TfheLiteral>& fixed) {
  std::vector<params::LookupRequirement> asked = integers::requirements(quantised.program, log2_failure);
  params::TfheLiteral literal;
  if (fixed) {
    literal = *fixed;
  } else if (integers::lookups(quantised.program) == 0) {
    literal = params::sums_literal(log2_failure);
  } else {
    base::Feasible<params::TfheLiteral> solved = params::try_solve(asked);
    if (!solved) return solved;
    literal = *std::move(solved);
  }
  const params::TfheParameters parameters = params::TfheParameters::check(literal);
  if (auto unclear = unclear_result(quantised, asked, parameters)) return *std::move(unclear);
  if (auto broken = integers::why_not_held(quantised.program, parameters)) return *std::move(broken);
  // Results keep the bits that the noise leaves, with inputs under a public key. The noise does not depend on where
  // they are cut off.
  const params::LookupShape shape = params::with_public_inputs(parameters.shape());
  std::erase_if(asked, [](const params::LookupRequirement& r) { return !r.decrypted; });
  for (std::size_t output = 0; output < asked.size(); ++output) {
    params::LookupRequirement& r = asked[output];
    const int least_bits = r.bits;
    r.bits = integers::kMessageBits - finest_step(quantised, output);
    while (r.bits > least_bits && params::log2_failure(shape, r) > r.log2_failure) --r.bits;
    round_output(quantised, output, integers::kMessageBits - r.bits);
  }
  return literal;
}

/// Takes a bit from every output that drops bits and has more than kLeastOutputBits. Returns false if there is none.
bool take_output_bits(Quantised& quantised) {
  bool taken = false;
  std::size_t index = 0;
  for (const integers::Instruction& made : quantised.program.instructions) {
    const auto* output = std::get_if<integers::Output>(&made.operation);
    if (output == nullptr) continue;
    const int step = made.step, bits = integers::kMessageBits - step;
    const bool drops = step > quantised.program.value(output->input).step;
    if (drops && bits > kLeastOutputBits) {
      round_output(quantised, index, step + 1);
      taken = true;
    }
    ++index;
  }
  return taken;
}

/// Returns the parameters. Results get fewer bits if no set satisfies the wanted number.
base::Feasible<params::TfheLiteral> parameters_for(Quantised& quantised, double log2_failure,
                                                   const std::optional<params::TfheLiteral>& fixed) {
  for (;;) {
    base::Feasible<params::TfheLiteral> found = choose_parameters(quantised, log2_failure, fixed);
    if (found || !take_output_bits(quantised)) return found;
  }
}

/// Returns log2 of the most tables that read one argument, up to which more sharing may pay. A set for twice the tables
/// takes nearly twice the time. If its ring is larger than its tables need, it takes little more.
int most_log_tables(const integers::Program& program) {
  constexpr int kMost = 4;
  integers::Program shared = program;
  shared.log_tables = kMost;
  return std::ranges::max(integers::log_rooms(shared));
}

/// Returns the modelled seconds of the bootstraps of one run.
double seconds(const integers::Program& program, const params::TfheLiteral& literal) {
  return static_cast<double>(integers::bootstraps(program)) * params::lookup_cost(literal).total();
}

}  // namespace

base::Feasible<Chosen> cheapest(const Precision& precision, const std::function<Quantised(const Precision&)>& quantised,
                                double log2_failure, const std::optional<params::TfheLiteral>& fixed,
                                const PassControl& control) {
  std::optional<Chosen> best;
  std::optional<base::Infeasible> problem;  // of the tables that the user asked for
  double least = 0;
  const auto tell = [&](int bits, int log_tables, const std::string& verdict) {
    control.tell("search", [&] {
      return fmt::format("tables of {} bits, {} per bootstrap: {}\n", bits, 1 << log_tables, verdict);
    });
  };
  const auto lacks = [&](int bits, int log_tables, const base::Infeasible& why) {
    tell(bits, log_tables, why.reason());
    if (!problem) problem = why;
  };
  Precision wider = precision;
  for (bool rounds = true; rounds && wider.bits <= kMostBits; ++wider.bits) {
    const Quantised made = quantised(wider);
    integers::verify(made.program);
    if (const std::optional<std::string> excess = integers::size_excess(made.program)) {
      lacks(wider.bits, 0,
            {.what = "the network is larger than programs on integers may be: " + *excess +
                     "; --scheme ckks takes larger ones, or make it smaller"});
      break;
    }
    rounds = program::count_of<integers::Round>(made.program.instructions) > 0;
    for (int log_tables = 0; log_tables <= most_log_tables(made.program); ++log_tables) {
      Chosen next{made, {}};
      next.quantised.program.log_tables = log_tables;
      base::Feasible<params::TfheLiteral> parameters = parameters_for(next.quantised, log2_failure, fixed);
      if (!parameters) {
        lacks(wider.bits, log_tables, parameters.problem());
        continue;
      }
      next.parameters = *std::move(parameters);
      const double cost = seconds(next.quantised.program, next.parameters);
      const bool better = !best || cost < least;
      tell(wider.bits, log_tables,
           fmt::format("set {}, {:.4g} s: {}", next.parameters.name, cost, better ? "the cheapest so far" : "dearer"));
      if (!better) continue;
      best = std::move(next);
      least = cost;
    }
  }
  if (!best) return *std::move(problem);
  return *std::move(best);
}

}  // namespace tacit::graph::quant
