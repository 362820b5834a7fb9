#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graph/far_row.h"
#include "graph/pass_control.h"
#include "graph/quant/rounding.h"
#include "params/sharing.h"

namespace tacit::session {

/// The encryption scheme of a network.
enum class Scheme {
  ckks,       ///< real numbers in slots
  tfhe,       ///< integers and tables
  automatic,  ///< the one with the shorter planned time
};

/// Calibration rows that are taken where nobody asked for a number of them.
constexpr std::int64_t kMostSamples = 1000;

/// The choices of a user who compiles a model file.
struct CompileChoices {
  std::vector<std::filesystem::path> calibration;  ///< public samples, one .npy file per input of the model
  std::optional<std::int64_t> calibration_first;   ///< first row; none: 0
  std::optional<std::int64_t> calibration_count;  ///< most rows; none: kMostSamples, evenly from all if none is private
  graph::CalibrationTrim calibration_trim{};      ///< number of rows far from all others that are set aside
  std::vector<double> input_range;                ///< empty, or lowest and highest value of the preprocessed inputs
  std::string parameters;                         ///< empty, a named set or a JSON file
  std::optional<int> max_degree;                  ///< largest degree of a polynomial that replaces a function
  std::optional<double> max_polynomial_error;  ///< largest error of such a polynomial, as a share of its largest value
  std::optional<double> max_error{};  ///< largest expected error of an output; a network with a larger one is refused
  std::filesystem::path costs;        ///< empty, or a JSON file of prices
  bool client_before = true;          ///< the client may compute on its inputs before encryption
  std::vector<std::string> keep_private;   ///< nodes that the client may not run
  std::optional<params::Sharing> sharing;  ///< if set, parameters leave room for results that others see
  std::optional<std::int64_t> batch = 1;   ///< inputs that one run takes; none: the cheapest number
  std::filesystem::path ranges{};          ///< empty, or a file of `tacit calibrate` instead of samples
  bool keep_calibration = false;           ///< CompileOptions::keep_calibration
  graph::PassControl passes{};  ///< passes to leave out and to explain, by the names of the scheme (graph/pipeline.h)
  std::vector<std::string> shardings{};  ///< on slots: meshes of nodes, or files of them (read_shardings)
  Scheme scheme = Scheme::ckks;
  std::optional<int> bits{};                         ///< on integers: bits of a table's argument
  std::optional<double> log2_failure{};              ///< on integers: log2 of a lookup's probability of failure
  std::optional<graph::quant::Rounding> rounding{};  ///< on integers: rounding of the arguments of tables
};

}  // namespace tacit::session
