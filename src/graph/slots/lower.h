#pragma once

#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/feasible.h"
#include "graph/pass_control.h"
#include "graph/passes/network.h"
#include "graph/passes/normalise.h"
#include "graph/slots/choose_forms.h"
#include "graph/slots/contraction_plan.h"
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
  GridKind grid = GridKind::none;        ///< grid of the feature maps
  /// The results and decisions of the passes of the lowering, by pass, if PassControl asks for them.
  std::vector<std::pair<const char*, std::string>> decisions{};
};

/// Returns the largest bound of an output at this level that a parameter set decrypts with a factor of four to spare.
double largest_output(const params::CkksLiteral& literal, int level = 0);

/// True if an output that is too large for the modulus of level 0 could wrap around without a trace. No slot of the
/// output is then known to be zero, so that the wrapped values look like another result.
bool hides_overflow(const slots::Program& program);

/// The prices of bytes in the choice of layouts and schedules, in seconds.
struct BytePrices {
  double keys = params::kKeySecondsPerByte;  ///< of a rotation key, each time that it is streamed
  double weights = 4e-11;                    ///< of the encoded weights of a linear map
};

/// Plans that networks with the same linear operators share, whatever factors are around the operators. The plans are
/// those of contractions, the parts of operators, and the splits of the diagonals of every linear map between two
/// layouts. Only `splits` is thread safe.
class PlannedMaps {
 public:
  /// Returns the splits of a map. They are planned once for all maps with the same pattern and layouts, and stay valid.
  const slots::LinearSplits& splits(const layout::LinearMap& map);

  RowSlices slices;
  ContractionPlans contractions;

 private:
  struct Planned {
    layout::LinearMap map;  // keeps the pattern, whose address is the key, alive
    slots::LinearSplits splits;
  };
  struct Pattern {
    bool sought = false;  // lines, for the shapes of the first map
    std::optional<layout::AlikeLines> lines{};
    std::list<Planned> planned;
  };
  std::optional<layout::AlikeLines> lines(const layout::LinearMap& bare);

  std::mutex mutex_;
  std::map<const layout::LinearOperator*, Pattern> by_pattern_;  // of an operator
};

/// Lowers one network to any number of parameter sets. The units of the values and the plans of the linear maps do not
/// depend on the set and are computed once. Not thread safe.
class Lowering {
 public:
  /// All arguments must outlive this object. `shared` holds plans that other lowerings share, or is null.
  Lowering(const Network& network, const ProgramNames& names, const params::CostTable& costs,
           PlannedMaps* shared = nullptr, const PassControl& passes = PassControl::all())
      : network_(network), names_(names), costs_(costs), passes_(passes), planned_(shared ? *shared : own_) {}

  /// Lowers the network to one parameter set in these steps:
  /// - normalises;
  /// - places bootstraps, if the set has them, as late as levels allow, or earlier if the program is then cheaper;
  /// - chooses layouts and schedules by price;
  /// - emits the program, assigns levels, and pairs bootstraps.
  ///
  /// A linear map pays `bytes` for the keys that it streams and for its weights. Higher prices lead to fewer distinct
  /// rotations, and to layouts with weights that repeat. Outputs end at `output_level`. Feature maps are on a grid of
  /// this `kind` if there is one. There is no lowering if the set does not exist or has fewer levels than the network
  /// needs.
  base::Feasible<Lowered> lower(const params::CkksLiteral& literal, BytePrices bytes = {}, int output_level = 0,
                                GridKind kind = GridKind::none);

 private:
  struct Asked;
  class OnOneSet;

  const Normalised& normalised(double output_bound, bool bootstraps);

  const Network& network_;
  const ProgramNames& names_;
  const params::CostTable& costs_;
  const PassControl& passes_;
  std::map<std::pair<double, bool>, Normalised> normalised_;  // by the bound of outputs, and if there are bootstraps
  std::map<layout::Index, std::optional<ContractionForms>> forms_;  // by the number of slots, from the first set
  PlannedMaps own_;
  PlannedMaps& planned_;
};

}  // namespace tacit::graph::passes
