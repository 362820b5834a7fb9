#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "graph/far_row.h"
#include "graph/graph.h"
#include "graph/quant/rounding.h"
#include "graph/range.h"
#include "params/tfhe_parameters.h"

namespace tacit::graph::quant {

/// The choices of a compilation to integers that change what it takes from samples.
struct MeasuredChoices {
  int bits = 6;                               ///< bits of the argument of a table
  Rounding rounding = Rounding::approximate;  ///< exact: tables may be wider if that is cheaper
  double log2_failure = -128;  ///< log2 of the probability that a lookup, or a result's decryption, fails
  std::optional<params::TfheLiteral> parameters{};  ///< fixed by the user; chosen when absent
  bool client_before = true;                        ///< the client may run operators before encryption
  std::set<std::string> keep_private{};             ///< nodes that the client may not run
  bool operator==(const MeasuredChoices&) const = default;
};

/// The numbers of the elements of a value over samples.
struct MeasuredElements {
  std::string node;           ///< the graph node that the value came from
  std::vector<Range> ranges;  ///< not known for an element that is missing in every sample
  std::vector<double> means;
  bool operator==(const MeasuredElements&) const = default;
};

/// The grid of an input of trees, for tables of a number of bits.
struct MeasuredGrid {
  std::size_t input = 0;        ///< position among the encrypted inputs
  int bits = 0;                 ///< of the tables
  std::vector<double> borders;  ///< those of every element, rising
  std::vector<double> points;   ///< a number for every integer of every element, except for missing values
  bool operator==(const MeasuredGrid&) const = default;
};

/// What samples show of the program that was compiled on them.
struct MeasuredProgram {
  base::Digest digest{};                ///< of the program, its parameters and what its client needs (digest_of)
  std::vector<double> neighbour_rates;  ///< by value (integers::neighbour_rates)
  std::vector<double> errors;           ///< by output; empty if no guard of the client needs them (output_errors)
  std::vector<double> answer_moves;     ///< by guard of the client (settle_answers); infinite: no limit
  bool operator==(const MeasuredProgram&) const = default;
};

/// The results that `compile` takes from calibration samples. Given in place of the samples, they lead to the same
/// program for the same model and choices.
struct Measurements {
  base::Digest model{};  ///< digest(graph)
  MeasuredChoices choices;
  std::size_t samples = 0;                                 ///< number of samples, without those that were set aside
  FarRows far_rows{};                                      ///< rows that are far from all others, set aside or not
  std::optional<std::pair<double, double>> input_range{};  ///< public range of the inputs
  /// The elements of the network's values before products of two values are written out. Empty if there are none.
  std::vector<MeasuredElements> factors{};
  std::vector<MeasuredElements> values{};  ///< the elements of the values that become integers
  std::vector<MeasuredGrid> grids{};       ///< of all programs that were considered
  MeasuredProgram program{};
  bool operator==(const Measurements&) const = default;
};

/// Throws InputError that states the difference if measurements were made for another model, or by other choices.
void require_fits(const Measurements& measured, const Graph& graph, const MeasuredChoices& asked);

}  // namespace tacit::graph::quant
