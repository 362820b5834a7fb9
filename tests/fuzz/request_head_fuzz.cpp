#include <httplib.h>

#include <algorithm>
#include <cstring>

#include "app/service/request_head.h"
#include "base/error.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

namespace {

/// A head that the HTTP library reads as from a connection; its answer is thrown away.
class MemoryStream final : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view bytes) : left_(bytes) {}
  std::size_t left() const { return left_.size(); }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, std::size_t size) override {
    size = std::min(size, left_.size());
    std::memcpy(out, left_.data(), size);
    left_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return -1; }

 private:
  std::string_view left_;
};

/// What the library makes of a head.
class Library final : public httplib::Server {
 public:
  struct Reading {
    bool accepted = false;
    std::size_t beyond = 0;  ///< bytes that it did not take for the head
    bool encoded = false;
    std::string length;
    std::size_t lengths = 0;
  };
  Library() {
    set_pre_routing_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
      response.status = 200;
      return HandlerResponse::Handled;
    }));
  }
  Reading read(std::string_view head) {
    MemoryStream stream(head);
    Reading reading;
    bool closed = false;
    process_request(stream, true, closed, [&](httplib::Request& request) {
      reading = {.accepted = true,
                 .beyond = stream.left(),
                 .encoded = request.has_header("Transfer-Encoding"),
                 .length = request.get_header_value("Content-Length"),
                 .lengths = request.get_header_value_count("Content-Length")};
    });
    return reading;
  }
};

}  // namespace

std::string_view target_name() { return "request_head"; }

std::vector<Bytes> seeds() {
  return {bytes_of("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"),
          bytes_of("PUT /v1/models/0/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Length: 17\r\n"
                   "Content-Range: bytes 0-16/17\r\n\r\n"),
          bytes_of("POST /x?wait=1 HTTP/1.1\r\nX-%35:\t%35 + \r\ncontent-length:0\r\n\r\n"),
          bytes_of("DELETE / HTTP/1.0\r\nA:\r\nB: a:b\r\n\r\n")};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  constexpr std::string_view kPieces[] = {"Transfer-Encoding: chunked\r\n",
                                          "Content-Length: 5\r\n",
                                          " Content-Length: 5\r\n",
                                          "Content-Length : %35\r\n",
                                          "\r",
                                          "\n"};
  Bytes changed = random.one_in(2) ? mutate_text(from, other, random) : mutate_bytes(from, other, random);
  if (random.one_in(2)) {
    const std::string_view piece = kPieces[random.below(std::size(kPieces))];
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(random.below(changed.size() + 1)), piece.begin(),
                   piece.end());
  }
  return changed;
}

/// A head that is not refused ends for the library where it ends here, and has the same length of the body.
void check(std::span<const std::uint8_t> bytes) {
  const std::string_view head = text_of(bytes);
  const app::service::RequestFraming framing = app::service::framing_of(head);
  if (framing.refusal) {
    const int status = framing.refusal->status();
    require(status == 400 || status == 411, "a head is refused by a status after which the connection ends");
    throw base::InputError(framing.refusal->what());
  }
  require(head.ends_with("\r\n\r\n") || head == "\r\n", "a head ends with an empty line");
  static Library library;
  const Library::Reading reading = library.read(head);
  if (!reading.accepted) return;
  require(reading.beyond == 0, "the library reads the head to its end");
  require(!reading.encoded && reading.lengths <= 1, "the library sees one length at most and no encoding");
  const std::uint64_t length = reading.lengths == 0 ? 0 : std::strtoull(reading.length.c_str(), nullptr, 10);
  require(length == framing.body_bytes, "the library reads the same length");
}

}  // namespace tacit::fuzz
