#include "runtime/artefact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime {
namespace {

using base::read_file;
using base::TemporaryFolder;
using base::write_file;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

class ArtefactTest : public testing::Test {
 protected:
  TemporaryFolder folder_;

  std::filesystem::path write(ArtefactKind kind, const std::vector<std::vector<std::byte>>& sections) {
    const auto path = folder_.path() / "artefact";
    ArtefactWriter writer(path, kind);
    writer.add_section("about", SectionType::text, R"({"a": 1})");
    for (std::size_t i = 0; i < sections.size(); ++i)
      writer.add_section("part " + std::to_string(i), SectionType::key, sections[i]);
    writer.finish();
    return path;
  }
};

TEST_F(ArtefactTest, SectionsOfManySizesRoundTrip) {
  std::vector<std::vector<std::byte>> parts;
  unsigned seed = 1;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, kChunkBytes - 1,
                                 kChunkBytes, 3 * kChunkBytes + 17})
    parts.push_back(random_bytes(size, seed++));
  const auto path = write(ArtefactKind::evaluation_keys, parts);
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  EXPECT_EQ(reader.sections().size(), parts.size() + 1);
  EXPECT_EQ(reader.file_bytes(), std::filesystem::file_size(path));
  EXPECT_EQ(reader.read_text(reader.section("about", SectionType::text)), R"({"a": 1})");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Section& section = reader.section("part " + std::to_string(i), SectionType::key);
    EXPECT_EQ(section.offset % 64, 0u);
    EXPECT_EQ(reader.read(section), parts[i]);
  }
  const Section& last = reader.section("part 6", SectionType::key);
  std::vector<std::byte> piece(kChunkBytes + 5);
  reader.read(last, kChunkBytes - 9, piece);
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), parts[6].begin() + kChunkBytes - 9));
  EXPECT_THROW(reader.read(last, last.bytes - 1, std::span(piece).first(2)), base::InputError);
  EXPECT_THROW(reader.section("part 7", SectionType::key), base::InputError);
  EXPECT_THROW(reader.section("about", SectionType::key), base::InputError);
  EXPECT_NO_THROW(reader.verify());
}

TEST_F(ArtefactTest, AReadMayEndWithTheFirstByteOfAChunk) {
  const auto first = random_bytes(2 * kChunkBytes, 1), second = random_bytes(1, 2);
  const auto path = folder_.path() / "chunks";
  ArtefactWriter writer(path, ArtefactKind::ciphertexts);
  writer.add_section("a", SectionType::key, first);
  writer.add_section("b", SectionType::key, second);
  writer.finish();
  const ArtefactReader reader(path, ArtefactKind::ciphertexts);
  const Section &a = reader.section("a", SectionType::key), &b = reader.section("b", SectionType::key);
  ASSERT_EQ(b.offset, 2 * kChunkBytes);
  EXPECT_EQ(reader.read(b), second);
  std::vector<std::byte> two(2);
  reader.read(a, kChunkBytes - 1, two);
  EXPECT_TRUE(std::equal(two.begin(), two.end(), first.begin() + kChunkBytes - 1));
  std::vector<std::byte> all(kChunkBytes + 1);
  reader.read(a, 0, all);
  EXPECT_TRUE(std::equal(all.begin(), all.end(), first.begin()));
}

TEST_F(ArtefactTest, APartOfAChunkIsReadFromAnyPlaceToAnyPlace) {
  const auto content = random_bytes(192, 1);
  const auto path = folder_.path() / "short";
  ArtefactWriter writer(path, ArtefactKind::ciphertexts);
  writer.add_section("a", SectionType::key, content);
  writer.finish();
  const ArtefactReader reader(path, ArtefactKind::ciphertexts);
  const Section& a = reader.section("a", SectionType::key);
  for (std::size_t from = 0; from < content.size(); ++from)
    for (const std::size_t to : {from + 1, content.size()}) {
      std::vector<std::byte> part(to - from);
      reader.read(a, from, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), content.begin() + static_cast<std::ptrdiff_t>(from)))
          << from << " to " << to;
    }
}

TEST_F(ArtefactTest, ANameOfASectionHasUpTo255Bytes) {
  const auto path = folder_.path() / "named";
  ArtefactWriter writer(path, ArtefactKind::ciphertexts);
  const std::string longest(255, 'n');
  writer.begin_section(longest, SectionType::key);
  writer.begin_section("n", SectionType::key);
  writer.finish();
  const ArtefactReader reader(path, ArtefactKind::ciphertexts);
  ASSERT_EQ(reader.sections().size(), 2U);
  EXPECT_EQ(reader.sections()[0].name, longest);
  EXPECT_EQ(Section{}.offset, 0U);
  EXPECT_EQ(Section{}.bytes, 0U);
}

TEST_F(ArtefactTest, NoSectionIsAnArtefactToo) {
  const auto path = folder_.path() / "empty";
  ArtefactWriter writer(path, ArtefactKind::ciphertexts);
  writer.finish();
  EXPECT_TRUE(ArtefactReader(path, ArtefactKind::ciphertexts).sections().empty());
}

TEST_F(ArtefactTest, EveryTruncationAndExtensionIsRefused) {
  const auto path = write(ArtefactKind::ciphertexts, {random_bytes(100, 1), random_bytes(0, 2), random_bytes(700, 3)});
  const std::vector<char> whole = read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(path, std::span(whole).first(size));
    EXPECT_THROW(ArtefactReader(path, ArtefactKind::ciphertexts), base::InputError) << size;
  }
  std::vector<char> longer = whole;
  longer.push_back(0);
  write_file(path, longer);
  EXPECT_THROW(ArtefactReader(path, ArtefactKind::ciphertexts), base::InputError);
}

TEST_F(ArtefactTest, EveryFlippedByteIsRefused) {
  const auto path = write(ArtefactKind::ciphertexts, {random_bytes(100, 1), random_bytes(300, 3)});
  const std::vector<char> whole = read_file(path);
  std::mt19937 random(5);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<char> damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    write_file(path, damaged);
    EXPECT_THROW(ArtefactReader(path, ArtefactKind::ciphertexts).verify(), base::InputError) << at;
  }
}

TEST_F(ArtefactTest, AFlippedBitIsNamedByChunkAndSection) {
  const auto path =
      write(ArtefactKind::evaluation_keys, {random_bytes(2 * kChunkBytes, 1), random_bytes(kChunkBytes, 2)});
  std::vector<char> bytes = read_file(path);
  bytes[128 + kChunkBytes + 77] ^= 4;
  write_file(path, bytes);
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  EXPECT_NO_THROW(reader.read(reader.section("part 1", SectionType::key)));
  EXPECT_THAT([&] { reader.read(reader.section("part 0", SectionType::key)); },
              ThrowsMessage<base::InputError>(AllOf(HasSubstr("chunk 1 of 4"), HasSubstr("'part 0'"))));
  EXPECT_THROW(reader.verify(), base::InputError);
}

TEST_F(ArtefactTest, AForeignFileIsNotAnArtefact) {
  const auto path = folder_.path() / "foreign";
  EXPECT_THAT([&] { ArtefactReader(path, ArtefactKind::ciphertexts); },
              ThrowsMessage<base::InputError>(HasSubstr("cannot open")));
  EXPECT_THROW(ArtefactReader(folder_.path(), ArtefactKind::ciphertexts), base::InputError);
  for (const std::size_t size : {0, 1, 127, 128, 129, 5000}) {
    const auto bytes = random_bytes(size, static_cast<unsigned>(size));
    write_file(path, std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    EXPECT_THAT([&] { ArtefactReader(path, ArtefactKind::ciphertexts); },
                ThrowsMessage<base::InputError>(HasSubstr("not a Tacit artefact")));
  }
}

TEST_F(ArtefactTest, AnotherKindIsNamed) {
  const auto path = write(ArtefactKind::public_key, {});
  EXPECT_EQ(artefact_kind(path), ArtefactKind::public_key);
  EXPECT_THAT([&] { ArtefactReader(path, ArtefactKind::ciphertexts); },
              ThrowsMessage<base::InputError>(HasSubstr("it holds a public key where ciphertexts are needed")));
  EXPECT_NO_THROW(refuse_secret_key(path, "evaluate"));
}

TEST_F(ArtefactTest, ASecretKeyIsPrivateOnDiskAndRefusedLoudlyEvenWhenTruncated) {
  const auto path = write(ArtefactKind::secret_key, {random_bytes(4000, 1)});
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto refused = [&] {
    EXPECT_THAT([&] { refuse_secret_key(path, "evaluate"); },
                ThrowsMessage<base::InputError>(HasSubstr("secret key, and evaluate must never get one")));
  };
  refused();
  const std::vector<char> whole = read_file(path);
  write_file(path, std::span(whole).first(200));
  refused();
  EXPECT_NO_THROW(refuse_secret_key(folder_.path() / "absent", "evaluate"));
}

TEST_F(ArtefactTest, AnAbandonedWriterLeavesNothingAndTheOldFileInPlace) {
  const auto path = write(ArtefactKind::ciphertexts, {});
  const std::vector<char> before = read_file(path);
  {
    ArtefactWriter writer(path, ArtefactKind::ciphertexts);
    writer.add_section("x", SectionType::ciphertext, random_bytes(3 * kChunkBytes, 9));
  }
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
  EXPECT_THROW(ArtefactWriter(folder_.path() / "no" / "folder", ArtefactKind::ciphertexts), base::InputError);
}

TEST_F(ArtefactTest, WhatAKilledWriterLeftIsRemovedWithTheFile) {
  const auto path = write(ArtefactKind::checkpoint, {});
  const pid_t writer = ::fork();
  if (writer == 0) {
    ArtefactWriter cut_off(path, ArtefactKind::checkpoint);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder_.path()), {}); };
  EXPECT_EQ(files(), 2);
  const auto other = folder_.path() / "artefact.part-of-another";
  write_file(other, std::string("x"));
  remove_artefact(path);
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(ArtefactTest, AnythingButAFileIsNotReplaced) {
  const std::filesystem::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {pipe, folder_.path()})
    EXPECT_THAT([&] { ArtefactWriter(path, ArtefactKind::ciphertexts); },
                ThrowsMessage<base::InputError>(HasSubstr("not replaced")));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ArtefactNames, KindsAndSchemesAreNamedForPeople) {
  EXPECT_EQ(kind_name(ArtefactKind::server_model), "a server model");
  EXPECT_EQ(kind_name(ArtefactKind::client_model), "a client model");
  EXPECT_EQ(kind_name(ArtefactKind::secret_key), "a secret key");
  EXPECT_EQ(kind_name(ArtefactKind::public_key), "a public key");
  EXPECT_EQ(kind_name(ArtefactKind::evaluation_keys), "evaluation keys");
  EXPECT_EQ(kind_name(ArtefactKind::ciphertexts), "ciphertexts");
  EXPECT_EQ(kind_name(ArtefactKind::checkpoint), "a checkpoint");
  EXPECT_EQ(kind_name(ArtefactKind::search_store), "the index of a store");
  EXPECT_EQ(kind_name(ArtefactKind::search_tiles), "tiles of a store");
  EXPECT_EQ(kind_name(ArtefactKind::search_client), "the client's part of a store");
  EXPECT_EQ(kind_name(ArtefactKind::search_question), "a question to a store");
  EXPECT_EQ(kind_name(ArtefactKind::search_answer), "an answer of a store");
  EXPECT_EQ(kind_name(ArtefactKind::owner_group), "a group of owners");
  EXPECT_EQ(kind_name(ArtefactKind::key_part), "a part of keys");
  EXPECT_EQ(kind_name(ArtefactKind::result_share), "a share of results");
  EXPECT_EQ(kind_name(ArtefactKind::receiver_key), "a receiver's key");
  EXPECT_EQ(kind_name(static_cast<ArtefactKind>(17)), "an unknown kind of artefact");
  EXPECT_EQ(scheme_name(ArtefactScheme::ckks), "CKKS");
  EXPECT_EQ(scheme_name(ArtefactScheme::tfhe), "TFHE");
}

// The numbers are part of the format: files that were written before are read by them.
TEST(ArtefactNames, NumbersOfTheFormatStay) {
  const auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  EXPECT_EQ(number(ArtefactKind::server_model), 1U);
  EXPECT_EQ(number(ArtefactKind::client_model), 2U);
  EXPECT_EQ(number(ArtefactKind::secret_key), 3U);
  EXPECT_EQ(number(ArtefactKind::public_key), 4U);
  EXPECT_EQ(number(ArtefactKind::evaluation_keys), 5U);
  EXPECT_EQ(number(ArtefactKind::ciphertexts), 6U);
  EXPECT_EQ(number(ArtefactKind::checkpoint), 7U);
  EXPECT_EQ(number(ArtefactKind::search_store), 8U);
  EXPECT_EQ(number(ArtefactKind::search_tiles), 9U);
  EXPECT_EQ(number(ArtefactKind::search_client), 10U);
  EXPECT_EQ(number(ArtefactKind::search_question), 11U);
  EXPECT_EQ(number(ArtefactKind::search_answer), 12U);
  EXPECT_EQ(number(ArtefactKind::owner_group), 13U);
  EXPECT_EQ(number(ArtefactKind::key_part), 14U);
  EXPECT_EQ(number(ArtefactKind::result_share), 15U);
  EXPECT_EQ(number(ArtefactKind::receiver_key), 16U);
  EXPECT_EQ(number(ArtefactScheme::ckks), 1U);
  EXPECT_EQ(number(ArtefactScheme::tfhe), 2U);
  EXPECT_EQ(number(SectionType::text), 1U);
  EXPECT_EQ(number(SectionType::program), 2U);
  EXPECT_EQ(number(SectionType::key), 3U);
  EXPECT_EQ(number(SectionType::ciphertext), 4U);
  EXPECT_EQ(number(SectionType::digests), 5U);
  EXPECT_EQ(number(SectionType::numbers), 6U);
  EXPECT_EQ(kArtefactVersion, 5U);
  EXPECT_EQ(kChunkBytes, 1048576U);
}

TEST_F(ArtefactTest, RefusalsSayWhatIsThereAndWhatIsNeeded) {
  const auto path = write(ArtefactKind::ciphertexts, {random_bytes(10, 1)});
  const auto refuses = [&](ArtefactKind expected, std::optional<ArtefactScheme> scheme, const std::string& why) {
    EXPECT_THAT([&] { ArtefactReader(path, expected, scheme); }, ThrowsMessage<base::InputError>(HasSubstr(why)));
  };
  refuses(ArtefactKind::public_key, {}, "it holds ciphertexts where a public key is needed");
  refuses(ArtefactKind::evaluation_keys, {}, "it holds ciphertexts where evaluation keys are needed");
  EXPECT_EQ(
      base::refusal<base::KeyMismatch>([&] { ArtefactReader(path, ArtefactKind::ciphertexts, ArtefactScheme::tfhe); }),
      path.string() +
          ": it belongs to CKKS, and what it is to be used with belongs to TFHE; take the one that was "
          "made for this model");
  EXPECT_NO_THROW(ArtefactReader(path, ArtefactKind::ciphertexts, std::nullopt));
  EXPECT_EQ(artefact_scheme(path), ArtefactScheme::ckks);
  const ArtefactReader reader(path, ArtefactKind::ciphertexts);
  EXPECT_EQ(reader.kind(), ArtefactKind::ciphertexts);
  const Section& part = reader.section("part 0", SectionType::key);
  std::vector<std::byte> piece(10);
  EXPECT_NO_THROW(reader.read(part, 0, piece));
  EXPECT_NO_THROW(reader.read(part, 10, std::span(piece).first(0)));
  EXPECT_THAT([&] { reader.read(part, 11, std::span(piece).first(0)); },
              ThrowsMessage<base::InputError>(HasSubstr("section 'part 0' ends too early")));
  EXPECT_THROW(reader.read(part, 1, piece), base::InputError);
}

}  // namespace
}  // namespace tacit::runtime
