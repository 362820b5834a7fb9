#include "runtime/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;

using ByteVector = std::vector<std::byte>;

/// Writes an artefact of four chunks and a bit.
base::Digest write_sample(const Sink& sink, ArtefactKind kind = ArtefactKind::evaluation_keys) {
  std::mt19937 random(7);
  ByteVector bytes(4 * kChunkBytes + 77);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return write_artefact(sink, kind, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    writer.add_section("about", SectionType::text, "{}");
    writer.begin_section("key", SectionType::key);
    for (std::span<const std::byte> left(bytes); !left.empty();
         left = left.subspan(std::min<std::size_t>(left.size(), 99'999)))
      writer.write(left.first(std::min<std::size_t>(left.size(), 99'999)));
  });
}

/// The same, in one pass.
base::Digest write_sample_once(const Sink& sink) {
  ByteVector whole;
  write_sample(Sink::memory(whole));
  const ArtefactReader reader(Source::memory(whole), ArtefactKind::evaluation_keys);
  ArtefactWriter writer(sink, ArtefactKind::evaluation_keys);
  for (const Section& section : reader.sections()) writer.add_section(section.name, section.type, reader.read(section));
  return writer.finish();
}

ByteVector file_bytes(const std::filesystem::path& path) {
  const std::vector<char> text = base::read_file(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class SinkTest : public testing::Test {
 protected:
  SinkTest() : root_(write_sample(path_)), bytes_(file_bytes(path_)) {}

  void expect_no_artefact(const ByteVector& bytes, ArtefactKind kind = ArtefactKind::evaluation_keys) const {
    EXPECT_THROW(ArtefactReader(Source::memory(bytes), kind), base::InputError);
  }

  base::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "artefact";
  base::Digest root_;
  ByteVector bytes_;
};

TEST_F(SinkTest, MemoryAndStreamsGetTheBytesOfTheFile) {
  ByteVector memory{std::byte{1}}, streamed;
  std::size_t longest = 0;
  EXPECT_EQ(write_sample(Sink::memory(memory)), root_);
  EXPECT_EQ(memory, bytes_);
  const Sink stream = Sink::stream([&](std::span<const std::byte> piece) {
    longest = std::max(longest, piece.size());
    streamed.insert(streamed.end(), piece.begin(), piece.end());
  });
  EXPECT_EQ(write_sample(stream), root_);
  EXPECT_EQ(streamed, bytes_);
  EXPECT_EQ(longest, kChunkBytes);
  streamed.clear();
  EXPECT_EQ(write_sample(stream), root_);  // a sink may be used again
  EXPECT_EQ(streamed, bytes_);
}

TEST_F(SinkTest, PlacesGetEachByteOnceAndTheHeaderLast) {
  ByteVector placed(bytes_.size());
  std::vector<std::uint64_t> offsets;
  std::size_t received = 0;
  int passes = 0, ends = 0;
  const Sink sink = Sink::placed(
      [&](std::uint64_t offset, std::span<const std::byte> piece) {
        EXPECT_EQ(ends, 0);
        EXPECT_LE(piece.size(), kChunkBytes);
        offsets.push_back(offset);
        received += piece.size();
        std::ranges::copy(piece, placed.begin() + static_cast<std::ptrdiff_t>(offset));
      },
      [&](const SinkFacts& facts) {
        ++ends;
        EXPECT_EQ(facts.bytes, bytes_.size());
        EXPECT_EQ(facts.root, root_);
      },
      "the places");
  EXPECT_EQ(sink.name(), "the places");
  EXPECT_EQ(write_sample(sink), root_);
  EXPECT_EQ(placed, bytes_);
  EXPECT_EQ(received, bytes_.size());
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(offsets.back(), 0u);
  EXPECT_EQ(std::ranges::count(offsets, std::uint64_t{0}), 1);
  ends = 0;
  const auto stopped = [&](ArtefactWriter& writer) {
    ++passes;
    writer.add_section("key", SectionType::key, "text");
    throw std::runtime_error("stopped");
  };
  EXPECT_THROW(write_artefact(sink, ArtefactKind::evaluation_keys, ArtefactScheme::ckks, stopped), std::runtime_error);
  EXPECT_EQ(passes, 1);
  EXPECT_EQ(ends, 0);
}

TEST_F(SinkTest, AWriterInOnePassGivesTheSameBytes) {
  ByteVector memory, streamed;
  EXPECT_EQ(write_sample_once(Sink::memory(memory)), root_);
  EXPECT_EQ(memory, bytes_);
  EXPECT_EQ(write_sample_once(Sink::stream([&](std::span<const std::byte> piece) {
              streamed.insert(streamed.end(), piece.begin(), piece.end());
            })),
            root_);
  EXPECT_EQ(streamed, bytes_);
  EXPECT_EQ(write_sample_once(path_), root_);
  EXPECT_EQ(file_bytes(path_), bytes_);
}

TEST_F(SinkTest, AStreamIsResumedAtAnyByte) {
  for (const std::uint64_t from :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{129},
        std::uint64_t{kChunkBytes + 128}, std::uint64_t{bytes_.size() - 1}, std::uint64_t{bytes_.size()}}) {
    ByteVector rest(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(from));
    const Sink sink =
        Sink::stream([&](std::span<const std::byte> piece) { rest.insert(rest.end(), piece.begin(), piece.end()); },
                     [&](const SinkFacts& facts) {
                       EXPECT_EQ(facts.bytes, bytes_.size());
                       EXPECT_EQ(facts.root, root_);
                       return from;
                     });
    EXPECT_EQ(write_sample(sink), root_);
    EXPECT_EQ(rest, bytes_) << from;
  }
  const Sink beyond =
      Sink::stream([](std::span<const std::byte>) {}, [](const SinkFacts& facts) { return facts.bytes + 1; }, "it");
  EXPECT_THAT(base::refusal([&] { write_sample(beyond); }), HasSubstr("it: it asks for bytes from "));
}

TEST_F(SinkTest, NothingIsWrittenTwiceWhereAllIsThere) {
  int passes = 0;
  const Sink sink =
      Sink::stream([](std::span<const std::byte>) { FAIL(); }, [](const SinkFacts& facts) { return facts.bytes; });
  write_artefact(sink, ArtefactKind::evaluation_keys, ArtefactScheme::ckks, [&](ArtefactWriter&) { ++passes; });
  EXPECT_EQ(passes, 1);
}

TEST_F(SinkTest, AStreamThatFailsInTheMiddleIsNoArtefact) {
  for (const std::size_t pieces : {0, 1, 2, 5}) {
    ByteVector streamed;
    std::size_t left = pieces;
    EXPECT_EQ(base::refusal<std::runtime_error>([&] {
                write_sample(Sink::stream([&](std::span<const std::byte> piece) {
                  if (left-- == 0) throw std::runtime_error("full");
                  streamed.insert(streamed.end(), piece.begin(), piece.end());
                }));
              }),
              "full");
    EXPECT_LT(streamed.size(), bytes_.size());
    expect_no_artefact(streamed);
  }
}

TEST_F(SinkTest, AnUnfinishedArtefactLeavesNothing) {
  ByteVector memory(5);
  const auto sections = [&](ArtefactWriter& writer) {
    writer.add_section("a", SectionType::key, bytes_);
    static int calls;
    if (++calls % 2 == 0) throw std::runtime_error("stopped");
  };
  EXPECT_EQ(base::refusal<std::runtime_error>([&] {
              write_artefact(Sink::memory(memory), ArtefactKind::secret_key, ArtefactScheme::ckks, sections);
            }),
            "stopped");
  EXPECT_TRUE(memory.empty());

  ByteVector room(bytes_);  // with the header of an older artefact
  ByteVector given;
  EXPECT_EQ(base::refusal<std::runtime_error>([&] {
              write_artefact(Sink::memory([&](std::uint64_t bytes) {
                               room.resize(bytes);
                               return std::span(room);
                             }),
                             ArtefactKind::secret_key, ArtefactScheme::ckks, sections);
            }),
            "stopped");
  EXPECT_EQ(room, ByteVector(room.size()));  // a secret is wiped
  {
    ArtefactWriter writer(Sink::memory(given), ArtefactKind::ciphertexts);
    writer.add_section("a", SectionType::key, bytes_);
  }
  EXPECT_TRUE(given.empty());
  EXPECT_EQ(file_bytes(path_), bytes_);
}

TEST_F(SinkTest, TheHeaderComesLastIntoMemory) {
  ByteVector room(bytes_);
  const Sink sink = Sink::memory([&](std::uint64_t) { return std::span(room); });
  bool again = false;
  EXPECT_THROW(write_artefact(sink, ArtefactKind::evaluation_keys, ArtefactScheme::ckks,
                              [&](ArtefactWriter& writer) {
                                writer.add_section("about", SectionType::text, "{}");
                                writer.add_section("key", SectionType::key,
                                                   std::span(bytes_).first(4 * kChunkBytes + 77));
                                if (again) throw std::runtime_error("stopped");
                                again = true;
                              }),
               std::runtime_error);
  EXPECT_TRUE(again);
  expect_no_artefact(room);
}

TEST_F(SinkTest, RoomOfAnotherSizeIsRefused) {
  ByteVector room(100);
  EXPECT_THAT(base::refusal([&] { write_sample(Sink::memory([&](std::uint64_t) { return std::span(room); }, "it")); }),
              HasSubstr("it: it has room for 100 bytes where 419"));
  EXPECT_EQ(base::refusal<std::bad_alloc>([&] {
              write_sample(Sink::memory([](std::uint64_t) -> std::span<std::byte> { throw std::bad_alloc(); }));
            }),
            std::string(std::bad_alloc().what()));
}

TEST_F(SinkTest, OtherBytesTheSecondTimeAreAFault) {
  for (const std::size_t more : {0, 1}) {
    ByteVector memory;
    int pass = 0;
    EXPECT_THROW(write_artefact(Sink::memory(memory), ArtefactKind::evaluation_keys, ArtefactScheme::ckks,
                                [&](ArtefactWriter& writer) {
                                  const ByteVector part(kChunkBytes + more * 100 * static_cast<std::size_t>(pass),
                                                        static_cast<std::byte>(pass));
                                  ++pass;
                                  writer.add_section("a", SectionType::key, part);
                                }),
                 base::InternalError);
    EXPECT_TRUE(memory.empty());
  }
}

TEST_F(SinkTest, MayBeUsedByItsOwnCallback) {
  ByteVector inner;
  ByteVector outer;
  const Sink within = Sink::memory(inner);
  write_sample(Sink::stream([&](std::span<const std::byte> piece) {
    if (inner.empty()) write_sample(within);
    outer.insert(outer.end(), piece.begin(), piece.end());
  }));
  EXPECT_EQ(inner, bytes_);
  EXPECT_EQ(outer, bytes_);
}

}  // namespace
}  // namespace tacit::runtime
