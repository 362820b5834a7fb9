#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor einsum(const char* equation, const std::vector<Tensor>& inputs) {
  return only("Einsum", inputs, {{"equation", std::string(equation)}});
}
std::string einsum_refusal(const char* equation, const std::vector<Tensor>& inputs) {
  return refusal("Einsum", inputs, {{"equation", std::string(equation)}});
}

const Tensor kMatrix = reals({2, 2}, {1, 2, 3, 4});

TEST(Einsum, OneOperand) {
  EXPECT_THAT(einsum("ij->ji", {kMatrix}).data, ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(einsum("ba", {kMatrix}).data, ElementsAre(1, 3, 2, 4)) << "letters in alphabetical order";
  EXPECT_THAT(einsum("ii", {kMatrix}).data, ElementsAre(5));
  EXPECT_TRUE(einsum("ii", {kMatrix}).shape.empty());
  EXPECT_THAT(einsum("ii->i", {kMatrix}).data, ElementsAre(1, 4));
  EXPECT_THAT(einsum(" i j -> i ", {kMatrix}).data, ElementsAre(3, 7));
  EXPECT_THAT(einsum("->", {reals({}, {3})}).data, ElementsAre(3));
  EXPECT_THAT(einsum("ij->", {reals({2, 0}, {})}).data, ElementsAre(0));
}

TEST(Einsum, SeveralOperands) {
  const Tensor v = reals({2}, {10, 100});
  EXPECT_THAT(einsum("ij,jk", {kMatrix, kMatrix}).data, ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(einsum("ij,jk->k", {kMatrix, kMatrix}).data, ElementsAre(22, 32));
  EXPECT_THAT(einsum("i,j->ji", {v, reals({3}, {1, 2, 3})}).data, ElementsAre(10, 100, 20, 200, 30, 300));
  EXPECT_THAT(einsum("ij,jk,k", {kMatrix, kMatrix, v}).data, ElementsAre(1070, 2350));
  EXPECT_THAT(einsum("ij,j,j,i->", {kMatrix, v, reals({2}, {1, 1}), reals({2}, {1, 2})}).data, ElementsAre(1070));
  EXPECT_TRUE(einsum("i,i", {integers({1, 2}), integers({3, 4})}).integral);
}

TEST(Einsum, Ellipsis) {
  const Tensor stack = reals({2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(einsum("...ij,...jk->...ik", {stack, kMatrix}).shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(einsum("...ij,...jk->...ik", {stack, kMatrix}).data, ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(einsum("i...->...", {stack}).data, ElementsAre(4, 6));
  EXPECT_THAT(einsum("...a", {stack}).shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(einsum("...,...", {reals({2, 1}, {1, 2}), reals({3}, {1, 10, 100})}).data,
              ElementsAre(1, 10, 100, 2, 20, 200));
}

TEST(Einsum, RefusesWhatDoesNotFit) {
  EXPECT_THAT(einsum_refusal("ij,jk", {kMatrix}), HasSubstr("2 operands, but the node 1 inputs"));
  EXPECT_THAT(einsum_refusal("ijk", {kMatrix}), HasSubstr("operand 0 of its equation has 3 letters"));
  EXPECT_THAT(einsum_refusal("i1", {kMatrix}), HasSubstr("the term 'i1'"));
  EXPECT_THAT(einsum_refusal("......", {kMatrix}), HasSubstr("one '...' at most"));
  EXPECT_THAT(einsum_refusal("ij->ii", {kMatrix}), HasSubstr("stands twice in the output"));
  EXPECT_THAT(einsum_refusal("ij->k", {kMatrix}), HasSubstr("stands in none of its operands"));
  EXPECT_THAT(einsum_refusal("ij,jk", {kMatrix, reals({3, 1}, {1, 2, 3})}), HasSubstr("extents 2 and 3"));
  const Tensor line = reals({2048}, std::vector<double>(2048, 1.0));
  EXPECT_THAT(einsum_refusal("a,b,c,d->", {line, line, line, line}), base::kNotRefused)
      << "what is not needed is summed at once";
  const Tensor square = reals({2048, 2048}, std::vector<double>(2048 * 2048, 1.0));
  EXPECT_THAT(einsum_refusal("ab,bc->", {square, square}), HasSubstr("split it into several nodes"));
}

TEST(Einsum, LettersOfBothCasesAndNoOthers) {
  EXPECT_THAT(einsum("aZ->Za", {kMatrix}).data, ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(einsum("zA->Az", {kMatrix}).data, ElementsAre(1, 3, 2, 4));
  for (const char* term : {"a@", "a[", "a`", "a{", "a.", "a.."})
    EXPECT_THAT(einsum_refusal(term, {kMatrix}), HasSubstr("is none of letters with one '...' at most")) << term;
}

TEST(Einsum, NeedsALetterForEveryAxis) {
  EXPECT_THAT(einsum_refusal("ij,j", {kMatrix, kMatrix}),
              HasSubstr("operand 1 of its equation has 1 letters, but the input has shape [2, 2]"));
  EXPECT_THAT(einsum_refusal("...ijk", {kMatrix}), HasSubstr("operand 0 of its equation has 3 letters"));
  EXPECT_THAT(einsum("...ij->ij...", {kMatrix}).data, ElementsAre(1, 2, 3, 4)) << "the ellipsis may be empty";
  EXPECT_THAT(einsum_refusal("ij", {kMatrix, kMatrix}), HasSubstr("1 operands, but the node 2 inputs"));
}

TEST(Einsum, AxesOfOneStretch) {
  const Tensor row = reals({1, 2}, {1, 10}), column = reals({2, 1}, {1, 100});
  EXPECT_THAT(einsum("ij,ij->ij", {kMatrix, row}).data, ElementsAre(1, 20, 3, 40));
  EXPECT_THAT(einsum("ij,ij->ij", {row, kMatrix}).data, ElementsAre(1, 20, 3, 40));
  EXPECT_THAT(einsum("ij,ij->ij", {row, column}).data, ElementsAre(1, 10, 100, 1000));
}

TEST(Einsum, IntegersAreExactUpTo2To53AndWrap) {
  const Tensor ones = integers({1, 1});
  EXPECT_THAT(einsum("i,i", {integers({0x1p52, 0x1p52}), ones}).data, ElementsAre(0x1p53));
  EXPECT_THAT(einsum_refusal("i,i", {integers({0x1p53, 1}), ones}), HasSubstr("a sum of its integers is beyond 2^53"));
  EXPECT_THAT(einsum_refusal("i,i", {integers({-0x1p53, -1}), ones}), HasSubstr("beyond 2^53"));
  EXPECT_FALSE(einsum("i,i", {reals({2}, {0.5, 1}), ones}).integral);
  EXPECT_THAT(einsum("i,i", {ones, reals({2}, {0.5, 1})}).data, ElementsAre(1.5));
  Graph graph;
  graph.tensors = {{"x", {2}, true}};
  graph.tensors[0].integers = IntegerType::int8;
  const Tensor hundreds = integers({100, 100});
  const Tensor* inputs[] = {&hundreds};
  const Node node{"Einsum", "n", {0}, {0}, {{"equation", std::string("i->")}}};
  EXPECT_THAT(evaluate(graph, node, inputs).at(0).data, ElementsAre(-56));
}

TEST(Einsum, SaysHowManyProductsAreTooMany) {
  const auto line = [](std::size_t count) {
    return reals({static_cast<std::int64_t>(count)}, std::vector<double>(count));
  };
  EXPECT_THAT(einsum_refusal("a,b->ab", {line(65537), line(65536)}),
              HasSubstr("its equation needs 4295032832 products, more than 4294967296; split it"));
  EXPECT_THAT(einsum_refusal("a,b->ab", {line(65536), line(65536)}), HasSubstr("the most a tensor may have"));
}

}  // namespace
}  // namespace tacit::graph::reference
