#include "graph/slots/layout_classes.h"

#include <gtest/gtest.h>

namespace tacit::graph::passes {
namespace {

TEST(LayoutClasses, FunctionsProductsAndRefreshesTieValuesToTheFirstOfThem) {
  Network network;
  const auto add = [&](auto operation) { return network.add({std::move(operation), {4}, "", "", {}}); };
  const auto function_of = [](ValueId input) {
    Function function;
    function.input = input;
    return function;
  };
  add(Private{0});                            // 0
  add(Affine{{{0, nullptr}}});                // 1
  add(function_of(1));                        // 2
  add(Product{2, 1});                         // 3
  add(Affine{{{3, nullptr}, {0, nullptr}}});  // 4
  add(Private{1});                            // 5
  add(Product{5, 4});                         // 6
  add(Refresh{6});                            // 7
  add(Affine{{{7, nullptr}}});                // 8
  EXPECT_EQ(layout_classes(network), (std::vector<ValueId>{0, 1, 1, 1, 4, 4, 4, 4, 8}));
  add(Product{8, 3});  // 9 ties what was apart
  EXPECT_EQ(layout_classes(network), (std::vector<ValueId>{0, 1, 1, 1, 4, 4, 4, 4, 1, 1}));
  EXPECT_TRUE(layout_classes(Network{}).empty());
}

}  // namespace
}  // namespace tacit::graph::passes
