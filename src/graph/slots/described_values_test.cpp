#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/passes/sketch.h"
#include "graph/slots/describe_sharding.h"

// The description of tensors that values hold in other shapes, or that no value holds.
namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using testing::HasSubstr;
using testing::Not;

/// A tensor that a value holds in this shape, one block per ciphertext.
struct Held {
  TensorId tensor;
  Shape shape;
  const char* sharding;
};

std::string described(const Sketch& sketch, const std::vector<Held>& held) {
  Lowered lowered;
  for (const auto& [tensor, shape, sharding] : held) {
    const ArraySharding blocks = ArraySharding::parse(sharding);
    lowered.normalised.network.add(
        {.operation = Private{}, .shape = shape, .node = "n", .op = "Op", .range = {}, .tensor = tensor});
    lowered.places.push_back(static_cast<program::ValueId>(lowered.program.instructions.size()));
    lowered.program.instructions.push_back(
        {slots::Input{"x"}, blocks.layout(shape, element_count(blocks.block_shape(shape))), "x", "", 0, 0, 0});
  }
  return to_text(described_sharding(sketch.graph, analyse_sharding(sketch.graph, sketch.graph, {}), lowered));
}

const Shape kMaps{1, 4, 2, 2};
const char* const kHalves = "mesh=[x=2] spec={-1, x, -1, -1}";
const char* const kFormal = ": [1,4,2,2] -> [2][1,2,2,2] by {-1, d1, -1, -1}\n";

TEST(DescribedValues, AValueInAnotherShapeIsToldInTheShapeOfItsTensor) {
  Sketch s;
  const TensorId x = s.input(kMaps), y = s.node("Neg", {x}, kMaps);
  s.output(y);
  const std::string text = described(s, {{x, kMaps, kHalves}, {y, {1, 16}, "mesh=[x=2] spec={-1, x}"}});
  EXPECT_THAT(text, HasSubstr(std::string("\n# x").append(kFormal)));
  EXPECT_THAT(text, HasSubstr(std::string("\n# Neg0").append(kFormal)));
}

// The shardings of the tensors around it show its blocks.
TEST(DescribedValues, ATensorThatIsNoValueIsToldByWhatIsReadOrMadeBesideIt) {
  Sketch s;
  const TensorId x = s.input(kMaps), middle = s.node("Neg", {x}, kMaps), y = s.node("Neg", {middle}, kMaps);
  s.output(y);
  for (const TensorId only : {x, y}) {
    const std::string text = described(s, {{only, kMaps, kHalves}});
    EXPECT_THAT(text, HasSubstr(std::string("\n# x").append(kFormal))) << only;
    EXPECT_THAT(text, HasSubstr(std::string("\n# Neg1").append(kFormal))) << only;
    EXPECT_THAT(text, HasSubstr("\n# x: mesh=[d1=2] inputs={} outputs={0: {-1, d1, -1, -1}}\n")) << only;
  }
}

TEST(DescribedValues, SamplesMayBeInBlocksToo) {
  const Shape batch{2, 4, 2, 2};
  Sketch s;
  const TensorId x = s.input(batch), y = s.node("Neg", {x}, batch);
  s.output(y);
  const char* const samples = "mesh=[b=2] spec={b, -1, -1, -1}";
  const std::string text = described(s, {{x, batch, samples}, {y, batch, samples}});
  EXPECT_THAT(text, HasSubstr("\n# x: [2,4,2,2] -> [2][1,4,2,2] by {d0, -1, -1, -1}\n"));
  EXPECT_THAT(text, HasSubstr("\n# Neg0: mesh=["));
  EXPECT_THAT(text, Not(HasSubstr("# Neg0 (Neg)")));
}

}  // namespace
}  // namespace tacit::graph::passes
