#include "base/held_json.h"

#include <string>
#include <vector>

namespace tacit::base {
namespace {

/// Builds a tree where it stays, so that no part of it is destroyed elsewhere when memory runs out on the way. The text
/// was screened.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonBuilder(nlohmann::json& root) : root_(root) {}

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return put(value) != nullptr; }
  bool string(string_t& value) override { return put(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(nlohmann::json::value_t::object); }
  bool start_array(std::size_t) override { return open(nlohmann::json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    field_ = &open_.back()->get_ref<nlohmann::json::object_t&>()[std::move(name)];
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  /// A value without children.
  nlohmann::json* put(nlohmann::json value) {
    nlohmann::json* place = &root_;
    if (!open_.empty() && open_.back()->is_array())
      return &open_.back()->get_ref<nlohmann::json::array_t&>().emplace_back(std::move(value));
    if (!open_.empty()) place = field_;
    *place = std::move(value);
    return place;
  }
  bool open(nlohmann::json::value_t kind) {
    open_.push_back(put(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  nlohmann::json& root_;
  nlohmann::json* field_ = nullptr;
  std::vector<nlohmann::json*> open_;
};

}  // namespace

HeldJson::HeldJson(std::string_view text, std::string_view what, const JsonBounds& bounds) {
  struct Undo {
    nlohmann::json* value;
    ~Undo() {
      if (value != nullptr) release(*value);
    }
  } undo{&value_};
  screen_json(text, what, bounds);
  JsonBuilder builder(value_);
  if (!nlohmann::json::sax_parse(text, &builder)) throw InternalError("JSON that was screened cannot be read");
  undo.value = nullptr;
}

void HeldJson::release(nlohmann::json& value) noexcept {
  if (auto* const array = value.get_ptr<nlohmann::json::array_t*>()) {
    for (nlohmann::json& child : *array) release(child);
    array->clear();
  } else if (auto* const object = value.get_ptr<nlohmann::json::object_t*>()) {
    for (auto& [name, child] : *object) release(child);
    object->clear();
  }
}

}  // namespace tacit::base
