// What docs/add-a-pass.md shows: a pass on networks, its printing and its test.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/network.h"
#include "graph/passes/recognise.h"
#include "graph/passes/text_forms.h"
#include "graph/slots/batch_products.h"
#include "graph/slots/cheapest_lowering.h"
#include "guide_texts.h"
#include "printed_page.h"

namespace tacit::guide {
namespace {

using namespace graph::passes;
using graph::Tensor;

// guide: pass
/// Computes a product of the same two values once, however many values read it.
Network multiply_once(const Network& network) {
  Network result;
  std::vector<ValueId> names;                               // of the old values in the result
  std::map<std::pair<ValueId, ValueId>, ValueId> products;  // by operands, the earlier one first
  for (const Value& value : network.values) {
    Value copy = renamed(value, names);
    if (const auto* product = std::get_if<Product>(&copy.operation)) {
      const auto operands = std::minmax(product->left, product->right);
      if (const auto known = products.find(operands); known != products.end()) {
        names.push_back(known->second);
        continue;
      }
      products[operands] = static_cast<ValueId>(result.values.size());
    }
    names.push_back(result.add(std::move(copy)));
  }
  for (const ValueId id : network.outputs) result.outputs.push_back(names[id]);
  return result;
}
// guide: end

// guide: model
const char* const kSquares = R"(squares (float[N, 2] x) => (float[N, 2] y) <
  float[2, 2] w = {1, 2, 3, 4}, float[2, 2] v = {1, 1, 0, -1}
> {
  u = MatMul (x, w)
  energy = Mul (u, u)
  mixed = MatMul (energy, v)
  again = Mul (u, u)
  y = Add (mixed, again)
})";
// guide: end

Network folded_squares() {
  const graph::Graph model = graph::onnx::import_bytes(graph::onnx::text_model_bytes(kSquares), "squares.onnx");
  return fold(linearise(recognise(model)));
}

TEST(GuidePass, APassIsPrintedBeforeAndAfter) {
  PrintedPage page("add-a-pass.md");
  const Network network = folded_squares();
  page.expect("optional", optional_passes_table());
  page.expect("explained", explained_passes_table());
  page.expect("before", to_text(network));
  page.expect("after", to_text(multiply_once(network)));
  page.expect("folded", to_text(fold(multiply_once(network))));
  page.check();
}

// guide: meaning
TEST(GuidePass, APassKeepsWhatANetworkComputes) {
  const Network network = folded_squares(), changed = multiply_once(network);
  for (const double x : {-2.0, 0.5, 3.0}) {
    const std::vector<Tensor> input{{{1, 2}, {x, 1 - x}, false}};
    EXPECT_EQ(evaluate(changed, input).at(changed.outputs[0]), evaluate(network, input).at(network.outputs[0]));
  }
}
// guide: end

// guide: order
TEST(GuidePass, APassKeepsTheOrderAndTheInputs) {
  const Network changed = multiply_once(folded_squares());
  for (ValueId id = 0; id < changed.values.size(); ++id)
    for (const ValueId operand : operands(changed.values[id])) EXPECT_LT(operand, id);
  EXPECT_TRUE(std::holds_alternative<Private>(changed.values.at(0).operation));
  EXPECT_EQ(to_text(multiply_once(changed)), to_text(changed));
}
// guide: end

// guide: price
TEST(GuidePass, APassEarnsItsPlaceByThePrice) {
  const graph::CompileOptions options;
  const ProgramNames names{"squares", {"x"}, {"y"}};
  const auto seconds = [&](const Network& network) {
    return cheapest_lowering(network, options, names, {}, 0, base::Progress::silent()).or_refuse().cost.seconds;
  };
  const Network network = folded_squares();
  EXPECT_LT(seconds(batch_products(fold(multiply_once(network)))), seconds(batch_products(network)));
}
// guide: end

}  // namespace
}  // namespace tacit::guide
