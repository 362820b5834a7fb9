#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "session/owner/preprocess.h"

namespace tacit::app {

/// Options that state how a model is read.
struct ModelOptions {
  std::vector<std::string> shapes, constants;

  void add_to(CLI::App& command);
  /// Reads the model. `rows` are the files of its inputs, and `preprocessing` is theirs. Some models fix a batch and
  /// treat each of its rows alone. If the files hold the rows of such a batch, each row is an input.
  graph::Graph read(const std::filesystem::path& model, const std::vector<std::filesystem::path>& rows,
                    const session::Preprocessing& preprocessing) const;
};

}  // namespace tacit::app
