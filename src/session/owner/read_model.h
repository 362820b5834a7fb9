#pragma once

#include <tacit/compile_options.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "session/owner/preprocess.h"

namespace tacit::session {

/// An ONNX model: a file, or its content.
struct ModelSource {
  std::filesystem::path file{};  ///< empty if there is content
  std::string_view content{};
  std::string name{};  ///< represents content in errors
};

/// Reads a model by the shapes and the constants in the options. `rows` are the files of its inputs, and
/// `preprocessing` is theirs. Some models fix a batch and treat each of its rows alone. If the files hold the rows of
/// such a batch, each row is an input. Throws InputError as graph::onnx::import_model does, and for a wrong shape or
/// constant.
graph::Graph read_model(const ModelSource& model, const CompileOptions& options,
                        const std::vector<std::filesystem::path>& rows = {}, const Preprocessing& preprocessing = {});

}  // namespace tacit::session
