#include "runtime/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <stdexcept>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;

std::vector<std::byte> counted_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

std::vector<std::byte> read_whole(const Source& source) {
  std::vector<std::byte> bytes(source.size());
  source.read(0, bytes);
  return bytes;
}

/// Gives at most `most` bytes of a copy at once, with an empty piece before each.
NextBytes in_pieces(std::vector<std::byte> bytes, std::size_t most) {
  return [bytes = std::move(bytes), most, at = std::size_t{0},
          idle = false](std::span<std::byte> room) mutable -> std::optional<std::size_t> {
    idle = !idle;
    if (idle) return 0;
    if (at == bytes.size()) return std::nullopt;
    const std::size_t count = std::min({most, room.size(), bytes.size() - at});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
    at += count;
    return count;
  };
}

TEST(Source, OfAFileOfMemoryAndOfAStreamAreTheSameBytes) {
  const base::TemporaryFolder folder;
  const std::vector<std::byte> bytes = counted_bytes((std::size_t{5} << 19) + 3);
  const auto path = folder.path() / "bytes";
  base::write_file(path, std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto owner = std::make_shared<int>(1);
  {
    const Source owning = Source::memory(bytes, "x", owner);
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
  const Source sources[] = {path, Source::memory(bytes), Source::memory(bytes, "x", owner),
                            Source::stream(in_pieces(bytes, 700'001), {bytes.size()})};
  for (const Source& source : sources) {
    EXPECT_TRUE(source);
    EXPECT_EQ(read_whole(source), bytes);
    std::vector<std::byte> piece(10);
    source.read((std::size_t{1} << 20) - 5, piece);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), bytes.begin() + (1 << 20) - 5));
    EXPECT_NO_THROW(source.read(bytes.size(), {}));
    EXPECT_THROW(source.read(bytes.size() - 9, piece), base::InputError);
    EXPECT_THROW(source.read(bytes.size() + 1, piece), base::InputError);
  }
  EXPECT_EQ(sources[0].name(), path.string());
  EXPECT_EQ(sources[0].file(), path);
  EXPECT_EQ(sources[1].name(), "the given bytes");
  EXPECT_TRUE(sources[1].file().empty());
  EXPECT_EQ(sources[3].name(), "the stream");
}

TEST(Source, OfAPathIsOpenedWhenItIsRead) {
  const base::TemporaryFolder folder;
  const Source absent = folder.path() / "absent";
  EXPECT_TRUE(absent);
  EXPECT_THAT(base::refusal([&] { absent.size(); }), HasSubstr("absent: cannot open the file"));
  EXPECT_THAT(base::refusal([&] { Source(folder.path()).size(); }), HasSubstr(": this is not a file"));
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(base::refusal([&] { Source(pipe).size(); }), HasSubstr(": this is not a file"));
  base::write_file(absent.file(), std::string("x"));
  EXPECT_EQ(absent.size(), 1U);
  EXPECT_FALSE(Source(""));
  EXPECT_FALSE(Source(std::filesystem::path()));
}

TEST(Source, OfMemoryDoesNotCopyIt) {
  std::vector<std::byte> bytes(100);
  const Source source = Source::memory(bytes, "my bytes");
  bytes[7] = std::byte{9};
  EXPECT_EQ(read_whole(source)[7], std::byte{9});
  EXPECT_EQ(base::refusal([&] { source.read(1, bytes); }), "my bytes: it ends too early");
}

TEST(Source, OfAStreamTakesPiecesOfAllSizes) {
  for (const std::size_t size : {0, 1, 2, 63, 128, 129, 1000})
    for (const std::size_t most : {1, 2, 3, 127, 5000}) {
      const std::vector<std::byte> bytes = counted_bytes(size);
      EXPECT_EQ(read_whole(Source::stream(in_pieces(bytes, most), {5000})), bytes);
      EXPECT_EQ(read_whole(Source::stream(in_pieces(bytes, most), {size, size})), bytes);
    }
}

TEST(Source, OfAStreamIsRefusedBeyondItsBound) {
  const auto refused = [](std::size_t size, const StreamBound& bound) {
    return base::refusal([&] { Source::stream(in_pieces(counted_bytes(size), 64), bound, "it"); });
  };
  EXPECT_EQ(refused(101, {100}),
            "it: it has more than the 100 bytes that are accepted; raise the bound if this is right");
  EXPECT_EQ(refused(100, {100}), base::kNotRefused);
  EXPECT_EQ(refused(5, {4, 5}),
            "it: it says that it has 5 bytes, and at most 4 are accepted; raise the bound if this is right");
  EXPECT_EQ(refused(101, {1000, 100}), "it: it says that it has 100 bytes, and has more; send it again");
  EXPECT_EQ(refused(99, {1000, 100}), "it: it ended after 99 of 100 bytes; send it again");
  EXPECT_EQ(refused(0, {0, 0}), base::kNotRefused);
}

TEST(Source, OfAStreamTakesMemoryOnlyForBytesThatArrived) {
  // The whole length would not fit any machine.
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;
  EXPECT_THAT(base::refusal([&] {
                Source::stream(in_pieces(counted_bytes(10), 3), {kHuge, kHuge}, "it");
              }),
              HasSubstr("it ended after 10 of 1152921504606846976 bytes"));
}

TEST(Source, OfAStreamThatStallsOrLiesIsRefused) {
  int calls = 0;
  EXPECT_EQ(base::refusal([&] {
              Source::stream([&](std::span<std::byte>) -> std::optional<std::size_t> { return ++calls == 1 ? 3 : 0; },
                             {100}, "it");
            }),
            "it: after 3 bytes it gave none 1000 times in a row; send it again");
  EXPECT_EQ(calls, 1 + Source::kMostIdleCalls);
  EXPECT_EQ(
      base::refusal([] { Source::stream([](std::span<std::byte> room) { return room.size() + 1; }, {100}, "it"); }),
      "it: it gave 101 bytes where 100 were asked for; correct the callback");
}

TEST(Source, PassesOnWhatAStreamThrows) {
  const NextBytes next = [](std::span<std::byte>) -> std::optional<std::size_t> { throw std::runtime_error("cut"); };
  EXPECT_EQ(base::refusal<std::runtime_error>([&] { Source::stream(next, {100}); }), "cut");
}

}  // namespace
}  // namespace tacit::runtime
