#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/reference/operator_call.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

/// Operators of ai.onnx.ml that look an element up in a list of keys: numbers or texts.

/// Keys or values: a vector of numbers or of texts.
struct List {
  bool stated = false, integral = false, holds_texts = false;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t size() const { return holds_texts ? texts.size() : numbers.size(); }
};

List texts_list(std::vector<std::string> texts) { return {true, false, true, {}, std::move(texts)}; }
List integers_list(const std::vector<std::int64_t>& integers) {
  return {true, true, false, {integers.begin(), integers.end()}, {}};
}

/// The attribute <name>_strings, <name>_int64s, <name>_floats or <name>_tensor, whichever the node has.
List read_list(const Call& call, const std::string& name) {
  if (has_attribute(call.node, name + "_strings")) return texts_list(texts_attribute(call.node, name + "_strings"));
  if (has_attribute(call.node, name + "_int64s")) return integers_list(integers_attribute(call.node, name + "_int64s"));
  if (has_attribute(call.node, name + "_floats"))
    return {true, false, false, reals_attribute(call.node, name + "_floats"), {}};
  const auto found = call.node.attributes.find(name + "_tensor");
  if (found == call.node.attributes.end()) return {};
  const Tensor* tensor = std::get_if<Tensor>(&found->second);
  if (tensor == nullptr) call.refuse(fmt::format("attribute '{}_tensor' has the wrong type", name));
  if (tensor->texts.empty()) return {true, tensor->integral, false, tensor->data, {}};
  List list = texts_list({});
  for (const double element : tensor->data) list.texts.push_back(text_at(call, *tensor, element));
  return list;
}

/// NaN is a key like others.
std::optional<double> key_of(double number) { return std::isnan(number) ? std::nullopt : std::optional(number); }
std::string_view key_of(const std::string& text) { return text; }

enum class Repeated : std::uint8_t { first, last };  ///< which place of a repeated key counts

/// The places of `wanted` among `keys`, -1 for what is none.
template <typename Key>
std::vector<std::ptrdiff_t> places_among(const std::vector<Key>& keys, const std::vector<Key>& wanted,
                                         Repeated repeated) {
  std::unordered_map<decltype(key_of(keys[0])), std::ptrdiff_t> index;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [found, added] = index.emplace(key_of(keys[i]), static_cast<std::ptrdiff_t>(i));
    if (!added && repeated == Repeated::last) found->second = static_cast<std::ptrdiff_t>(i);
  }
  std::vector<std::ptrdiff_t> places;
  for (const Key& key : wanted) {
    const auto found = index.find(key_of(key));
    places.push_back(found == index.end() ? -1 : found->second);
  }
  return places;
}

/// Those of every element of a tensor. Refuses texts where keys are numbers, and the other way round.
std::vector<std::ptrdiff_t> places_of(const Call& call, const Tensor& input, const List& keys, Repeated repeated) {
  if (input.data.empty()) return {};
  if (keys.holds_texts != !input.texts.empty())
    call.refuse(keys.holds_texts ? "its input holds numbers and its keys are texts; cast the input to strings"
                                 : "its input holds texts and its keys are numbers; cast the input to numbers");
  if (!keys.holds_texts) return places_among(keys.numbers, input.data, repeated);
  // Each text is looked up once, not each element.
  const std::vector<std::ptrdiff_t> of_texts = places_among(keys.texts, input.texts, repeated);
  std::vector<std::ptrdiff_t> places;
  for (const double element : input.data) {
    text_at(call, input, element);
    places.push_back(of_texts[static_cast<std::size_t>(element)]);
  }
  return places;
}

/// A value for each element: the one at its place, or the fallback at the end of `values` where it has none.
Tensor valued(const Call& call, const std::vector<std::ptrdiff_t>& places, const List& values) {
  Tensor result = call.zeros(call.input(0).shape, values.integral || values.holds_texts);
  Dictionary dictionary(call);
  std::vector<double> positions = values.numbers;
  for (const std::string& text : values.texts) positions.push_back(dictionary.position(text));
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const std::size_t at = places[i] < 0 ? positions.size() - 1 : static_cast<std::size_t>(places[i]);
    result.data[i] = positions.at(at);
  }
  result.texts = dictionary.take();
  return result;
}

std::string default_text(const Call& call) { return text_attribute(call.node, "default_string"); }
double default_integer(const Call& call) { return static_cast<double>(integer_attribute(call.node, "default_int64")); }

/// Texts to the integers beside them, and integers to texts.
std::vector<Tensor> either_way(const Call& call, List texts, List integers, Repeated repeated) {
  const bool from_texts = !call.input(0).texts.empty();
  const auto places = places_of(call, call.input(0), from_texts ? texts : integers, repeated);
  texts.texts.push_back(default_text(call));
  integers.numbers.push_back(default_integer(call));
  return {valued(call, places, from_texts ? integers : texts)};
}

/// The first version of LabelEncoder: texts to their positions in classes_strings, and positions to texts.
std::vector<Tensor> encode_classes(const Call& call) {
  List classes = texts_list(texts_attribute(call.node, "classes_strings"));
  List positions{true, true, false, {}, {}};
  for (std::size_t i = 0; i < classes.size(); ++i) positions.numbers.push_back(static_cast<double>(i));
  return either_way(call, std::move(classes), std::move(positions), Repeated::first);
}

std::vector<Tensor> label_encoder(const Call& call) {
  if (has_attribute(call.node, "classes_strings")) return encode_classes(call);
  const List keys = read_list(call, "keys");
  List values = read_list(call, "values");
  if (!keys.stated || !values.stated) call.refuse("it needs keys and values, in the attributes keys_* and values_*");
  if (keys.size() != values.size())
    call.refuse(fmt::format("{} keys do not fit {} values", keys.size(), values.size()));
  const List fallback = read_list(call, "default");  // default_tensor: the others have no plural
  if (fallback.stated && (fallback.size() != 1 || fallback.holds_texts != values.holds_texts))
    call.refuse("default_tensor must hold one element of the type of the values");
  if (values.holds_texts) {
    values.texts.push_back(fallback.stated ? fallback.texts[0] : default_text(call));
  } else {
    const double other = values.integral ? default_integer(call) : real_attribute(call.node, "default_float");
    values.numbers.push_back(fallback.stated ? fallback.numbers[0] : other);
  }
  return {valued(call, places_of(call, call.input(0), keys, Repeated::first), values)};
}

std::vector<Tensor> category_mapper(const Call& call) {
  List texts = texts_list(texts_attribute(call.node, "cats_strings"));
  List integers = integers_list(integers_attribute(call.node, "cats_int64s"));
  if (texts.size() != integers.size())
    call.refuse(fmt::format("{} cats_strings do not fit {} cats_int64s", texts.size(), integers.size()));
  return either_way(call, std::move(texts), std::move(integers), Repeated::last);
}

/// A new last axis with a 1 at the place of the category. Numbers are cut to integers before they are looked up.
std::vector<Tensor> one_hot_encoder(const Call& call) {
  const List texts = texts_list(texts_attribute(call.node, "cats_strings"));
  const List integers = integers_list(integers_attribute(call.node, "cats_int64s"));
  if ((texts.size() == 0) == (integers.size() == 0)) call.refuse("it needs either cats_int64s or cats_strings");
  Tensor input = call.input(0);
  if (input.texts.empty()) {
    for (double& value : input.data) value = std::trunc(value);
  }
  const bool unknown_is_zeros = flag_attribute(call.node, "zeros");
  const std::size_t categories = texts.size() + integers.size();
  Shape shape = input.shape;
  shape.push_back(static_cast<std::int64_t>(categories));
  Tensor result = call.zeros(std::move(shape));
  const auto places = places_of(call, input, texts.size() > 0 ? texts : integers, Repeated::last);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) {
      result.data[i * categories + static_cast<std::size_t>(places[i])] = 1;
    } else if (!unknown_is_zeros) {
      call.refuse("an element is none of its categories, and its attribute zeros allows no other");
    }
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kOneHotEncoder[] = {integers("cats_int64s"), texts("cats_strings"), flag("zeros", true)};
constexpr AttributeDeclaration kLabelEncoder[] = {texts("classes_strings"),     real("default_float", -0.0),
                                                  integer("default_int64", -1), text("default_string", "_Unused"),
                                                  tensor("default_tensor"),     reals("keys_floats"),
                                                  integers("keys_int64s"),      texts("keys_strings"),
                                                  tensor("keys_tensor"),        reals("values_floats"),
                                                  integers("values_int64s"),    texts("values_strings"),
                                                  tensor("values_tensor")};
constexpr AttributeDeclaration kCategoryMapper[] = {integers("cats_int64s"), texts("cats_strings"),
                                                    integer("default_int64", -1), text("default_string", "_Unused")};

constexpr Declaration kEncodersOperators[] = {
    {"ai.onnx.ml.OneHotEncoder", one_hot_encoder, 1, "x~", Class::client, kOneHotEncoder},
    {"ai.onnx.ml.LabelEncoder", label_encoder, 1, "x~", Class::client, kLabelEncoder, kRowWise},
    {"ai.onnx.ml.CategoryMapper", category_mapper, 1, "x~", Class::client, kCategoryMapper},
};

}  // namespace

std::span<const Declaration> encoder_operators() { return kEncodersOperators; }

}  // namespace tacit::graph::reference
