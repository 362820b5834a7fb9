#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <utility>

#include "graph/reference/operator_call.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

/// Operators of ai.onnx.ml that look an element up in a list of keys: numbers or texts.

/// Where to find a key in the list that it stood in.
class KeyIndex {
 public:
  enum class Repeated : std::uint8_t { first, last };  ///< which place of a repeated key counts

  explicit KeyIndex(const std::vector<std::string>& keys, Repeated repeated) : texts_hold_(true) {
    for (std::size_t i = 0; i < keys.size(); ++i) enter(texts_, keys[i], i, repeated);
  }
  explicit KeyIndex(const std::vector<double>& keys, Repeated repeated) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::isnan(keys[i])) {
        if (nan_ < 0 || repeated == Repeated::last) nan_ = static_cast<std::ptrdiff_t>(i);
      } else {
        enter(numbers_, keys[i], i, repeated);
      }
    }
  }

  /// The place of every element, -1 for what is no key. NaN is a key like others. Refuses texts where keys are numbers,
  /// and the other way round.
  std::vector<std::ptrdiff_t> places(const Call& call, const Tensor& input) const {
    std::vector<std::ptrdiff_t> result;
    if (input.data.empty()) return result;
    if (texts_hold_ != !input.texts.empty())
      call.refuse(texts_hold_ ? "its input holds numbers and its keys are texts; cast the input to strings"
                              : "its input holds texts and its keys are numbers; cast the input to numbers");
    // Each text is looked up once, not each element.
    for (const std::string& text : input.texts) result.push_back(place(texts_, text));
    if (!texts_hold_) {
      for (const double value : input.data) result.push_back(std::isnan(value) ? nan_ : place(numbers_, value));
      return result;
    }
    std::vector<std::ptrdiff_t> of_elements;
    for (const double element : input.data) {
      text_at(call, input, element);
      of_elements.push_back(result[static_cast<std::size_t>(element)]);
    }
    return of_elements;
  }

 private:
  template <typename Key>
  static void enter(std::unordered_map<Key, std::ptrdiff_t>& index, const Key& key, std::size_t at, Repeated repeated) {
    const auto [found, added] = index.emplace(key, static_cast<std::ptrdiff_t>(at));
    if (!added && repeated == Repeated::last) found->second = static_cast<std::ptrdiff_t>(at);
  }
  template <typename Key>
  static std::ptrdiff_t place(const std::unordered_map<Key, std::ptrdiff_t>& index, const Key& key) {
    const auto found = index.find(key);
    return found == index.end() ? -1 : found->second;
  }

  std::unordered_map<std::string, std::ptrdiff_t> texts_;
  std::unordered_map<double, std::ptrdiff_t> numbers_;
  std::ptrdiff_t nan_ = -1;
  bool texts_hold_ = false;
};

std::vector<double> numbers_of(const std::vector<std::int64_t>& integers) { return {integers.begin(), integers.end()}; }

/// Keys or values: a vector of numbers or of texts.
struct List {
  bool stated = false, integral = false, holds_texts = false;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t size() const { return holds_texts ? texts.size() : numbers.size(); }
};

List texts_list(std::vector<std::string> texts) { return {true, false, true, {}, std::move(texts)}; }

/// The attribute <name>_strings, <name>_int64s, <name>_floats or <name>_tensor, whichever the node has.
List read_list(const Call& call, const std::string& name) {
  if (has_attribute(call.node, name + "_strings")) return texts_list(texts_attribute(call.node, name + "_strings"));
  if (has_attribute(call.node, name + "_int64s"))
    return {true, true, false, numbers_of(integers_attribute(call.node, name + "_int64s")), {}};
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
std::vector<Tensor> either_way(const Call& call, List texts, List integers, KeyIndex::Repeated repeated) {
  const bool from_texts = !call.input(0).texts.empty();
  const KeyIndex index = from_texts ? KeyIndex(texts.texts, repeated) : KeyIndex(integers.numbers, repeated);
  texts.texts.push_back(default_text(call));
  integers.numbers.push_back(default_integer(call));
  return {valued(call, index.places(call, call.input(0)), from_texts ? integers : texts)};
}

/// The first version of LabelEncoder: texts to their positions in classes_strings, and positions to texts.
std::vector<Tensor> encode_classes(const Call& call) {
  List classes = texts_list(texts_attribute(call.node, "classes_strings"));
  List positions{true, true, false, {}, {}};
  for (std::size_t i = 0; i < classes.size(); ++i) positions.numbers.push_back(static_cast<double>(i));
  return either_way(call, std::move(classes), std::move(positions), KeyIndex::Repeated::first);
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
  const KeyIndex index = keys.holds_texts ? KeyIndex(keys.texts, KeyIndex::Repeated::first)
                                          : KeyIndex(keys.numbers, KeyIndex::Repeated::first);
  return {valued(call, index.places(call, call.input(0)), values)};
}

std::vector<Tensor> category_mapper(const Call& call) {
  List texts = texts_list(texts_attribute(call.node, "cats_strings"));
  List integers{true, true, false, numbers_of(integers_attribute(call.node, "cats_int64s")), {}};
  if (texts.size() != integers.size())
    call.refuse(fmt::format("{} cats_strings do not fit {} cats_int64s", texts.size(), integers.size()));
  return either_way(call, std::move(texts), std::move(integers), KeyIndex::Repeated::last);
}

/// A new last axis with a 1 at the place of the category. Numbers are cut to integers before they are looked up.
std::vector<Tensor> one_hot_encoder(const Call& call) {
  const std::vector<std::string> texts = texts_attribute(call.node, "cats_strings");
  const std::vector<std::int64_t> integers = integers_attribute(call.node, "cats_int64s");
  if (texts.empty() == integers.empty()) call.refuse("it needs either cats_int64s or cats_strings");
  const KeyIndex index = texts.empty() ? KeyIndex(numbers_of(integers), KeyIndex::Repeated::last)
                                       : KeyIndex(texts, KeyIndex::Repeated::last);
  Tensor input = call.input(0);
  if (input.texts.empty()) {
    for (double& value : input.data) value = std::trunc(value);
  }
  const bool unknown_is_zeros = flag_attribute(call.node, "zeros");
  const std::size_t categories = texts.size() + integers.size();
  Shape shape = input.shape;
  shape.push_back(static_cast<std::int64_t>(categories));
  Tensor result = call.zeros(std::move(shape));
  const std::vector<std::ptrdiff_t> places = index.places(call, input);
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

constexpr Declaration kOperators[] = {
    {"ai.onnx.ml.OneHotEncoder", one_hot_encoder, 1, "x~", Class::client, kOneHotEncoder},
    {"ai.onnx.ml.LabelEncoder", label_encoder, 1, "x~", Class::client, kLabelEncoder, kRowWise},
    {"ai.onnx.ml.CategoryMapper", category_mapper, 1, "x~", Class::client, kCategoryMapper},
};

}  // namespace

std::span<const Declaration> encoder_operators() { return kOperators; }

}  // namespace tacit::graph::reference
