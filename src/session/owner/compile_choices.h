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

/// What a network is computed with.
enum class Scheme {
  ckks,       ///< real numbers in slots
  tfhe,       ///< integers and tables
  automatic,  ///< whichever of both is planned to take less time
};

/// What whoever compiles a model file may choose.
struct CompileChoices {
  std::vector<std::filesystem::path> calibration;  ///< public samples, one .npy file an input of the model
  std::int64_t calibration_first = 0;              ///< row of the first
  std::int64_t calibration_count = 1000;           ///< at most
  graph::CalibrationTrim calibration_trim{};       ///< how many rows that lie far from all others are set aside
  std::vector<double> input_range;                 ///< empty, or lowest and highest value of the preprocessed inputs
  std::string parameters;                          ///< empty, a named set or a JSON file
  std::optional<int> max_degree;                   ///< of a polynomial that replaces a function
  std::optional<double> max_polynomial_error;      ///< of such a polynomial, as a share of its largest value
  std::optional<double> max_error{};               ///< expected of any output: above it a network is refused
  std::filesystem::path costs;                     ///< empty, or a JSON file of prices
  bool client_before = true;                       ///< the client may compute on its inputs before encryption
  std::vector<std::string> keep_private;           ///< nodes that the client may not run
  std::optional<params::Sharing> sharing;          ///< parameters that leave room for results that others see
  std::optional<std::int64_t> batch = 1;           ///< inputs that one run takes; none: the cheapest number
  std::filesystem::path ranges{};                  ///< empty, or a file of `tacit calibrate` in place of samples
  bool keep_calibration = false;                   ///< CompileOptions::keep_calibration
  graph::PassControl passes{};                     ///< of slots
  std::vector<std::string> shardings{};            ///< meshes of nodes, or files of them (read_shardings), of slots
  Scheme scheme = Scheme::ckks;
  std::optional<int> bits{};                         ///< of the argument of a table, on integers
  std::optional<double> log2_failure{};              ///< of a lookup, on integers
  std::optional<graph::quant::Rounding> rounding{};  ///< of the arguments of tables, on integers
};

}  // namespace tacit::session
