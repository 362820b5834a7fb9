#include "layout/sharding/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::HasSubstr;

TEST(Mesh, PrintsThePublishedTables) {
  const auto row = [](const Mesh& mesh) { return "| " + mesh.to_string() + " | " + mesh.total() + " |"; };
  EXPECT_EQ(row(Mesh({{"x", 3}, {"y", 1}, {"z", 2}})), "| [x=3, y=1, z=2] | Total 6 ciphertexts |");
  EXPECT_EQ(row(Mesh({{"x", 1}, {"y", 64}, {"z", 2}})), "| [x=1, y=64, z=2] | Total 128 ciphertexts |");
  EXPECT_EQ(Mesh::parse("[x=1, y=2, z=2]").table(),
            "[x=1, y=2, z=2]: Total 4 ciphertexts\n"
            "| m[0,0,0] | m[0,0,1] |\n"
            "| m[0,1,0] | m[0,1,1] |\n");
  EXPECT_EQ(Mesh::parse("[y=64, z=2]").table(4),
            "[y=64, z=2]: Total 128 ciphertexts\n"
            "| m[0,0] | m[0,1] |\n"
            "| m[1,0] | m[1,1] |\n"
            "| ... | ... |\n"
            "| m[63,0] | m[63,1] |\n");
}

TEST(Mesh, NotationParsesAndPrints) {
  for (const char* text : {"[x=4, y=3, z=2]", "[batch=1]", "[a=2, b_2=3, c=1, d=5, e=2]"})
    EXPECT_EQ(Mesh::parse(text).to_string(), text);
  EXPECT_EQ(Mesh::parse("x:4,y:2").to_string(), "[x=4, y=2]");
  EXPECT_EQ(Mesh::parse(" [ x = 4 ,y=2 ] "), Mesh({{"x", 4}, {"y", 2}}));
}

TEST(Mesh, HasTheProductOfItsExtents) {
  const Mesh mesh({{"x", 4}, {"y", 3}, {"z", 2}});
  EXPECT_EQ(mesh.size(), 24);
  EXPECT_EQ(mesh.extent("y"), 3);
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  EXPECT_THAT(refusal([] {
                Mesh({{"x", 4}, {"y", 0}});
              }),
              AllOf(HasSubstr("axis 'y' has extent 0"), HasSubstr("leave")));
  EXPECT_THAT(refusal([] { Mesh::parse("[x=4, y=0]"); }), HasSubstr("axis 'y' has extent 0"));
  EXPECT_THAT(refusal([] { Mesh({{"x", 4}, {"x", 2}}); }), HasSubstr("two axes are named 'x'"));
  EXPECT_THAT(refusal([] { Mesh({{"4", 4}}); }), HasSubstr("axis 0 is named '4'"));
  EXPECT_THAT(refusal([] { Mesh(std::vector<MeshAxis>{}); }), HasSubstr("1 to 16 are allowed"));
  EXPECT_THAT(refusal([] { Mesh({{"x", 1 << 20}, {"y", 1 << 20}}); }), HasSubstr("up to axis 'y'"));
  EXPECT_THAT(refusal([] { Mesh::parse("[x=4"); }), HasSubstr("expected ']' at character 5"));
  EXPECT_THAT(refusal([] { Mesh::parse("[x=9999999999999999999]"); }), HasSubstr("at most 18 digits at character 4"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(Mesh({{"x", 4}}).extent("w"));
              }),
              HasSubstr("mesh [x=4] has no axis 'w'"));
}

TEST(Mesh, NamesHaveSixteenLettersAndSentencesShowFifty) {
  const std::string longest(16, 'a');
  EXPECT_EQ(Mesh({{longest, 2}}).extent(longest), 2);
  EXPECT_THAT(refusal([] { Mesh({{std::string(17, 'a'), 2}}); }), HasSubstr("named '" + std::string(17, 'a') + "'"));
  EXPECT_THAT(refusal([] {
                Mesh({{"x", 1}, {std::string(60, 'a'), 2}});
              }),
              HasSubstr("axis 1 is named '" + std::string(50, 'a') + "';"));
}

TEST(Mesh, TheMiddleOfALongTableIsLeftOut) {
  EXPECT_EQ(Mesh::shown(0, 3), (std::vector<Index>{}));
  EXPECT_EQ(Mesh::shown(5, 5), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(Mesh::shown(6, 5), (std::vector<Index>{0, 1, 2, Mesh::kLeftOut, 5}));
  EXPECT_EQ(Mesh::shown(6, 3), (std::vector<Index>{0, Mesh::kLeftOut, 5}));
  EXPECT_EQ(Mesh::shown(6, 1), (std::vector<Index>{0, Mesh::kLeftOut, 5}));
  EXPECT_EQ(Mesh({{"x", 5}}).table(3),
            "[x=5]: Total 5 ciphertexts\n"
            "| m[0] | ... | m[4] |\n");
}

TEST(Mesh, HasAsManyDevicesAsThereAreCiphertextsAtMost) {
  EXPECT_EQ(Mesh({{"x", kMaxCiphertexts / 2}, {"y", 2}}).size(), kMaxCiphertexts);
  EXPECT_THAT(refusal([] { Mesh({{"x", kMaxCiphertexts / 2}, {"y", 3}}); }), HasSubstr("up to axis 'y'"));
}

TEST(Mesh, NumbersHaveUpToEighteenDigits) {
  EXPECT_EQ(Mesh::parse("[x=" + std::string(17, '0') + "4]").size(), 4);
  EXPECT_THAT(refusal([] { Mesh::parse("[x=" + std::string(18, '0') + "4]"); }), HasSubstr("at most 18 digits"));
}

TEST(Mesh, HasSixteenAxesAtMost) {
  std::vector<MeshAxis> axes;
  for (int i = 0; i < 16; ++i) axes.push_back({std::string(1, static_cast<char>('a' + i)), 1});
  EXPECT_EQ(Mesh(axes).rank(), 16u);
  axes.push_back({"q", 1});
  EXPECT_EQ(refusal([&] { Mesh{axes}; }), "mesh: 17 axes; 1 to 16 are allowed");
}

}  // namespace
}  // namespace tacit::layout
