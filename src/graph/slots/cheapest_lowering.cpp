#include "graph/slots/cheapest_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "graph/slots/choose_parameters.h"
#include "graph/slots/row_slices.h"
#include "graph/slots/sharded_layouts.h"
#include "graph/slots/too_deep.h"
#include "program/slots/levels.h"

namespace tacit::graph::passes {
namespace {

// Bits of the first prime above the scale. The first number is for outputs with a known bound, which is folded into the
// weights. The second is for outputs of a network without calibration data, up to 2^13.
constexpr int kHeadroomBits = 10, kUncalibratedHeadroomBits = 16;

// The largest scale of primes below 2^50, with one bit spare for the search of primes.
constexpr int kLargestScaleBits = 49;

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
  if (options.sharing && output_level > 0) {
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

  Lowered run(base::Progress& progress) {
    progress.begin("choose parameters and layouts", 0);
    const ParameterNeeds needs = parameter_needs(network_, options_, output_level_);
    require_blocks_fit(network_, options_.parameters ? slots_of(*options_.parameters) : kMostSlots);
    if (options_.parameters && options_.parameters->bootstrap) {
      consider_refreshing(*options_.parameters);
    } else if (options_.parameters) {
      consider_leveled(*options_.parameters,
                       [&](Lowered lowered) { consider(*options_.parameters, std::move(lowered)); });
    } else {
      for (int log_n = kSmallestLogN; log_n <= kLargestLogN && !(best_ && last_); ++log_n) {
        if (!blocks_fit(network_, layout::Index{1} << (log_n - 1))) continue;
        if (limits_) consider_trades(log_n, needs);
        if (const auto literal = literal_for(log_n, needs)) consider_precise(*literal);
        progress.advance();
      }
      // At the largest ring, levels for a whole network may cost more than bootstraps, and always take more memory.
      if (best_ && best_->literal.log_n == kLargestLogN) refreshable();
      if (!best_) best_ = std::move(most_precise_);  // none is as quiet as the samples ask for: the most precise one
      if (!best_ && !refreshable()) refuse_depth(needs);
    }
    if (best_ && best_->literal.bootstrap && options_.passes.runs("fewer-keys")) prefer_fewer_keys();
    progress.end();
    if (!best_)
      throw base::InputError(options_.memory.shortfall(
          fmt::format("keys, weights and ciphertexts of model '{}' need", names_.model), least_memory_));
    return *std::move(best_);
  }

 private:
  // Throws TooDeep with the reasons why neither a leveled set nor one with bootstraps is deep enough.
  void refuse_depth(const ParameterNeeds& needs) const {
    try {
      candidate_literals(needs);
    } catch (const base::InputError& error) {
      if (refreshing_refusal_.empty()) throw TooDeep(error.what());
      throw TooDeep(fmt::format("{}. With bootstraps, {}", error.what(), refreshing_refusal_));
    }
  }

  // Considers bootstraps, for a network whose calibrated ranges can bring values into [-1, 1]. They replace a leveled
  // set if they are cheaper and their noise is within the limits.
  bool refreshable() {
    if (!options_.calibrated()) return false;
    std::optional<Lowered> leveled = std::exchange(best_, std::nullopt);
    for (const std::string& name : params::bootstrapping_literals()) {
      try {
        consider_refreshing(params::named_literal(name));
      } catch (const base::InputError& error) {
        refreshing_refusal_ =
            error.what();  // refusal of the set with the most levels after a bootstrap, which is the last
        continue;
      }
    }
    if (best_) drop_spare_levels();
    if (leveled && !(best_ && seconds(*best_) < seconds(*leveled) && (!limits_ || quiet(*best_))))
      best_ = std::move(leveled);
    return best_.has_value() || std::isfinite(least_memory_);
  }

  // On a grid, linear maps between feature maps are many times smaller, and take one level more. A tight grid has fewer
  // ciphertexts than a guarded one, and larger weights. Large maps need a grid.
  void consider_refreshing(const params::CkksLiteral& literal) {
    const auto slots = slots_of(literal);
    bool possible = false;
    std::exception_ptr too_few_levels;
    for (const GridKind kind : grid_kinds()) try {
        if (!feature_grid(network_, slots, kind)) continue;
        const bool affordable = consider(literal, kind);
        possible = true;
        if (affordable && covers_all_rows(network_)) return;
      } catch (const base::InputError&) {
        too_few_levels = std::current_exception();
      }
    if (possible) return;
    if (too_few_levels && has_large_maps(slots)) std::rethrow_exception(too_few_levels);
    consider(literal);
  }

  // Without bootstraps, feature maps that fill most of a ciphertext are on grids. Elsewhere their weights do not
  // repeat, and the stride of a window splits larger maps. Smaller maps have separate layouts, with copies.
  void consider_leveled(const params::CkksLiteral& literal, const std::function<void(Lowered)>& body) {
    const auto slots = slots_of(literal);
    bool on_grid = false;
    if (has_large_maps(slots))
      for (const GridKind kind : grid_kinds()) {
        if (!feature_grid(network_, slots, kind)) continue;
        on_grid = true;
        body(lower(literal, kind));
      }
    if (!on_grid) body(lower(literal));
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

  // Reports a lowering that was tried, if someone listens.
  void tell(const Lowered& lowered, const char* verdict) const {
    options_.passes.tell("parameters", [&] {
      return fmt::format("{} (N = 2^{}, {} levels){}: {:.4g} s, {:.3g} GB: {}\n", lowered.literal.name,
                         lowered.literal.log_n, lowered.literal.q_bits.size() - 1, to_text(lowered.grid),
                         seconds(lowered), lowered.cost.memory.peak() / 1e9, verdict);
    });
  }

  static layout::Index slots_of(const params::CkksLiteral& literal) {
    return layout::Index{1} << (literal.log_n - (literal.real_slots ? 0 : 1));
  }

  // Drops message levels of the set that nothing reaches, because they make its keys and its modulus larger. The latest
  // placement of bootstraps may need levels that an early one does not need. Then the whole set stays.
  void drop_spare_levels() {
    const params::CkksLiteral literal = best_->literal;
    const int reached = slots::message_levels_needed(best_->program);
    if (reached >= params::chain_of(literal).output) return;
    std::optional<Lowered> whole = std::exchange(best_, std::nullopt);
    try {
      consider(params::with_output_level(literal, reached), whole->grid);
    } catch (const base::InputError&) {
      best_.reset();
    }
    if (!best_) best_ = std::move(whole);
  }

  // Prefers rotations that share keys if that costs little time, because keys are made, held and read from memory.
  void prefer_fewer_keys() {
    constexpr double kKeyPrice = 8, kMostSeconds = 1.03;
    Lowered lowered = lower(best_->literal, best_->grid, kKeyPrice);
    const bool better =
        seconds(lowered) <= kMostSeconds * seconds(*best_) && lowered.cost.memory.peak() < best_->cost.memory.peak();
    tell(lowered, better ? "taken for its fewer keys" : "fewer keys are not worth it");
    if (better) best_ = std::move(lowered);
  }

  // Takes the first of the cheap sets whose noise is within the limits. A scale that fails rules out smaller scales.
  void consider_trades(int log_n, const ParameterNeeds& needs) {
    int too_small = 0;
    for (const params::CkksLiteral& literal : trading_literals(log_n, needs)) {
      if (literal.log_scale <= too_small) continue;
      bool any = false;
      consider_leveled(literal, [&](Lowered lowered) {
        if (!quiet(lowered)) return tell(lowered, "noisier than the answers allow");
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
      if (!limits_ || quiet(lowered)) {
        consider(literal, std::move(lowered));
      } else if (affordable(lowered) && (!most_precise_ || literal.log_scale > most_precise_->literal.log_scale)) {
        tell(lowered, "noisier than the answers allow, and the most precise so far");
        most_precise_ = std::move(lowered);
      }
    });
  }

  bool quiet(const Lowered& lowered) const {
    const std::vector<double> noise = limits_->noise->of(lowered);
    for (std::size_t o = 0; o < noise.size(); ++o)
      if (!(noise[o] <= limits_->deviations[o] * lowered.normalised.factors[network_.outputs[o]])) return false;
    return true;
  }

  bool consider(const params::CkksLiteral& literal, GridKind kind = GridKind::none) {
    return consider(literal, lower(literal, kind));
  }

  Lowered lower(const params::CkksLiteral& literal, GridKind kind = GridKind::none, double key_price = 1) {
    return lowering_.lower(literal, key_price * params::kKeySecondsPerByte, output_level_, kind);
  }

  // Tries the set with fewer keys if its keys do not fit the budget. Returns true if it then fits.
  bool consider(const params::CkksLiteral& literal, Lowered lowered) {
    const GridKind kind = lowered.grid;
    last_ = one_ciphertext_each(lowered.program);
    for (double key_price = 8; key_price <= 64 && lowered.cost.memory.peak() > budget_; key_price *= 8)
      lowered = lower(literal, kind, key_price);
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
  std::string refreshing_refusal_;  // refusal of the latest set with bootstraps
  bool last_ = false;               // the latest set holds every tensor in one ciphertext
  double least_memory_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool has_functions(const Network& network) { return program::count_of<Function>(network.values) > 0; }

bool is_leveled(const Network& network, const CompileOptions& options) {
  const int depth = depth_of(network) + 1;
  if (options.parameters) return static_cast<int>(options.parameters->q_bits.size()) > depth;
  return literal_for(kLargestLogN, {depth, false, headroom_bits(options)}).has_value();
}

Lowered cheapest_lowering(const Network& network, const CompileOptions& options, const ProgramNames& names,
                          const std::optional<NoiseLimits>& limits, int output_level, base::Progress& progress,
                          PlannedMaps* shared) {
  return LoweringChooser(network, options, names, limits, output_level, shared).run(progress);
}

}  // namespace tacit::graph::passes
