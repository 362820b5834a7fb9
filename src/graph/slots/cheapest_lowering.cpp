#include "graph/slots/cheapest_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "graph/slots/choose_parameters.h"
#include "graph/slots/row_slices.h"
#include "graph/slots/sharded_layouts.h"
#include "program/slots/levels.h"

namespace tacit::graph::passes {
namespace {

// Bits of the first prime above the scale. The first number is for outputs with a known bound, which is folded into the
// weights. The second is for outputs of a network without calibration data, up to 2^13.
constexpr int kHeadroomBits = 10, kUncalibratedHeadroomBits = 16;

// The largest scale of primes below 2^50, with one bit spare for the search of primes. Sets with more bits of scale
// than usual are for results whose precision is asked for.
constexpr int kLargestScaleBits = 49, kLargestUsualScaleBits = 40;

// The slots of a ciphertext of the largest ring.
constexpr layout::Index kMostSlots = layout::Index{1} << (kLargestLogN - 1);

bool one_ciphertext_each(const slots::Program& program) {
  return std::all_of(program.instructions.begin(), program.instructions.end(),
                     [](const slots::Instruction& instruction) { return instruction.layout.ciphertexts() == 1; });
}

int headroom_bits(const CompileOptions& options) {
  return options.calibrated() ? kHeadroomBits : kUncalibratedHeadroomBits;
}

// Returns the needs for sets without bootstraps.
ParameterNeeds parameter_needs(const Network& network, const CompileOptions& options, int output_level) {
  ParameterNeeds needs{depth_of(network) + output_level, has_functions(network), headroom_bits(options)};
  if ((options.flooded() || options.precision) && output_level > 0) {
    needs.output_headroom_bits = 1;  // outputs have two primes to themselves
    needs.largest_scale_bits = kLargestScaleBits;
  }
  return needs;
}

class LoweringChooser {
 public:
  LoweringChooser(const Network& network, const CompileOptions& options, const ProgramNames& names,
                  const std::optional<NoiseLimits>& limits, int output_level, PlannedMaps* shared)
      : network_(network),
        options_(options),
        names_(names),
        lowering_(network, names, options.costs, shared, options.passes),
        limits_(limits),
        output_level_(output_level),
        budget_(static_cast<double>(options.memory.available())) {}

  base::Feasible<Lowered> run(base::Progress& progress) {
    progress.begin("choose parameters and layouts", 0);
    std::optional<base::Infeasible> lacking = search(progress);
    if (best_ && options_.passes.runs("less-memory")) prefer_less_memory();
    progress.end();
    if (best_) return *std::move(best_);
    if (lacking) return *std::move(lacking);
    return base::Infeasible{
        .what = options_.memory.shortfall(fmt::format("keys, weights and ciphertexts of model '{}' need", names_.model),
                                          least_memory_),
        .lack = base::Infeasible::Lack::memory};
  }

 private:
  // A program may take 2^0.1 times the time if it takes half of the memory: 7 %.
  static constexpr double kTimeForMemory = 0.1;

  using Problem = std::optional<base::Infeasible>;

  // Considers the sets. Returns the problem if none can be lowered to, whatever the memory.
  Problem search(base::Progress& progress) {
    require_blocks_fit(network_, options_.parameters ? slots_of(*options_.parameters) : kMostSlots);
    if (const auto& asked = options_.parameters) {
      if (asked->bootstrap) return consider_refreshing(*asked);
      if (has_tables(network_))
        return base::infeasible(
            "lookups in slots bootstrap, and parameter set '{}' is leveled; use S8, S11, S14 or S15", asked->name);
      return consider_leveled(*asked, [&](Lowered lowered) { consider(*asked, std::move(lowered)); });
    }
    if (has_tables(network_)) {
      if (!options_.calibrated())
        return base::infeasible(
            "lookups in slots need the ranges of results, and there is no calibration data: give rows of the training "
            "set (--calibrate FILE.npy)");
      return consider_bootstraps();
    }
    const ParameterNeeds needs = parameter_needs(network_, options_, output_level_);
    bool next_ring = false;  // true if one ring more than needed is considered
    for (int log_n = kSmallestLogN; log_n <= kLargestLogN; ++log_n) {
      consider_ring(log_n, needs);
      progress.advance();
      if (!best_ || !last_) continue;
      if (next_ring || !has_many_digits(best_->literal)) break;
      next_ring = true;
    }
    // At the largest ring, levels for a whole network may cost more than bootstraps, and always take more memory. A
    // precise set that bootstraps may be quieter than every leveled one.
    Problem refreshing;
    const bool leveled = best_ || (most_precise_ && !noise_is_asked());
    if (!leveled || (best_ && best_->literal.log_n == kLargestLogN)) refreshing = consider_bootstraps();
    if (!best_) best_ = std::move(most_precise_);  // none is as quiet as the samples ask for: the most precise one
    if (best_ || std::isfinite(least_memory_)) return std::nullopt;
    base::Infeasible problem = leveled_problem_.value_or(too_deep(needs));
    if (!refreshing) return problem;
    return base::Infeasible{.what = fmt::format("{}. With bootstraps, {}", problem.sentence(), refreshing->sentence()),
                            .lack = problem.lack};
  }

  // True if key switches in a ring of twice the degree may take less time. With L primes in d digits a key switch takes
  // about (d + 1) (L + L / d) transforms. One digit in the larger ring takes as much as 8 L of them.
  static bool has_many_digits(const params::CkksLiteral& literal) {
    const std::size_t primes = literal.q_bits.size(), special = literal.p_bits.size();
    const std::size_t digits = (primes + special - 1) / special;
    return (digits + 1) * (digits + 1) > 8 * digits;
  }

  void consider_ring(int log_n, const ParameterNeeds& needs) {
    if (const auto why = why_blocks_do_not_fit(network_, layout::Index{1} << (log_n - 1)))
      return tell(fmt::format("N = 2^{}", log_n), why->reason());
    if (limits_) consider_trades(log_n, needs);
    if (const auto literal = literal_for(log_n, needs))
      consider_precise(*literal);
    else
      tell(fmt::format("N = 2^{}", log_n), fmt::format("no leveled set has {} levels", needs.depth));
  }

  // Considers bootstraps, for a network whose calibrated ranges can bring values into [-1, 1]. They replace a leveled
  // set if they are cheaper and their noise is within the limits. Returns the problem of the set with the most levels
  // after a bootstrap, if it has one.
  Problem consider_bootstraps() {
    if (options_.owners) {
      tell("sets that bootstrap", "their keys are of one owner");
      return base::Infeasible{.what = "keys would have to be of one owner (no --owners)"};
    }
    if (!options_.calibrated()) {
      tell("sets that bootstrap", "they need calibration data, by which values are brought into [-1, 1]");
      return std::nullopt;
    }
    std::optional<Lowered> leveled = std::exchange(best_, std::nullopt);
    Problem problem;
    std::vector<params::CkksLiteral> precise;
    for (const std::string& name : params::bootstrapping_literals()) {
      params::CkksLiteral literal = params::named_literal(name);
      if (literal.log_scale > kLargestUsualScaleBits)
        precise.push_back(std::move(literal));
      else if (Problem of_set = consider_refreshing(literal))
        problem = std::move(of_set);
    }
    if (!best_ && noise_is_asked())
      for (const params::CkksLiteral& literal : precise) consider_refreshing(literal);
    if (best_) drop_spare_levels();
    if (leveled && !(best_ && seconds(*best_) < seconds(*leveled) && (!limits_ || quiet(*best_))))
      best_ = std::move(leveled);
    return problem;
  }

  // On a grid, linear maps between feature maps are many times smaller, and take one level more. A tight grid has fewer
  // ciphertexts than a guarded one, and larger weights. Large maps need a grid.
  // Returns the problem if the network cannot be lowered to the set.
  Problem consider_refreshing(const params::CkksLiteral& literal) {
    const auto slots = slots_of(literal);
    bool possible = false;
    Problem problem;
    for (const GridKind kind : grid_kinds()) {
      if (!feature_grid(network_, slots, kind)) continue;
      base::Feasible<Lowered> lowered = lower(literal, kind);
      if (!lowered) {
        problem = lowered.problem();
        continue;
      }
      possible = true;
      if (consider_quiet(literal, *std::move(lowered)) && covers_all_rows(network_)) return std::nullopt;
    }
    if (possible) return std::nullopt;
    if (problem && has_large_maps(slots)) return problem;
    base::Feasible<Lowered> lowered = lower(literal);
    if (!lowered) return lowered.problem();
    consider_quiet(literal, *std::move(lowered));
    return std::nullopt;
  }

  // True if the noise of outputs is asked for, and not only what the answers of samples allow.
  bool noise_is_asked() const { return limits_ && (options_.sharing || options_.precision); }

  // Considers a lowering. If its noise is asked for, and larger, keeps the quietest for later. Returns true if it fits
  // the memory.
  bool consider_quiet(const params::CkksLiteral& literal, Lowered lowered) {
    const double noise = !noise_is_asked() || is_dearer(lowered) ? 0 : excess(*limits_, network_, lowered);
    if (noise <= 1) return consider(literal, std::move(lowered));
    const bool within = affordable(lowered);
    const bool quietest = within && noise < least_excess_;
    tell(lowered, quietest ? "noisier than asked, and the quietest so far" : "noisier than asked");
    if (quietest) keep_for_later(std::move(lowered), noise);
    return within;
  }

  // Keeps the quietest lowering, in case that none is quiet enough.
  void keep_for_later(Lowered lowered, double noise) {
    most_precise_ = std::move(lowered);
    least_excess_ = noise;
  }

  // Without bootstraps, feature maps that fill most of a ciphertext are on grids. Elsewhere their weights do not
  // repeat, and the stride of a window splits larger maps. Smaller maps have separate layouts, with copies. Returns the
  // problem if the network cannot be lowered to the set.
  Problem consider_leveled(const params::CkksLiteral& literal, const std::function<void(Lowered)>& body) {
    const auto slots = slots_of(literal);
    std::vector<GridKind> kinds;
    if (has_large_maps(slots))
      std::ranges::copy_if(grid_kinds(), std::back_inserter(kinds),
                           [&](GridKind kind) { return feature_grid(network_, slots, kind).has_value(); });
    if (kinds.empty()) kinds.push_back(GridKind::none);
    bool possible = false;
    Problem problem;
    for (const GridKind kind : kinds) {
      base::Feasible<Lowered> lowered = lower(literal, kind);
      if (lowered) {
        possible = true;
        body(*std::move(lowered));
      } else {
        problem = lowered.problem();
      }
    }
    if (possible) return std::nullopt;
    leveled_problem_ = problem;
    return problem;
  }

  bool has_large_maps(layout::Index slots) const {
    return std::ranges::any_of(network_.values, [&](const Value& value) {
      return is_feature_map(value.shape) && 2 * layout::element_count(value.shape) > slots;
    });
  }

  std::vector<GridKind> grid_kinds() const {
    std::vector<GridKind> kinds;
    if (options_.passes.runs("tight-grids")) kinds.push_back(GridKind::tight);
    if (options_.passes.runs("guarded-grids")) kinds.push_back(GridKind::guarded);
    return kinds;
  }

  // Reports a candidate with its verdict, if someone listens.
  void tell(const std::string& candidate, const std::string& verdict) const {
    options_.passes.tell("search", [&] { return fmt::format("{}: {}\n", candidate, verdict); });
  }
  void tell(const Lowered& lowered, const char* verdict) const {
    tell(name_of(lowered.literal, lowered.grid),
         fmt::format("{:.4g} s, {:.3g} GB: {}", seconds(lowered), lowered.cost.memory.peak() / 1e9, verdict));
  }

  static std::string name_of(const params::CkksLiteral& literal, GridKind kind) {
    return fmt::format("{} (N = 2^{}, {} levels){}", literal.name, literal.log_n, literal.q_bits.size() - 1,
                       to_text(kind));
  }

  static layout::Index slots_of(const params::CkksLiteral& literal) {
    return layout::Index{1} << (literal.log_n - (literal.real_slots ? 0 : 1));
  }

  // Drops message levels of the set that nothing reaches, because they make its keys and its modulus larger. The latest
  // placement of bootstraps may need levels that an early one does not need. Then the whole set stays.
  void drop_spare_levels() {
    const params::CkksLiteral literal = best_->literal;
    const int reached = slots::message_levels_needed(best_->program);
    const params::BootstrapChain chain = params::chain_of(literal);
    if (reached >= chain.output || reached <= chain.input) return;
    std::optional<Lowered> whole = std::exchange(best_, std::nullopt);
    const params::CkksLiteral fewer = params::with_output_level(literal, reached);
    if (base::Feasible<Lowered> lowered = lower(fewer, whole->grid)) consider(fewer, *std::move(lowered));
    if (!best_) best_ = std::move(whole);
  }

  // Prefers rotations that share keys, and weights that repeat, if they save much memory for little time. Keys and
  // weights are made, held and read from memory.
  void prefer_less_memory() {
    constexpr double kPrice = params::kKeySecondsPerByte;
    for (const BytePrices bytes : {BytePrices{kPrice, kPrice}, BytePrices{8 * kPrice, kPrice}}) {
      base::Feasible<Lowered> lowered = lower(best_->literal, best_->grid, bytes);
      if (!lowered || !affordable(*lowered)) continue;
      const double saved = best_->cost.memory.peak() / lowered->cost.memory.peak();
      const bool better = saved > 1 && seconds(*lowered) <= std::pow(saved, kTimeForMemory) * seconds(*best_) &&
                          (!noise_is_asked() || quiet(*lowered));
      tell(*lowered, better      ? "taken for its memory"
                     : saved > 1 ? "the memory saved is not worth the time"
                                 : "saves no memory");
      if (better) best_ = *std::move(lowered);
    }
  }

  // Takes the first of the cheap sets whose noise is within the limits. A scale that fails rules out smaller scales.
  void consider_trades(int log_n, const ParameterNeeds& needs) {
    int too_small = 0;
    for (const params::CkksLiteral& literal : trading_literals(log_n, needs)) {
      if (literal.log_scale <= too_small) continue;
      bool any = false;
      consider_leveled(literal, [&](Lowered lowered) {
        if (!is_dearer(lowered) && !quiet(lowered)) return tell(lowered, "noisier than the answers allow");
        any = true;
        consider(literal, std::move(lowered));
      });
      if (any) return;
      too_small = literal.log_scale;
    }
  }

  // Takes a set with the largest scale of its ring if its noise is within the limits. Otherwise keeps it for later.
  void consider_precise(const params::CkksLiteral& literal) {
    consider_leveled(literal, [&](Lowered lowered) {
      const double noise = !limits_ || is_dearer(lowered) ? 0 : excess(*limits_, network_, lowered);
      if (noise <= 1) {
        consider(literal, std::move(lowered));
      } else if (affordable(lowered) && (!most_precise_ || literal.log_scale > most_precise_->literal.log_scale)) {
        tell(lowered, "noisier than the answers allow, and the most precise so far");
        keep_for_later(std::move(lowered), noise);
      }
    });
  }

  // True if a set cannot replace the best one, however quiet it is. Its noise is not simulated.
  bool is_dearer(const Lowered& lowered) const {
    return best_ && lowered.cost.memory.peak() <= budget_ && seconds(lowered) >= seconds(*best_);
  }

  bool quiet(const Lowered& lowered) const { return excess(*limits_, network_, lowered) <= 1; }

  base::Feasible<Lowered> lower(const params::CkksLiteral& literal, GridKind kind = GridKind::none,
                                BytePrices bytes = {}) {
    params::CkksLiteral set = literal;
    if (options_.owners) set.parts = static_cast<int>(options_.owners->parts.parts());
    base::Feasible<Lowered> lowered = lowering_.lower(set, bytes, output_level_, kind);
    if (!lowered) tell(name_of(literal, kind), lowered.problem().reason());
    return lowered;
  }

  // Tries the set with fewer keys if its keys do not fit the budget. Returns true if it then fits.
  bool consider(const params::CkksLiteral& literal, Lowered lowered) {
    const GridKind kind = lowered.grid;
    last_ = one_ciphertext_each(lowered.program);
    for (const double times : {8, 64}) {
      if (lowered.cost.memory.peak() <= budget_) break;
      const double price = times * params::kKeySecondsPerByte;
      if (base::Feasible<Lowered> less = lower(literal, kind, {price, price})) lowered = *std::move(less);
    }
    const bool within = affordable(lowered);
    const bool better = within && (!best_ || seconds(lowered) < seconds(*best_));
    tell(lowered, !within ? "more than the memory budget" : better ? "the cheapest so far" : "dearer");
    if (better) best_ = std::move(lowered);
    return within;
  }

  bool affordable(const Lowered& lowered) {
    least_memory_ = std::min(least_memory_, lowered.cost.memory.least());
    return lowered.cost.memory.least() <= budget_;
  }

  // Returns the seconds of a run, including the weights that the budget has no room to keep encoded.
  double seconds(const Lowered& lowered) const {
    return lowered.cost.seconds + slots::encoded_anew(lowered.cost, budget_).seconds;
  }

  const Network& network_;
  const CompileOptions& options_;
  const ProgramNames& names_;
  Lowering lowering_;
  const std::optional<NoiseLimits>& limits_;
  int output_level_;
  double budget_;
  std::optional<Lowered> best_, most_precise_;
  double least_excess_ = std::numeric_limits<double>::infinity();  // of the most precise one
  std::optional<base::Infeasible> leveled_problem_;  // of the latest leveled set that cannot be lowered to
  bool last_ = false;                                // the latest set holds every tensor in one ciphertext
  double least_memory_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool has_tables(const Network& network) { return program::count_of<Tabulated>(network.values) > 0; }

double excess(const NoiseLimits& limits, const Network& network, const Lowered& lowered) {
  const std::vector<double> noise = limits.noise->of(lowered);
  double worst = 0;
  for (std::size_t o = 0; o < noise.size(); ++o) {
    const double limit = limits.deviations[o] * lowered.normalised.factors[network.outputs[o]];
    if (!(noise[o] <= limit)) worst = std::max(worst, std::isnan(noise[o]) || limit == 0 ? INFINITY : noise[o] / limit);
  }
  return worst;
}

bool has_functions(const Network& network) { return program::count_of<Function>(network.values) > 0; }

bool is_leveled(const Network& network, const CompileOptions& options) {
  const int depth = depth_of(network) + 1;
  if (options.parameters) return static_cast<int>(options.parameters->q_bits.size()) > depth;
  return literal_for(kLargestLogN, {depth, false, headroom_bits(options)}).has_value();
}

base::Feasible<Lowered> cheapest_lowering(const Network& network, const CompileOptions& options,
                                          const ProgramNames& names, const std::optional<NoiseLimits>& limits,
                                          int output_level, base::Progress& progress, PlannedMaps* shared) {
  return LoweringChooser(network, options, names, limits, output_level, shared).run(progress);
}

}  // namespace tacit::graph::passes
