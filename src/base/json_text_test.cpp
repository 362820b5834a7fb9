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
}

}  // namespace
}  // namespace tacit::base
