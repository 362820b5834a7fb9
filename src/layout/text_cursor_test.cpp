#include "layout/text_cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/refusal_for_test.h"

namespace tacit::layout {
namespace {

TEST(TextCursor, NamesBeginWithALetterAndHaveUpToSixteen) {
  for (const std::string& name : {std::string("a"), std::string("Z9_"), std::string(16, 'a')})
    EXPECT_TRUE(TextCursor::is_name(name)) << name;
  for (const std::string& name : {std::string(), std::string("_a"), std::string("1a"), std::string("a-b"),
                                  std::string("a b"), std::string(17, 'a')})
    EXPECT_FALSE(TextCursor::is_name(name)) << name;
  TextCursor reader("axes", " x_1 y");
  EXPECT_EQ(reader.name(), "x_1");
  EXPECT_EQ(reader.name(), "y");
  EXPECT_TRUE(reader.at_end());
}

TEST(TextCursor, WhatIsExpectedIsNamedWhereItShouldBegin) {
  TextCursor names("axes", "x 1abc");
  EXPECT_TRUE(names.take("x"));
  EXPECT_FALSE(names.take("y"));
  EXPECT_EQ(base::refusal([&] { names.name(); }),
            "axes 'x 1abc': expected a name of up to 16 letters, digits and '_' that begins with a letter at "
            "character 3");
  EXPECT_TRUE(names.at_number());
  EXPECT_EQ(names.number(), 1);
  EXPECT_FALSE(names.at_number());
  EXPECT_EQ(base::refusal([&] { names.number(); }),
            "axes 'x 1abc': expected a number of at most 18 digits at character 4");
  EXPECT_EQ(base::refusal([&] { names.expect_end(); }), "axes 'x 1abc': expected the end at character 4");
  EXPECT_EQ(base::refusal([&] { names.expect("b"); }), "axes 'x 1abc': expected 'b' at character 4");
  EXPECT_EQ(names.word(), "abc");
  EXPECT_EQ(names.word(), "");
  names.expect_end();
}

TEST(TextCursor, NumbersHaveUpToEighteenDigits) {
  TextCursor most("number", "999999999999999999");
  EXPECT_EQ(most.number(), Index{999999999999999999});
  const std::string more(19, '9');
  TextCursor reader("number", more);
  EXPECT_EQ(base::refusal([&] { reader.number(); }),
            "number '" + more + "': expected a number of at most 18 digits at character 1");
}

TEST(TextCursor, NumbersEndWithTheTextWhateverLiesBehindIt) {
  const std::string_view digits = "12345";
  TextCursor reader("number", digits.substr(0, 2));
  EXPECT_EQ(reader.number(), 12);
  EXPECT_TRUE(reader.at_end());
}

TEST(TextCursor, ListsMayBeEmptyAndSpacesMatterWhereTheNotationFixesThem) {
  const auto numbers = [](const char* text, bool skips_spaces) {
    TextCursor reader("list", text, skips_spaces);
    std::vector<Index> result;
    reader.list("{", ",", "}", [&] { result.push_back(reader.number()); });
    reader.expect_end();
    return result;
  };
  EXPECT_EQ(numbers("{}", true), std::vector<Index>{});
  EXPECT_EQ(numbers(" { 1, 2,3 } ", true), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(numbers("{1,2}", false), (std::vector<Index>{1, 2}));
  EXPECT_EQ(base::refusal([&] { numbers("{1, 2}", false); }),
            "list '{1, 2}': expected a number of at most 18 digits at character 4");
  EXPECT_EQ(base::refusal([&] { numbers("{1;2}", true); }), "list '{1;2}': expected '}' at character 3");
}

TEST(TextCursor, SentencesQuoteTwoHundredLetters) {
  const std::string letters(201, 'x');
  TextCursor reader("text", letters);
  EXPECT_EQ(base::refusal([&] { reader.fail("wrong"); }), "text '" + letters.substr(1) + "': wrong at character 1");
}

}  // namespace
}  // namespace tacit::layout
