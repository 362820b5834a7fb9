// What docs/how-a-model-becomes-a-program.md shows: the table of passes, and one network
// through every pass on slots, in the order of the table.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/answers.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/text_forms.h"
#include "graph/passes/write_out.h"
#include "graph/reference/run.h"
#include "graph/slots/batch_products.h"
#include "graph/slots/cheapest_lowering.h"
#include "graph/slots/choose_degrees.h"
#include "graph/slots/choose_layouts.h"
#include "guide_texts.h"
#include "printed_page.h"
#include "program/slots/clear_program.h"
#include "program/slots/serialize.h"

namespace tacit::guide {
namespace {

using namespace graph::passes;
using graph::CompileOptions;
using graph::Graph;
using graph::Tensor;
using graph::TensorId;

// guide: model
const char* const kStrokes = R"(strokes (float[N, 1, 4, 4] image) => (int64[N] class) <
  float[2, 1, 3, 3] filters = {1, 0, -1, 2, 0, -2, 1, 0, -1, 1, 2, 1, 0, 0, 0, -1, -2, -1},
  float[2] gain = {0.5, 0.25}, float[2] shift = {0.25, 0}, float[2] mean = {0, 4}, float[2] variance = {64, 256},
  float[8, 3] weights = {1, 0, 0, 0, 1, -1, 0.5, 0, 1, 0, 0, 2, -1, 0, 1, 0, 1, 0, 0, -1, 0, 0.5, 1, -1},
  float[3] bias = {0, 0.5, -0.5}
> {
  edges = Conv <pads = [1, 1, 1, 1]> (image, filters)
  scaled = BatchNormalization (edges, gain, shift, mean, variance)
  active = Relu (scaled)
  pooled = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (active)
  row = Flatten (pooled)
  kept = Dropout (row)
  scores = Gemm (kept, weights, bias)
  class = ArgMax <axis = 1, keepdims = 0> (scores)
})";
// guide: end

/// Images of pixels from 0 to 15, from a seed.
std::vector<std::vector<Tensor>> images(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Tensor>> samples;
  for (std::size_t s = 0; s < count; ++s) {
    Tensor image{{1, 1, 4, 4}, {}, false};
    for (int pixel = 0; pixel < 16; ++pixel) image.data.push_back(static_cast<double>(random() >> 60));
    samples.push_back({image});
  }
  return samples;
}

std::vector<std::string> names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> result;
  for (const TensorId id : ids) result.push_back(graph.tensors[id].name);
  return result;
}

/// Who runs which nodes.
std::string parties_text(const Parties& parties) {
  const auto nodes = [](const Graph& graph) {
    std::string text;
    for (const graph::Node& node : graph.nodes) text += fmt::format(" {}", node.name);
    return text.empty() ? " nothing" : text;
  };
  return fmt::format("client, before encryption:{}\nserver:{}\nclient, after decryption:{}\n",
                     nodes(parties.client.before), nodes(parties.encrypted), nodes(parties.client.after));
}

/// The lines of a text that the one before it lacks, and the number of the others.
std::string changed_lines(const std::string& before, const std::string& after) {
  std::istringstream lines(after);
  std::string text;
  std::size_t same = 0;
  for (std::string line; std::getline(lines, line);) {
    if (before.find(fmt::format("{}\n", line)) == std::string::npos) {
      text += fmt::format("{}\n", line);
    } else {
      ++same;
    }
  }
  return text + fmt::format("and {} lines as before\n", same);
}

/// The layouts that a value may have, and the one that it has.
std::string layouts_text(const graph::Shape& shape, layout::Index slots, const layout::Layout& chosen) {
  std::string text;
  for (const layout::Layout& candidate : candidate_layouts(shape, slots))
    text += fmt::format("{} {}\n", candidate.within() == chosen.within() ? "*" : " ", candidate.to_string());
  return text;
}

TEST(Guide, AModelBecomesAProgram) {
  PrintedPage page("how-a-model-becomes-a-program.md");
  page.expect("passes", passes_table());
  base::Progress& progress = base::Progress::silent();
  CompileOptions options;
  options.calibration = images(64, 1);

  const Graph imported = graph::onnx::import_bytes(graph::onnx::text_model_bytes(kStrokes), "strokes.onnx");
  page.expect("graph", to_text(imported));

  const Graph written = write_out(imported);
  EXPECT_EQ(to_text(written), to_text(imported));  // the page says so
  const Parties parties = assign_parties(written, {});
  page.expect("parties", parties_text(parties));

  const Recognised recognised = recognise(parties.encrypted);
  page.expect("recognised", changed_lines(to_text(parties.encrypted), to_text(recognised.graph)));
  const Network linear = linearise(recognised);
  page.expect("linearised", to_text(linear));
  Network network = fold(linear);
  page.expect("folded", to_text(network));

  const std::string folded = to_text(network);
  network = isolate_function_inputs(batch_products(network));
  EXPECT_EQ(to_text(network), folded);

  const Calibrated exact = calibrate(network, options.calibration, progress);
  page.expect("calibrated", to_text(network));
  centre_functions(network);
  network = with_stretched_elements(with_input_units(std::move(network)));
  page.expect("units", to_text(network));

  measure(network, exact.inputs);
  const Answers answers(parties.client, exact.outputs);
  const ChosenDegrees chosen = choose_degrees(network, answers, options, progress);
  const std::string degrees = to_text(chosen.approximations);
  const NoiseSource noise(options, nullptr);
  const NoiseLimits limits{&noise, answers.allowed_noise(chosen.outputs)};
  const ProgramNames labels{imported.name, names(parties.encrypted, parties.encrypted.inputs),
                            names(parties.encrypted, parties.encrypted.outputs)};
  const Lowered lowered = cheapest_lowering(network, options, labels, limits, 0, progress).or_refuse();
  page.expect("chosen", degrees + set_text(lowered.literal));
  page.expect("normalised", to_text(lowered.normalised.network));
  const slots::Instruction& convolution = lowered.program.value(lowered.places.at(1));
  page.expect("layouts", layouts_text({1, 2, 4, 4}, lowered.program.slots, convolution.layout));
  page.expect("program", slots::to_text(lowered.program));

  // The compiler does the same.
  const graph::CompiledModel model = graph::compile(imported, options);
  EXPECT_EQ(slots::to_bytes(model.program), slots::to_bytes(lowered.program));
  EXPECT_EQ(model.parameters, lowered.literal);
  page.expect("client", client_text(model.client));
  page.check();

  // And the program gives the class that the model gives, on images that were not calibrated on.
  const slots::ClearProgram clear(model.program);
  for (const std::vector<Tensor>& image : images(20, 2)) {
    const auto results = clear.run({image[0].data});
    const auto scores = program::from_units(model.client, results);
    EXPECT_EQ(graph::run_after(model.parts, scores)[0].data, graph::reference::run(imported, image)[0].data);
  }
}

}  // namespace
}  // namespace tacit::guide
