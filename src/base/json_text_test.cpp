#include "base/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::base {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(JsonText, IsParsedWithinItsBounds) {
  EXPECT_EQ(json_from(R"({"a": [1, {"b": 2}], "c": {"b": 3}})", "x").at("c").at("b"), 3);
  EXPECT_EQ(json_from<nlohmann::ordered_json>(R"({"z": 1, "a": 2})", "x").dump(), R"({"z":1,"a":2})");
}

TEST(JsonText, IsRefusedBeyondThem) {
  const auto refuses = [](const std::string& text, const char* why, const JsonBounds& bounds = {}) {
    EXPECT_THAT([&] { json_from(text, "x.json", bounds); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("x.json"), HasSubstr(why))))
        << text.substr(0, 40);
  };
  refuses("{", "not JSON");
  refuses("", "not JSON");
  refuses(std::string(1000, ' ') + "1", "more than the 1000", {.bytes = 1000});
  refuses(std::string(200000, '['), "nested deeper than 32");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
  refuses(objects, "nested deeper than 32");
  refuses("[[1]]", "nested deeper than 1", {.depth = 1});
  refuses(R"({"a": 1, "b": {"a": 2}, "a": 3})", "'a' is there twice");
  refuses(R"({"b": {"a": 2, "a": 2}})", "'a' is there twice");
  refuses(R"({"mod\u0065l": 1, "model": 2})", "'model' is there twice");
  refuses("{\"" + std::string(1000, 'k') + "\": 1, \"" + std::string(1000, 'k') + "\": 2}",
          "'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk' is there twice");
  refuses("[1, 2, 3]", "more than 3 values", {.values = 3});
  refuses(std::string("{}\0{", 4), "not JSON");
  refuses("\xEF\xBB\xBF{}", "not JSON");
}

TEST(JsonText, TakesTimeInProportionToItsLength) {
  // Many small objects in one list: quadratic work would take minutes here.
  std::string text = "[";
  for (int i = 0; i < 400000; ++i) text += "{},";
  text += "0]";
  EXPECT_EQ(json_from(text, "x").size(), 400001u);
}

}  // namespace
}  // namespace tacit::base
