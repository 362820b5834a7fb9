#include "app/service/connection_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

#include "app/service/http_server.h"

namespace tacit::app::service {
namespace {

using namespace std::chrono_literals;
using Step = ConnectionStream::Step;

/// A connection without TLS, and the peer's end of it.
class ConnectionStreamTest : public testing::Test {
 protected:
  ConnectionStreamTest() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    peer_ = ends_[1];
  }
  ~ConnectionStreamTest() override { hang_up(); }
  /// Takes its end for ever: one a test.
  ConnectionStream connection(const ConnectionLimits& limits) const { return {ends_[0], nullptr, limits}; }
  void send(const std::string& text) const {
    EXPECT_EQ(::send(peer_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (peer_ >= 0) ::close(peer_);
    peer_ = -1;
  }
  /// What is read at most so many bytes at once: "" at the end, "late" for -1.
  static std::string read(ConnectionStream& stream, std::size_t most) {
    std::string text(most, '\0');
    const ssize_t count = stream.read(text.data(), most);
    if (count < 0) return "late";
    text.resize(static_cast<std::size_t>(count));
    return text;
  }
  int ends_[2]{-1, -1}, peer_ = -1;
};

TEST_F(ConnectionStreamTest, AHeaderHasSoManyBytesAtMost) {
  ConnectionStream stream = connection({.header_bytes = 8});
  send("0123456789abcdef");
  stream.begin_header();
  EXPECT_FALSE(stream.header_is_whole());
  EXPECT_EQ(read(stream, 4), "0123");
  EXPECT_EQ(read(stream, 3), "456");
  EXPECT_EQ(stream.header_refusal(), 0);
  EXPECT_EQ(read(stream, 1), "7") << "the eighth";
  EXPECT_EQ(read(stream, 1), "late");
  EXPECT_EQ(stream.header_refusal(), 431);
  stream.begin_header();
  EXPECT_EQ(stream.header_refusal(), 0) << "of the next one";
  EXPECT_EQ(read(stream, 7), "89abcde");
  EXPECT_EQ(read(stream, 7), "f");
  EXPECT_EQ(read(stream, 7), "late");
  EXPECT_EQ(stream.header_refusal(), 431);
  EXPECT_TRUE(stream.is_readable()) << "an answer can be given";
}

TEST_F(ConnectionStreamTest, ABodyEndsWhereItsLengthSaysAndTheNextRequestFollows) {
  ConnectionStream stream = connection({});
  send("headBODY!next");
  stream.begin_header();
  EXPECT_EQ(read(stream, 4), "head");
  stream.begin_body(5);
  EXPECT_TRUE(stream.header_is_whole());
  EXPECT_EQ(stream.body_left(), 5U);
  EXPECT_EQ(read(stream, 2), "BO");
  EXPECT_EQ(stream.body_left(), 3U);
  EXPECT_EQ(read(stream, 100), "DY!");
  EXPECT_EQ(stream.body_left(), 0U);
  EXPECT_EQ(read(stream, 100), "");
  stream.await_request();
  EXPECT_FALSE(stream.header_is_whole());
  EXPECT_EQ(stream.advance(), Step::waits) << "a part of a header";
  EXPECT_EQ(stream.late_status(), 408) << "it is here already";
  stream.begin_header();
  EXPECT_EQ(read(stream, 100), "next");
  stream.begin_body(0);
  EXPECT_EQ(read(stream, 100), "") << "a body of nothing";
  EXPECT_EQ(stream.read(nullptr, 0), -1);
}

TEST_F(ConnectionStreamTest, APeerThatGoesAwayEndsAHeaderAndBreaksABody) {
  ConnectionStream stream = connection({});
  send("h");
  hang_up();
  stream.begin_header();
  EXPECT_EQ(read(stream, 10), "h");
  EXPECT_EQ(read(stream, 10), "");
  EXPECT_EQ(stream.header_refusal(), 0) << "nobody is there to be told";
  EXPECT_TRUE(stream.is_readable());
  stream.begin_body(3);
  EXPECT_EQ(read(stream, 10), "");
  EXPECT_EQ(stream.body_left(), 3U);
  EXPECT_FALSE(stream.is_readable());
  EXPECT_FALSE(stream.is_writable());
  EXPECT_EQ(read(stream, 10), "late");
  EXPECT_EQ(stream.write("x", 1), -1);
  EXPECT_EQ(stream.advance(), Step::ended);
}

TEST_F(ConnectionStreamTest, AHeaderThatStopsIsLateAndOneThatNeverBeganIsNot) {
  ConnectionStream stream = connection({.header = 20ms});
  stream.begin_header();
  EXPECT_EQ(read(stream, 10), "late");
  EXPECT_EQ(stream.header_refusal(), 0) << "nothing was asked";
  send("G");
  stream.begin_header();
  EXPECT_EQ(read(stream, 10), "G");
  EXPECT_EQ(read(stream, 10), "late");
  EXPECT_EQ(stream.header_refusal(), 408);
  EXPECT_TRUE(stream.is_writable());
}

TEST_F(ConnectionStreamTest, ARequestIsReadyWhenItsHeaderIsWhole) {
  ConnectionStream stream = connection({});
  for (const char* part : {"", "GET / HTTP/1.1\r\nX: y", "\r", "\n", "\r"}) {
    send(part);
    EXPECT_EQ(stream.advance(), Step::waits) << part;
  }
  EXPECT_EQ(stream.events(), POLLIN);
  send("\nnext");
  EXPECT_EQ(stream.advance(), Step::ready);
  EXPECT_EQ(stream.advance(), Step::ready) << "still";
  stream.begin_header();
  EXPECT_EQ(read(stream, 100), "GET / HTTP/1.1\r\nX: y\r\n\r\nnext");
}

TEST_F(ConnectionStreamTest, TheNextRequestMayBeHere) {
  ConnectionStream stream = connection({});
  send("A\r\n\r\nB\r\n\r\n");
  EXPECT_EQ(stream.advance(), Step::ready);
  stream.begin_header();
  EXPECT_EQ(read(stream, 5), "A\r\n\r\n");
  stream.begin_body(0);
  stream.await_request();
  EXPECT_EQ(stream.advance(), Step::ready);
  stream.begin_header();
  EXPECT_EQ(read(stream, 100), "B\r\n\r\n");
  stream.await_request();
  EXPECT_EQ(stream.advance(), Step::waits);
}

TEST_F(ConnectionStreamTest, AHeaderThatIsTooLongIsReadNoFurther) {
  ConnectionStream stream = connection({.header_bytes = 8});
  send("1234567");
  EXPECT_EQ(stream.advance(), Step::waits);
  send("8");
  EXPECT_EQ(stream.advance(), Step::ready) << "it is refused";
}

TEST_F(ConnectionStreamTest, APeerThatGoesAwayAsksNothing) {
  ConnectionStream stream = connection({});
  hang_up();
  EXPECT_EQ(stream.advance(), Step::ended);
}

TEST_F(ConnectionStreamTest, AHeaderHasATimeOfItsOwn) {
  const auto seconds_left = [](const ConnectionStream& stream) {
    return std::chrono::duration<double>(stream.until() - ConnectionStream::Clock::now()).count();
  };
  ConnectionStream stream = connection({.header = 20s, .idle = 60s});
  EXPECT_EQ(stream.advance(), Step::waits);
  EXPECT_GT(seconds_left(stream), 30);
  EXPECT_EQ(stream.late_status(), 0) << "nothing was asked";
  send("G");
  EXPECT_EQ(stream.advance(), Step::waits);
  EXPECT_LT(seconds_left(stream), 21);
  EXPECT_EQ(stream.late_status(), 408);
  const auto until = stream.until();
  send("E");
  EXPECT_EQ(stream.advance(), Step::waits);
  EXPECT_EQ(stream.until(), until) << "of the whole header, not of a byte";
  stream.begin_header();
  EXPECT_EQ(read(stream, 9), "GE");
  stream.begin_body(0);
  stream.await_request();
  EXPECT_GT(seconds_left(stream), 30);
}

TEST_F(ConnectionStreamTest, ASlowBodyGivesWayToOthers) {
  ConnectionStream stream = connection({});
  int asked = 0;
  bool others = false;
  stream.give_way_if([&] {
    ++asked;
    return others;
  });
  send("first");
  stream.begin_header();
  stream.begin_body(10);
  EXPECT_EQ(read(stream, 3), "fir");
  EXPECT_EQ(asked, 0) << "it is not slow yet";
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(read(stream, 1), "s");
  EXPECT_EQ(asked, 1);
  others = true;
  EXPECT_EQ(read(stream, 1), "late");
  EXPECT_TRUE(stream.gave_way());
  EXPECT_EQ(stream.write("answer", 6), 6) << "and its client is told";
}

TEST_F(ConnectionStreamTest, ABodyThatDoesNotComeGivesWayToOthers) {
  ConnectionStream stream = connection({});
  stream.give_way_if([] { return true; });
  stream.begin_header();
  stream.begin_body(10);
  EXPECT_EQ(read(stream, 1), "late") << "long before its grace is over";
  EXPECT_TRUE(stream.gave_way());
  EXPECT_TRUE(stream.is_writable());
}

// Of a body that begins with five bytes: what it may take is the grace, and what its bytes take at the slowest.
class SlowBody : public ConnectionStreamTest {
 protected:
  /// What comes behind five bytes that are here, and half a second later.
  std::string second_part(std::chrono::milliseconds grace, std::uint64_t slowest) {
    ConnectionStream stream = connection({.grace = grace, .slowest = slowest});
    send("first");
    stream.begin_body(10);
    EXPECT_EQ(read(stream, 10), "first");
    std::thread sender([this] {
      std::this_thread::sleep_for(300ms);
      ::send(peer_, "later", 5, MSG_NOSIGNAL);
    });
    std::string found = read(stream, 10);
    EXPECT_EQ(stream.is_readable(), found != "late") << "a body that is late is given up";
    sender.join();
    return found;
  }
};

TEST_F(SlowBody, IsWaitedForWithinItsGrace) { EXPECT_EQ(second_part(30s, 1 << 20), "later"); }
TEST_F(SlowBody, IsWaitedForAsLongAsItsBytesMayTake) { EXPECT_EQ(second_part(0ms, 1), "later"); }
TEST_F(SlowBody, IsLateBehindBoth) { EXPECT_EQ(second_part(1ms, 1000), "late"); }

TEST_F(ConnectionStreamTest, AnAnswerIsWhatIsWritten) {
  ConnectionStream stream = connection({});
  stream.begin_header();
  EXPECT_FALSE(stream.answered());
  EXPECT_EQ(stream.write("answer", 6), 6);
  EXPECT_TRUE(stream.answered());
  char found[16];
  EXPECT_EQ(::recv(peer_, found, sizeof found, 0), 6);
  EXPECT_EQ(std::string(found, 6), "answer");
  stream.begin_header();
  EXPECT_FALSE(stream.answered()) << "the next request";
  hang_up();
  EXPECT_EQ(stream.write("answer", 6), -1);
  EXPECT_FALSE(stream.answered());
  EXPECT_FALSE(stream.is_writable());
}

TEST_F(ConnectionStreamTest, AnAnswerThatNobodyFetchesIsGivenUp) {
  ConnectionStream stream = connection({.grace = 20ms, .slowest = 1 << 30});
  stream.begin_header();
  const std::string much(1 << 16, 'x');
  ssize_t written = 0;
  for (int i = 0; i < 1000 && written >= 0; ++i) written = stream.write(much.data(), much.size());
  EXPECT_EQ(written, -1);
  EXPECT_TRUE(stream.answered());
  EXPECT_FALSE(stream.is_writable());
}

// The peer sends on while it is answered: the answer arrives all the same.
TEST_F(ConnectionStreamTest, AConnectionIsClosedBehindItsAnswer) {
  ConnectionStream stream = connection({});
  send(std::string(20000, 'x'));
  EXPECT_EQ(stream.write("no", 2), 2);
  std::string answer;
  std::thread peer([&] {
    char found[16];
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(peer_, found, sizeof found, 0);
      answer.append(found, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    hang_up();
  });
  stream.begin_leaving();
  while (stream.advance() == Step::waits) std::this_thread::sleep_for(1ms);
  peer.join();
  EXPECT_EQ(answer, "no");
}

TEST(ConnectionLimits, AreSecondsAndKibibytes) {
  const ConnectionLimits limits;
  EXPECT_EQ(limits.header, 10s);
  EXPECT_EQ(limits.idle, 15s);
  EXPECT_EQ(limits.grace, 20s);
  EXPECT_EQ(limits.slowest, 16384U);
  EXPECT_EQ(limits.header_bytes, 32768U);
  const ConnectionBounds bounds;
  EXPECT_EQ(bounds.served, 128U);
  EXPECT_EQ(bounds.waiting, 128U);
}

}  // namespace
}  // namespace tacit::app::service
