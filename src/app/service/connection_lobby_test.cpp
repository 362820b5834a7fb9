#include "app/service/connection_lobby.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace tacit::app::service {
namespace {

using namespace std::chrono_literals;

/// A lobby, and the ends of its peers. What is served is counted, and leaves.
class ConnectionLobbyTest : public testing::Test {
 protected:
  ~ConnectionLobbyTest() override {
    for (const int peer : peers_) ::close(peer);
  }
  ConnectionLobby lobby(std::size_t most) {
    return {
        most,
        {.serve = [this](const auto&) { ++served_; },
         .refuse = [](Connection& connection, int status) { connection.stream.try_write(std::to_string(status)); }}};
  }
  /// A connection that sends `text`. Returns the peer's end.
  int enter(ConnectionLobby& lobby, const std::string& address, const std::string& text,
            const ConnectionLimits& limits = {}) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    peers_.push_back(ends[1]);
    send(ends[1], text);
    lobby.enter(std::make_shared<Connection>(ends[0], nullptr, limits, address));
    return ends[1];
  }
  static void send(int peer, const std::string& text) { ::send(peer, text.data(), text.size(), MSG_NOSIGNAL); }
  /// What comes until the connection ends.
  static std::string told(int peer) {
    std::string text;
    char piece[64];
    for (ssize_t count = 0; (count = ::recv(peer, piece, sizeof piece, 0)) > 0;)
      text.append(piece, static_cast<std::size_t>(count));
    return text;
  }
  void wait_for_served(int count) const {
    for (int i = 0; i < 5000 && served_ < count; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(served_, count);
  }
  std::atomic<int> served_{0};
  std::vector<int> peers_;
};

constexpr const char* kWhole = "GET / HTTP/1.1\r\n\r\n";

TEST_F(ConnectionLobbyTest, ServesWhatIsWholeBesideWhatIsNot) {
  ConnectionLobby lobby = this->lobby(1000);
  lobby.open();
  std::vector<int> slow;
  for (int i = 0; i < 200; ++i) slow.push_back(enter(lobby, "hostile", i % 2 == 0 ? "" : "GET /"));
  enter(lobby, "honest", kWhole);
  wait_for_served(1);
  send(slow[1], " HTTP/1.1\r\n");
  send(slow[1], "\r\n");
  wait_for_served(2);
}

TEST_F(ConnectionLobbyTest, WhatIsLateIsToldSoIfItAskedAnything) {
  ConnectionLobby lobby = this->lobby(10);
  lobby.open();
  const ConnectionLimits limits{.header = 20ms, .idle = 20ms};
  const int silent = enter(lobby, "a", "", limits), slow = enter(lobby, "a", "G", limits);
  EXPECT_EQ(told(silent), "");
  EXPECT_EQ(told(slow), "408");
}

TEST_F(ConnectionLobbyTest, TheFirstOfTheAddressWithTheMostGivesWay) {
  ConnectionLobby lobby = this->lobby(3);
  EXPECT_EQ(told(enter(lobby, "hostile", "G")), "") << "it is not open yet";
  lobby.open();
  const int honest = enter(lobby, "honest", "G");
  const int idle = enter(lobby, "hostile", ""), second = enter(lobby, "hostile", "G");
  enter(lobby, "hostile", "G");
  EXPECT_EQ(told(idle), "");
  enter(lobby, "another", "G");
  EXPECT_EQ(told(second), "503");
  send(honest, std::string(kWhole).substr(1));
  wait_for_served(1);
}

TEST_F(ConnectionLobbyTest, AClosedOneEndsWhatWaitsAndLetsAnswersArrive) {
  ConnectionLobby lobby = this->lobby(10);
  lobby.open();
  const int idle = enter(lobby, "a", "");
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  peers_.push_back(ends[1]);
  const auto answered = std::make_shared<Connection>(ends[0], nullptr, ConnectionLimits{}, "a");
  send(ends[1], "a body that nobody wants");
  answered->stream.try_write("no");
  lobby.close();
  EXPECT_EQ(told(idle), "");
  answered->stream.begin_leaving();
  lobby.enter(answered);
  EXPECT_EQ(told(ends[1]), "no");
  ::shutdown(ends[1], SHUT_RDWR);
  const int late = enter(lobby, "a", kWhole);
  EXPECT_EQ(told(late), "");
  lobby.empty();
  EXPECT_EQ(served_, 0);
  lobby.open();
  enter(lobby, "a", kWhole);
  wait_for_served(1);
}

}  // namespace
}  // namespace tacit::app::service
