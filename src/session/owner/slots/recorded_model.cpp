#include "session/owner/slots/recorded_model.h"

#include "base/error.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

/// A part of the client's that computes nothing.
void pass_through(graph::Graph& part, const std::string& name, const layout::Shape& shape) {
  const auto id = static_cast<graph::TensorId>(part.tensors.size());
  part.tensors.push_back({.name = name, .shape = {shape.begin(), shape.end()}});
  part.inputs.push_back(id);
  part.outputs.push_back(id);
}

}  // namespace

Compilation recorded_model(const tensor::RecordingSession& session, const params::CkksLiteral& parameters) {
  const slots::Program& program = session.program();
  Compilation compilation{{printable(program.name), {}}, {}};
  graph::CompiledModel& model = compilation.model;
  model.program = program;
  model.parameters = parameters;
  model.meanings.resize(program.instructions.size());
  graph::ClientParts& parts = model.parts;
  for (const slots::Instruction& instruction : program.instructions) {
    const layout::Layout& layout = instruction.layout;
    if (const auto* input = std::get_if<slots::Input>(&instruction.operation)) {
      pass_through(parts.before, input->name, layout.shape());
      model.client.inputs.push_back({input->name, layout, instruction.level, instruction.scale});
    } else if (const auto* output = std::get_if<slots::Output>(&instruction.operation)) {
      pass_through(parts.after, output->name, layout.shape());
      program::ClientOutput& read = model.client.outputs.emplace_back();
      read.name = output->name;
      read.layout = layout;
      read.program_output = model.client.outputs.size() - 1;
      read.level = instruction.level;
      read.scale = instruction.scale;
    }
  }
  if (model.client.inputs.empty() || model.client.outputs.empty())
    throw base::InputError("recording '" + program.name + "': it needs an encrypted tensor and an output");
  compilation.graph.name = program.name;
  return compilation;
}

}  // namespace tacit::session
