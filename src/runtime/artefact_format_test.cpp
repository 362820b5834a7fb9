#include "runtime/artefact_format.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <functional>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime::format {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

/// Of a file with a body of so many bytes.
Header header_of_body(std::uint64_t body_bytes) {
  Header header;
  header.kind = 1;
  header.body_bytes = body_bytes;
  header.file_bytes = 128 + body_bytes + (body_bytes + 1048575) / 1048576 * 32;
  return header;
}

/// What a header is refused with, in a file of as many bytes as it says.
std::string objection_to(const Header& header) {
  return base::refusal([&] { decode(encode(header), header.file_bytes, "f"); });
}

TEST(ArtefactHeader, BytesLieWhereTheFormatSays) {
  Header header;
  EXPECT_EQ(header.version, 5U);
  EXPECT_EQ(header.chunk_bytes, 1048576U);
  EXPECT_EQ(header.root_algorithm, 2U);
  EXPECT_EQ(header.scheme, 1U);
  for (const std::uint64_t none : {std::uint64_t{header.kind}, header.file_bytes, header.body_bytes,
                                   header.table_offset, std::uint64_t{header.sections}})
    EXPECT_EQ(none, 0U);
  header.kind = 6;
  header.file_bytes = 0x0102;
  header.body_bytes = 0x0304;
  header.table_offset = 0x0506;
  header.sections = 0x0708;
  header.root.front() = 9;
  header.root.back() = 10;
  const HeaderBytes bytes = encode(header);
  ASSERT_EQ(bytes.size(), 128U);
  HeaderBytes expected{};
  std::memcpy(expected.data(), "\x89TACIT\r\n", 8);
  const auto number = [&](std::size_t at, std::uint32_t value) { std::memcpy(expected.data() + at, &value, 4); };
  number(8, 5);
  number(12, 6);
  number(16, 0x0102);
  number(24, 0x0304);
  number(32, 0x0506);
  number(40, 0x0708);
  number(44, 1048576);
  number(48, 2);
  number(52, 1);
  expected[96] = std::byte{9};
  expected[127] = std::byte{10};
  EXPECT_EQ(bytes, expected);
}

TEST(ArtefactHeader, IsReadBack) {
  Header header = header_of_body(1048577);
  header.kind = 7;
  header.scheme = 2;
  header.table_offset = 1048544;
  header.sections = 1;
  for (std::size_t i = 0; i < header.root.size(); ++i) header.root[i] = static_cast<std::uint8_t>(i + 1);
  EXPECT_EQ(header.file_bytes, 128U + 1048577U + 2 * 32U);
  const Header read = decode(encode(header), header.file_bytes, "f");
  EXPECT_EQ(read.kind, 7U);
  EXPECT_EQ(read.scheme, 2U);
  EXPECT_EQ(read.body_bytes, 1048577U);
  EXPECT_EQ(read.table_offset, 1048544U);
  EXPECT_EQ(read.sections, 1U);
  EXPECT_EQ(read.root, header.root);
}

TEST(ArtefactHeader, NumbersAreThoseThatThisProgramKnows) {
  const auto with = [](const std::function<void(Header&)>& change) {
    Header header = header_of_body(0);
    change(header);
    return objection_to(header);
  };
  for (std::uint32_t kind = 1; kind <= 7; ++kind)
    EXPECT_EQ(with([&](Header& it) { it.kind = kind; }), base::kNotRefused) << kind;
  EXPECT_EQ(with([](Header& it) { it.kind = 0; }), "f: unknown kind of artefact 0; the header is damaged");
  EXPECT_EQ(with([](Header& it) { it.kind = 17; }), "f: unknown kind of artefact 17; the header is damaged");
  for (const std::uint32_t scheme : {1U, 2U})
    EXPECT_EQ(with([&](Header& it) { it.scheme = scheme; }), base::kNotRefused) << scheme;
  EXPECT_EQ(with([](Header& it) { it.scheme = 0; }),
            "f: it is of an encryption scheme (0) that this program does not know; upgrade this program");
  EXPECT_EQ(with([](Header& it) { it.scheme = 3; }),
            "f: it is of an encryption scheme (3) that this program does not know; upgrade this program");
  EXPECT_EQ(with([](Header& it) { it.version = 6; }),
            "f: format version 6; this program reads version 5; upgrade this program to the version that wrote it");
  const std::string unknown = "f: unknown chunk size or root algorithm; the header is damaged";
  EXPECT_EQ(with([](Header& it) { it.chunk_bytes -= 1; }), unknown);
  EXPECT_EQ(with([](Header& it) { it.chunk_bytes += 1; }), unknown);
  EXPECT_EQ(with([](Header& it) { it.root_algorithm = 1; }), unknown);
  EXPECT_EQ(with([](Header& it) { it.root_algorithm = 3; }), unknown);
}

TEST(ArtefactHeader, AnOlderVersionIsRefusedWithAWayOutForItsKind) {
  const std::string earlier = "use the version of Tacit that wrote it";
  const std::string ways[] = {"make it again, or " + earlier,
                              "compile the model again, or " + earlier,
                              "compile the model again, or " + earlier,
                              "make the keys again, or " + earlier,
                              "make the keys again, or " + earlier,
                              "make the keys again, or " + earlier,
                              "encrypt the inputs again, or " + earlier,
                              earlier,
                              "build the store again, or " + earlier,
                              "build the store again, or " + earlier,
                              "build the store again, or " + earlier,
                              "make the question again, or " + earlier,
                              "ask the server again, or " + earlier,
                              "make the group again, or " + earlier,
                              "ask its owner to make it again, or " + earlier,
                              "ask its owner to make it again, or " + earlier,
                              "make the key again, or " + earlier,
                              "make it again, or " + earlier};
  for (std::uint32_t kind = 0; kind < std::size(ways); ++kind) {
    Header header = header_of_body(0);
    header.version = 4;
    header.kind = kind;
    EXPECT_EQ(objection_to(header), "f: format version 4; this program reads version 5; " + ways[kind]);
  }
}

TEST(ArtefactHeader, SizesAddUp) {
  for (const std::uint64_t body : {0, 1, 1048576, 1048577})
    EXPECT_EQ(objection_to(header_of_body(body)), base::kNotRefused) << body;
  const HeaderBytes bytes = encode(header_of_body(1));  // 128 + 1 + 32
  for (const std::uint64_t size : {160, 162})
    EXPECT_EQ(
        base::refusal([&] { decode(bytes, size, "f"); }),
        fmt::format("f: the file has {} bytes where its header says 161; it was truncated or damaged, copy it again",
                    size));
  const auto of_sizes = [](std::uint64_t body, std::uint64_t file) {
    Header header = header_of_body(body);
    header.file_bytes = file;
    return objection_to(header);
  };
  const std::string wrong = "f: its sizes do not add up; the header is damaged";
  EXPECT_EQ(of_sizes(1, 128), wrong);
  EXPECT_EQ(of_sizes(1, 160), wrong);
  EXPECT_EQ(of_sizes(1, 162), wrong);
  EXPECT_EQ(of_sizes(1048576, 128 + 1048576 + 64), wrong);
  EXPECT_EQ(of_sizes(1048577, 128 + 1048577 + 32), wrong);
  // 2^44 digests of 32 bytes would fill a file from which this body is taken modulo 2^64.
  EXPECT_EQ(of_sizes(~std::uint64_t{0}, (std::uint64_t{1} << 49) + 127), wrong);
}

TEST(ArtefactHeader, ItsTableFitsIntoTheBody) {
  const auto of_table = [](std::uint64_t body, std::uint64_t offset, std::uint32_t sections) {
    Header header = header_of_body(body);
    header.table_offset = offset;
    header.sections = sections;
    return objection_to(header);
  };
  const std::string wrong = "f: its section table does not fit; the header is damaged";
  EXPECT_EQ(of_table(48, 0, 2), base::kNotRefused);
  EXPECT_EQ(of_table(48, 0, 3), wrong);
  EXPECT_EQ(of_table(48, 24, 1), base::kNotRefused);
  EXPECT_EQ(of_table(48, 25, 1), wrong);
  EXPECT_EQ(of_table(48, 48, 0), base::kNotRefused);
  EXPECT_EQ(of_table(48, 49, 0), wrong);
  constexpr std::uint32_t kMost = 1048576;
  EXPECT_EQ(of_table(24 * (kMost + 1), 0, kMost), base::kNotRefused);
  EXPECT_EQ(of_table(24 * (kMost + 1), 0, kMost + 1), wrong);
}

TEST(ArtefactHeader, ReservedBytesAreZero) {
  const Header header = header_of_body(0);
  for (std::size_t at = 56; at < 96; ++at) {
    HeaderBytes bytes = encode(header);
    bytes[at] = std::byte{1};
    EXPECT_EQ(base::refusal([&] { decode(bytes, header.file_bytes, "f"); }),
              "f: reserved bytes are set; the header is damaged")
        << at;
  }
}

TEST(ArtefactHeader, AFileHasADigestForEveryBegunChunkAndSectionsOn64Bytes) {
  EXPECT_EQ(chunk_count(0), 0U);
  EXPECT_EQ(chunk_count(1), 1U);
  EXPECT_EQ(chunk_count(1048576), 1U);
  EXPECT_EQ(chunk_count(1048577), 2U);
  EXPECT_EQ(aligned(0), 0U);
  EXPECT_EQ(aligned(1), 64U);
  EXPECT_EQ(aligned(63), 64U);
  EXPECT_EQ(aligned(64), 64U);
  EXPECT_EQ(aligned(65), 128U);
}

/// What the table of these sections is refused with, and `more` bytes behind it.
std::string objection_to_table(const std::vector<Section>& sections, std::uint64_t table_offset, std::size_t more = 0) {
  std::vector<std::byte> bytes = encode(std::span(sections));
  bytes.resize(bytes.size() + more);
  return base::refusal([&] { decode_table(bytes, static_cast<std::uint32_t>(sections.size()), table_offset, "f"); });
}

TEST(ArtefactTable, SectionsAreReadBack) {
  const std::vector<Section> sections{{"a", SectionType::text, 0, 65},
                                      {"bc", SectionType::digests, 128, 64},
                                      {std::string(255, 'd'), SectionType::key, 192, 0}};
  const std::vector<std::byte> bytes = encode(std::span(sections));
  EXPECT_EQ(bytes.size(), 3 * 24 + 1 + 2 + 255U);
  const std::vector<Section> read = decode_table(bytes, 3, 192, "f");
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].name, sections[i].name);
    EXPECT_EQ(read[i].type, sections[i].type);
    EXPECT_EQ(read[i].offset, sections[i].offset);
    EXPECT_EQ(read[i].bytes, sections[i].bytes);
  }
  EXPECT_TRUE(decode_table({}, 0, 0, "f").empty());
}

TEST(ArtefactTable, NamesHave1To255BytesAndDiffer) {
  const std::string written = "; the file was not written by Tacit", no_name = " has no valid name" + written;
  const auto named = [](const std::string& name) {
    return objection_to_table({{"a", SectionType::text, 0, 64}, {name, SectionType::text, 64, 64}}, 128);
  };
  EXPECT_EQ(named("b"), base::kNotRefused);
  EXPECT_EQ(named(std::string(255, 'b')), base::kNotRefused);
  EXPECT_EQ(named(""), "f: section 1 of its table" + no_name);
  EXPECT_EQ(named(std::string(256, 'b')), "f: section 1 of its table" + no_name);
  EXPECT_EQ(named("a"), "f: section 1 of its table has a name that another section has" + written);
  // A name of two bytes, of which one is there, and an entry of which the last byte is not.
  std::vector<std::byte> bytes = encode(std::span<const Section>(std::vector<Section>{{"b", SectionType::text, 0, 0}}));
  bytes[0] = std::byte{2};
  EXPECT_EQ(base::refusal([&] { decode_table(bytes, 1, 0, "f"); }), "f: section 0 of its table" + no_name);
  EXPECT_EQ(base::refusal([&] { decode_table(std::span(bytes).first(24), 1, 0, "f"); }),
            "f: section 0 of its table" + no_name);
  EXPECT_EQ(base::refusal([&] { decode_table(std::span(bytes).first(23), 1, 0, "f"); }),
            "f: section 0 of its table is cut off" + written);
}

TEST(ArtefactTable, TypesAreThoseOfTheFormat) {
  const auto typed = [](std::uint32_t type) {
    return objection_to_table({{"a", static_cast<SectionType>(type), 0, 0}}, 0);
  };
  for (std::uint32_t type = 1; type <= 6; ++type) EXPECT_EQ(typed(type), base::kNotRefused) << type;
  for (const std::uint32_t type : {0U, 7U})
    EXPECT_EQ(typed(type), "f: section 0 of its table has an unknown type; the file was not written by Tacit") << type;
}

TEST(ArtefactTable, SectionsFollowEachOtherUpToTheTable) {
  const auto outside = [](int section) {
    return fmt::format("f: section {} of its table lies outside the body; the file was not written by Tacit", section);
  };
  const std::string unended = "f: its section table does not end with the body; the file was not written by Tacit";
  const auto second = [](std::uint64_t offset, std::uint64_t bytes, std::uint64_t table) {
    return objection_to_table({{"a", SectionType::text, 0, 1}, {"b", SectionType::text, offset, bytes}}, table);
  };
  EXPECT_EQ(second(64, 64, 128), base::kNotRefused);
  EXPECT_EQ(second(64, 1, 128), base::kNotRefused);
  EXPECT_EQ(second(64, 0, 64), base::kNotRefused);
  EXPECT_EQ(second(0, 64, 128), outside(1));
  EXPECT_EQ(second(1, 64, 128), outside(1));
  EXPECT_EQ(second(128, 0, 128), outside(1));
  EXPECT_EQ(second(64, 65, 128), outside(1));
  EXPECT_EQ(second(64, ~std::uint64_t{0}, 128), outside(1));
  EXPECT_EQ(second(64, 0, 63), outside(1));
  EXPECT_EQ(second(64, 64, 192), unended);
  EXPECT_EQ(objection_to_table({{"a", SectionType::text, 64, 0}}, 64), outside(0));
  EXPECT_EQ(objection_to_table({{"a", SectionType::text, 0, 64}}, 64, 1), unended);
  EXPECT_EQ(objection_to_table({}, 0, 1), unended);
  EXPECT_EQ(objection_to_table({}, 64), unended);
}

/// A file with these sections, each full of the number of its place.
class ArtefactDamage : public testing::Test {
 protected:
  std::filesystem::path written(const std::vector<std::pair<std::string, std::size_t>>& sections) const {
    const std::filesystem::path path = folder_.path() / "artefact";
    ArtefactWriter writer(path, ArtefactKind::evaluation_keys);
    for (std::size_t i = 0; i < sections.size(); ++i)
      writer.add_section(sections[i].first, SectionType::key,
                         std::vector<std::byte>(sections[i].second, static_cast<std::byte>(i)));
    writer.finish();
    return path;
  }
  /// Changes the byte of a file, in place, at this offset of the body.
  static void damage(const std::filesystem::path& path, std::size_t at) {
    std::vector<char> bytes = base::read_file(path);
    bytes[128 + at] ^= 1;
    base::write_file(path, bytes);
  }
  static std::string damaged(int chunk, const std::string& sections) {
    return fmt::format("chunk {} of 3 ({}) is damaged: its SHA-256 does not match, copy the file again", chunk,
                       sections);
  }
  base::TemporaryFolder folder_;
};

TEST_F(ArtefactDamage, IsNamedByTheSectionsWithBytesInTheChunkAlone) {
  const std::filesystem::path path = written({{"a", kChunkBytes}, {"b", kChunkBytes}, {"c", 10}, {"d", 10}});
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  const auto objection = [&](const char* section) {
    return base::refusal([&] { reader.read(reader.section(section, SectionType::key)); });
  };
  const std::string file = path.string() + ": ";
  damage(path, 2 * kChunkBytes);
  EXPECT_EQ(objection("c"), file + damaged(2, "'c', 'd' and section table"));
  EXPECT_EQ(objection("d"), file + damaged(2, "'c', 'd' and section table"));
  EXPECT_EQ(objection("b"), base::kNotRefused);
  damage(path, kChunkBytes);
  EXPECT_EQ(objection("b"), file + damaged(1, "'b'"));
  EXPECT_EQ(objection("a"), base::kNotRefused);
  damage(path, kChunkBytes - 1);
  EXPECT_EQ(objection("a"), file + damaged(0, "'a'"));
  // Where the table itself cannot be read, no section is known.
  EXPECT_EQ(base::refusal([&] { ArtefactReader(path, ArtefactKind::evaluation_keys); }),
            file + damaged(2, "section table"));
}

TEST_F(ArtefactDamage, BelongsToNoTableThatBeginsBehindTheChunk) {
  const std::filesystem::path path = written({{"a", 3 * kChunkBytes - 64}, {"b", 64}});
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  damage(path, 3 * kChunkBytes - 1);
  EXPECT_EQ(base::refusal([&] { reader.read(reader.section("b", SectionType::key)); }),
            path.string() + ": chunk 2 of 4 ('a', 'b') is damaged: its SHA-256 does not match, copy the file again");
}

TEST_F(ArtefactDamage, IsFoundInTheFirstAndTheLastChunk) {
  for (const std::size_t at : {std::size_t{0}, 2 * kChunkBytes}) {
    const std::filesystem::path path = written({{"a", 2 * kChunkBytes}, {"b", 10}});
    const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
    EXPECT_EQ(base::refusal([&] { reader.verify(); }), base::kNotRefused);
    damage(path, at);
    EXPECT_THAT(base::refusal([&] { reader.verify(); }), HasSubstr("is damaged: its SHA-256 does not match")) << at;
  }
}

TEST_F(ArtefactDamage, WhatIsTooShortForAHeaderIsNoArtefact) {
  const std::filesystem::path path = written({});
  ASSERT_EQ(std::filesystem::file_size(path), 128U);
  EXPECT_EQ(artefact_kind(path), ArtefactKind::evaluation_keys);
  std::filesystem::resize_file(path, 127);
  const std::string wrong = ": this is not a Tacit artefact: it is shorter than a header";
  EXPECT_EQ(base::refusal([&] { artefact_kind(path); }), path.string() + wrong);
  EXPECT_EQ(base::refusal([&] { artefact_scheme(folder_.path()); }), folder_.path().string() + ": this is not a file");
  EXPECT_EQ(base::refusal([&] { ArtefactReader(path, ArtefactKind::evaluation_keys); }), path.string() + wrong);
  EXPECT_EQ(base::refusal([&] { ArtefactReader(folder_.path(), ArtefactKind::evaluation_keys); }),
            folder_.path().string() + ": this is not a file");
  EXPECT_THAT(base::refusal([&] { artefact_kind(folder_.path() / "none"); }),
              HasSubstr("none: cannot open the file: No such file"));
}

TEST_F(ArtefactDamage, ASecretKeyIsKnownByItsFirst16Bytes) {
  const std::filesystem::path path = folder_.path() / "secret";
  ArtefactWriter(path, ArtefactKind::secret_key).finish();
  const auto refused = [&] { return base::refusal([&] { refuse_secret_key(path, "serve"); }); };
  EXPECT_EQ(refused(), path.string() +
                           ": this is a secret key, and serve must never get one: whoever holds it reads every input "
                           "and output; give the evaluation keys, and keep this file on the client");
  std::filesystem::resize_file(path, 16);
  EXPECT_NE(refused(), base::kNotRefused);
  std::filesystem::resize_file(path, 15);
  EXPECT_EQ(refused(), base::kNotRefused);
  // The number of the kind alone does not make one, nor does the magic.
  base::write_file(path, std::string("\x89TACIT\r?\5\0\0\0\3\0\0\0", 16));
  EXPECT_EQ(refused(), base::kNotRefused);
  base::write_file(path, std::string("\x89TACIT\r\n\5\0\0\0\4\0\0\0", 16));
  EXPECT_EQ(refused(), base::kNotRefused);
  base::write_file(path, std::string("\x89TACIT\r\n\5\0\0\0\3\0\0\0", 16));
  EXPECT_NE(refused(), base::kNotRefused);
}

/// While it lives, files are created with all the rights that are asked for.
class NoMask {
 public:
  NoMask() : before_(::umask(0)) {}
  ~NoMask() { ::umask(before_); }
  NoMask(const NoMask&) = delete;
  NoMask& operator=(const NoMask&) = delete;

 private:
  mode_t before_;
};

TEST(ArtefactOnDisk, OnlyASecretKeyIsForItsOwnerAlone) {
  const base::TemporaryFolder folder;
  const NoMask none;
  const auto rights = [&](ArtefactKind kind) {
    const std::filesystem::path path = folder.path() / "a";
    ArtefactWriter(path, kind).finish();
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  };
  EXPECT_EQ(rights(ArtefactKind::secret_key), 0600U);
  for (const ArtefactKind kind : {ArtefactKind::server_model, ArtefactKind::public_key, ArtefactKind::ciphertexts})
    EXPECT_EQ(rights(kind), 0666U);
}

TEST(ArtefactOnDisk, AFileThatIsBeingWrittenHasANameOfItsOwn) {
  const base::TemporaryFolder folder;
  ArtefactWriter writer(folder.path() / "a", ArtefactKind::ciphertexts);
  const auto entry = *std::filesystem::directory_iterator(folder.path());
  EXPECT_THAT(entry.path().filename().string(), MatchesRegex("a\\.part-[0-9a-f]+"));
  EXPECT_EQ(entry.path().filename().string().size(), 7U + 16U);
}

TEST(ArtefactOnDisk, AFolderThatIsGoneIsSaid) {
  const base::TemporaryFolder folder;
  const std::filesystem::path inner = folder.path() / "inner";
  std::filesystem::create_directory(inner);
  ArtefactWriter writer(inner / "a", ArtefactKind::ciphertexts);
  std::filesystem::rename(inner, folder.path() / "moved");
  EXPECT_EQ(base::refusal([&] { writer.finish(); }),
            (inner / "a").string() + ": cannot write: No such file or directory");
  EXPECT_THAT(base::refusal([&] { ArtefactWriter(inner / "b", ArtefactKind::ciphertexts); }),
              EndsWith("cannot create the file: No such file or directory"));
}

}  // namespace
}  // namespace tacit::runtime::format
