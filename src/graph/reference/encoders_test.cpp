#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Encoders, OneHot) {
  const Attributes numbers{{"cats_int64s", Integers{3, 1, 3}}};
  const Tensor hot = only("ai.onnx.ml.OneHotEncoder", {reals({1, 3}, {1.9, 3, 2})}, numbers);
  EXPECT_THAT(hot.shape, ElementsAre(1, 3, 3));
  EXPECT_THAT(hot.data, ElementsAre(0, 1, 0, 0, 0, 1, 0, 0, 0)) << "cut to integers; of equal categories the last";
  Attributes strings{{"cats_strings", Texts{"a", "b"}}};
  EXPECT_THAT(only("ai.onnx.ml.OneHotEncoder", {texts({"b", "x"})}, strings).data, ElementsAre(0, 1, 0, 0));
  strings["zeros"] = std::int64_t{0};
  EXPECT_THAT(refusal("ai.onnx.ml.OneHotEncoder", {texts({"b", "x"})}, strings), HasSubstr("none of its categories"));
  EXPECT_THAT(only("ai.onnx.ml.OneHotEncoder", {texts({"b"})}, strings).data, ElementsAre(0, 1));
  EXPECT_THAT(refusal("ai.onnx.ml.OneHotEncoder", {texts({"b"})}, numbers), HasSubstr("its keys are numbers"));
  EXPECT_THAT(refusal("ai.onnx.ml.OneHotEncoder", {reals({1}, {1})}, strings), HasSubstr("its keys are texts"));
  EXPECT_THAT(refusal("ai.onnx.ml.OneHotEncoder", {reals({1}, {1})}), HasSubstr("either cats_int64s or cats_strings"));
}

TEST(Encoders, LabelsOfTheFirstVersion) {
  Attributes attributes{{"classes_strings", Texts{"no", "yes"}}, {"default_int64", std::int64_t{-3}}};
  const Tensor numbers = only("ai.onnx.ml.LabelEncoder", {texts({"yes", "maybe"})}, attributes);
  EXPECT_THAT(numbers.data, ElementsAre(1, -3));
  EXPECT_TRUE(numbers.integral);
  EXPECT_THAT(read(only("ai.onnx.ml.LabelEncoder", {integers({1, 2, 0})}, attributes)),
              ElementsAre("yes", "_Unused", "no"));
  attributes["default_string"] = std::string("?");
  EXPECT_THAT(read(only("ai.onnx.ml.LabelEncoder", {integers({7})}, attributes)), ElementsAre("?"));
}

TEST(Encoders, LabelsFromKeysToValues) {
  const Tensor words = texts({"b", "x", "a"});
  Attributes attributes{{"keys_strings", Texts{"a", "b", "a"}}, {"values_int64s", Integers{3, 4, 5}}};
  EXPECT_THAT(only("ai.onnx.ml.LabelEncoder", {words}, attributes).data, ElementsAre(4, -1, 3));
  attributes.erase("values_int64s");
  attributes["values_floats"] = Reals{0.5, 1.5, 2.5};
  attributes["default_float"] = 9.0;
  EXPECT_THAT(only("ai.onnx.ml.LabelEncoder", {words}, attributes).data, ElementsAre(1.5, 9, 0.5));
  attributes.erase("values_floats");
  attributes["values_strings"] = Texts{"one", "two", "three"};
  EXPECT_THAT(read(only("ai.onnx.ml.LabelEncoder", {words}, attributes)), ElementsAre("two", "_Unused", "one"));
  const Attributes by_number{{"keys_floats", Reals{1, NAN, 0.5}}, {"values_int64s", Integers{3, 4, 5}}};
  EXPECT_THAT(only("ai.onnx.ml.LabelEncoder", {reals({4}, {0.5, NAN, 1, 2})}, by_number).data,
              ElementsAre(5, 4, 3, -1));
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {words}, by_number), HasSubstr("its keys are numbers"));
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {words}), HasSubstr("needs keys and values"));
  EXPECT_THAT(
      refusal("ai.onnx.ml.LabelEncoder", {words}, {{"keys_strings", Texts{"a"}}, {"values_int64s", Integers{3, 4}}}),
      HasSubstr("1 keys do not fit 2 values"));
}

TEST(Encoders, LabelsFromTensors) {
  Attributes attributes{
      {"keys_tensor", texts({"a", "b"})}, {"values_tensor", integers({7, 8})}, {"default_tensor", integers({-9})}};
  EXPECT_THAT(only("ai.onnx.ml.LabelEncoder", {texts({"b", "c"})}, attributes).data, ElementsAre(8, -9));
  attributes["values_tensor"] = texts({"x", "y"});
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {texts({"b"})}, attributes), HasSubstr("default_tensor must hold"));
  attributes["default_tensor"] = texts({"z"});
  EXPECT_THAT(read(only("ai.onnx.ml.LabelEncoder", {texts({"b", "c"})}, attributes)), ElementsAre("y", "z"));
  attributes["keys_tensor"] = std::int64_t{1};
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {texts({"b"})}, attributes), HasSubstr("wrong type"));
}

TEST(Encoders, Categories) {
  const Attributes attributes{{"cats_strings", Texts{"a", "b", "a"}}, {"cats_int64s", Integers{5, 6, 7}}};
  EXPECT_THAT(only("ai.onnx.ml.CategoryMapper", {texts({"a", "b", "c"})}, attributes).data, ElementsAre(7, 6, -1));
  EXPECT_THAT(read(only("ai.onnx.ml.CategoryMapper", {integers({6, 5, 0})}, attributes)),
              ElementsAre("b", "a", "_Unused"));
  EXPECT_THAT(refusal("ai.onnx.ml.CategoryMapper", {integers({6})}, {{"cats_strings", Texts{"a"}}}),
              HasSubstr("1 cats_strings do not fit 0 cats_int64s"));
}

TEST(Encoders, CategoriesAndDefaultsAreOfOneKind) {
  EXPECT_THAT(refusal("ai.onnx.ml.OneHotEncoder", {reals({1}, {1})},
                      {{"cats_int64s", Integers{1}}, {"cats_strings", Texts{"a"}}}),
              HasSubstr("it needs either cats_int64s or cats_strings"));
  EXPECT_THAT(refusal("ai.onnx.ml.CategoryMapper", {integers({6})}, {{"cats_int64s", Integers{6, 7}}}),
              HasSubstr("0 cats_strings do not fit 2 cats_int64s"));
  Attributes attributes{{"keys_int64s", Integers{1, 2}}, {"values_int64s", Integers{7, 8}}};
  const Tensor x = integers({2, 3});
  attributes["default_tensor"] = integers({4, 5});
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {x}, attributes), HasSubstr("default_tensor must hold one element"));
  attributes["default_tensor"] = texts({"a"});
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {x}, attributes), HasSubstr("of the type of the values"));
  attributes["default_tensor"] = integers({4});
  EXPECT_THAT(only("ai.onnx.ml.LabelEncoder", {x}, attributes).data, ElementsAre(8, 4));
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {x}, {{"keys_int64s", Integers{1}}}), HasSubstr("keys and values"));
  EXPECT_THAT(refusal("ai.onnx.ml.LabelEncoder", {x}, {{"values_int64s", Integers{1}}}), HasSubstr("keys and values"));
}

TEST(Encoders, ResultsHaveTheTypeOfTheirValues) {
  const Tensor x = integers({1, 3});
  const Tensor real = only("ai.onnx.ml.LabelEncoder", {x}, {{"keys_int64s", Integers{1}}, {"values_floats", Reals{7}}});
  EXPECT_THAT(real.data, ElementsAre(7, 0));
  EXPECT_TRUE(std::signbit(real.data[1])) << "-0 stands for what is no key";
  EXPECT_FALSE(real.integral);
  const Attributes whole{{"keys_floats", Reals{1}}, {"values_int64s", Integers{7}}};
  EXPECT_TRUE(only("ai.onnx.ml.LabelEncoder", {reals({1}, {1})}, whole).integral);
  EXPECT_FALSE(only("ai.onnx.ml.OneHotEncoder", {x}, {{"cats_int64s", Integers{1}}}).integral);
}

}  // namespace
}  // namespace tacit::graph::reference
