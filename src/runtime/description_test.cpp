#include "runtime/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Hexadecimal, HasTwoLowerCaseDigitsAByte) {
  std::array<std::uint8_t, 4> bytes{};
  from_hexadecimal("000fa9f0", bytes);
  EXPECT_THAT(bytes, ElementsAre(0, 15, 169, 240));
  from_hexadecimal("9abcdef1", bytes);
  EXPECT_THAT(bytes, ElementsAre(0x9a, 0xbc, 0xde, 0xf1));
  for (const char* text : {"", "0000000", "000000000"})
    EXPECT_EQ(base::refusal([&] { from_hexadecimal(text, bytes); }), "an identifier has the wrong length") << text;
  // The neighbours of the digits, in either place.
  for (const char* text : {"/0000000", "0/000000", ":0000000", "0:000000", "`0000000", "0`000000", "g0000000",
                           "0g000000", "A0000000", "0000000F"})
    EXPECT_EQ(base::refusal([&] { from_hexadecimal(text, bytes); }), "an identifier is not hexadecimal") << text;
}

TEST(Description, ABindingIsReadBack) {
  Binding binding;
  binding.model = {1, 2};
  binding.parameters = {3, 4};
  binding.key_set = {5, 6};
  EXPECT_EQ(binding_from_json(to_json(binding)), binding);
  EXPECT_THAT(to_json(binding).at("key_set").get<std::string>(), "05060000000000000000000000000000");
}

TEST(Description, RefusalsBeginWithThePathOnce) {
  EXPECT_EQ(base::refusal([] { parsing("file", [] { throw base::InputError("too long"); }); }), "file: too long");
  EXPECT_EQ(base::refusal([] { parsing("file", [] { throw base::InputError("file: too long"); }); }), "file: too long");
  EXPECT_THAT(base::refusal([] { parsing("file", [] { binding_from_json(nlohmann::json::object()); }); }),
              testing::AllOf(StartsWith("file: its description is malformed ("),
                             HasSubstr("); the file was not written by Tacit")));
}

// Strangers send ciphertexts and keys to a server: their descriptions are small before anything of them is parsed.
TEST(Description, IsAsLongAsItsKindNeeds) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "a";
  const auto described = [&](ArtefactKind kind, std::size_t bytes, std::size_t values) {
    std::string text = R"({"names":[0)";
    for (std::size_t i = 3; i < values; ++i) text += ",0";
    text += "]}";
    text.resize(std::max(bytes, text.size()), ' ');
    ArtefactWriter writer(path, kind);
    writer.add_section(kAboutSection, SectionType::text, text);
    writer.finish();
    return base::refusal([&] { about(ArtefactReader(path, kind)); });
  };
  for (const ArtefactKind kind :
       {ArtefactKind::ciphertexts, ArtefactKind::evaluation_keys, ArtefactKind::secret_key, ArtefactKind::public_key}) {
    EXPECT_EQ(described(kind, 65536, 4096), base::kNotRefused);
    EXPECT_THAT(described(kind, 65537, 4096),
                HasSubstr("its description is too long: 65537 bytes, and 65536 are read"));
    EXPECT_THAT(described(kind, 65536, 4097), HasSubstr("its description: more than 4096 values"));
  }
  EXPECT_EQ(described(ArtefactKind::server_model, 65537, 4097), base::kNotRefused);
  EXPECT_EQ(described(ArtefactKind::checkpoint, 1 << 20, 65536), base::kNotRefused);
  EXPECT_THAT(described(ArtefactKind::checkpoint, (1 << 20) + 1, 3), HasSubstr("too long"));
  const std::string longer(65536, 'x');
  EXPECT_THAT(base::refusal([&] {
                about_text(ArtefactKind::ciphertexts, {{"names", {longer}}});
              }),
              HasSubstr("use shorter names"));
}

TEST(Description, IsAnObject) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "a";
  const auto described = [&](std::string_view text) {
    ArtefactWriter writer(path, ArtefactKind::ciphertexts);
    writer.add_section(kAboutSection, SectionType::text, text);
    writer.finish();
    return base::refusal([&] { about(ArtefactReader(path, ArtefactKind::ciphertexts)); });
  };
  EXPECT_EQ(described("{}"), base::kNotRefused);
  EXPECT_THAT(described("[]"), HasSubstr("its description is not a JSON object; the file was not written by Tacit"));
  EXPECT_THAT(described("{"), HasSubstr("its description: not JSON"));
}

}  // namespace
}  // namespace tacit::runtime
