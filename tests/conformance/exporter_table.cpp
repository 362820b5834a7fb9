#include "exporter_table.h"

#include <fmt/format.h>

#include <map>

namespace tacit::conformance {
namespace {

const std::map<std::string, std::string>& exporters() {
  static const std::map<std::string, std::string> all{
      {"keras", "Keras 3.15, tf2onnx 1.17"},
      {"sklearn", "scikit-learn 1.9, skl2onnx 1.20"},
      {"torch", "PyTorch: `_dynamo` by the default exporter (opset 20), `_script` by the older one (opset 17)"}};
  return all;
}

/// Operators in order, each named once: "Cast, ArgMax".
std::string operators(const std::vector<graph::ClientNode>& nodes, bool before) {
  std::string text;
  for (const graph::ClientNode& node : nodes) {
    if (node.before != before) continue;
    const std::string op = node.op.substr(node.op.rfind('.') + 1);
    if ((", " + text + ",").find(", " + op + ",") == std::string::npos) text += (text.empty() ? "" : ", ") + op;
  }
  return text;
}

std::string sentence(std::string refusal) {
  if (const std::size_t folder = refusal.find(".onnx': "); folder != std::string::npos) refusal.erase(0, folder + 8);
  return refusal;
}

std::string row(const ExportedOutcome& outcome) {
  if (!outcome.refusal.empty())
    return fmt::format("| {} | refused | {} | | |\n", outcome.model.name, sentence(outcome.refusal));
  const std::string before = operators(outcome.client, true), after = operators(outcome.client, false);
  return fmt::format("| {} | works | {} | {} | {} levels, 2^{} |\n", outcome.model.name, before, after, outcome.levels,
                     outcome.log_n);
}

}  // namespace

std::string exporter_page(const std::vector<ExportedOutcome>& outcomes) {
  std::string text =
      "# Exporters\n\n"
      "The test `exported_models_test` writes this page, so it cannot drift from the code. The models are as\n"
      "today's exporters write them. Every row of a model is computed in the clear reading with modelled noise. A\n"
      "model *works* if two conditions hold for every row:\n\n"
      "- The label is the label that ONNX Runtime gives.\n"
      "- Probabilities and numbers are within a 1000th of their range. For raw scores and maps of networks with\n"
      "  kinks, the bound is 2 %.\n\n"
      "The client runs the operators in its two columns, exactly. Everything else is computed on ciphertexts. A\n"
      "refusal comes before any key exists, with the sentence in the table.\n\n"
      "`tools/export_models.py` makes these models and many more from installed packages.\n";
  std::string family;
  for (const ExportedOutcome& outcome : outcomes) {
    if (outcome.model.family != family) {
      family = outcome.model.family;
      text += fmt::format(
          "\n## {}\n\n| model | result | client, before encryption | client, after decryption | levels, "
          "ring |\n| --- | --- | --- | --- | --- |\n",
          exporters().at(family));
    }
    text += row(outcome);
  }
  return text;
}

}  // namespace tacit::conformance
