#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/pass_control.h"
#include "graph/passes/network.h"
#include "graph/passes/normalise.h"
#include "graph/slots/emit.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/row_slices.h"
#include "params/ckks_parameters.h"
#include "params/key_price.h"
#include "program/slots/cost.h"
#include "program/slots/linear_plan.h"

namespace tacit::graph::passes {

/// A network on one parameter set: the program with levels, and what it costs.
struct Lowered {
  params::CkksLiteral literal;
  Normalised normalised;
  slots::Program program;
  slots::ProgramCost cost;
  std::vector<program::ValueId> places;  ///< of the network's values in the program
  GridKind grid = GridKind::none;        ///< that feature maps lie on
  /// What the passes of the lowering made and decided, by pass, where PassControl asks.
  std::vector<std::pair<const char*, std::string>> decisions{};
};

/// Largest bound of an output at this level that a parameter set decrypts with a factor of four to spare.
double largest_output(const params::CkksLiteral& literal, int level = 0);

/// Whether an output that is too large for the modulus of level 0 could wrap around without a trace: no slot is known
/// to be zero, so what wraps looks like another result.
bool hides_overflow(const slots::Program& program);

/// What networks with the same linear operators share, whatever factors are around them: how operators are taken apart,
/// and how the diagonals of every linear map between two layouts can be split. Not thread safe.
struct PlannedMaps {
  struct Planned {
    layout::LinearMap map;  // keeps the pattern, whose address is the key, alive
    slots::LinearSplits splits;
  };
  RowSlices slices;
  std::map<const layout::LinearOperator*, std::vector<Planned>> by_pattern;  // of an operator
};

/// Lowers one network to any number of parameter sets. What does not depend on the set is done once: the units of the
/// values, and what is planned of its linear maps. Not thread safe.
class Lowering {
 public:
  /// All must outlive this. `shared`: with the lowerings of other networks, or none.
  Lowering(const Network& network, const ProgramNames& names, const params::CostTable& costs,
           PlannedMaps* shared = nullptr, const PassControl& passes = PassControl::all())
      : network_(network), names_(names), costs_(costs), passes_(passes), planned_(shared ? *shared : own_) {}

  /// Normalises, places bootstraps where the set has them (as late as levels allow, or earlier where the program is
  /// cheaper), chooses layouts and schedules by price, emits, assigns
  /// levels, and pairs bootstraps. `key_seconds_per_byte` is what a byte of a rotation key costs a linear map each time
  /// it is streamed: the larger, the fewer distinct rotations. Outputs end at `output_level`. Feature maps
  /// lie on a grid of this kind where there is one. Throws InputError if the set has fewer levels than the network
  /// needs.
  Lowered lower(const params::CkksLiteral& literal, double key_seconds_per_byte = params::kKeySecondsPerByte,
                int output_level = 0, GridKind kind = GridKind::none);

 private:
  struct Asked;
  class OnOneSet;

  const Normalised& normalised(double output_bound, double operand_bound);
  const slots::LinearSplits& splits(const layout::LinearMap& map);

  const Network& network_;
  const ProgramNames& names_;
  const params::CostTable& costs_;
  const PassControl& passes_;
  std::map<std::pair<double, double>, Normalised> normalised_;  // by the bounds of outputs and operands
  PlannedMaps own_;
  PlannedMaps& planned_;
};

}  // namespace tacit::graph::passes
