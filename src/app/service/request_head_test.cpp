#include "app/service/request_head.h"

#include <gtest/gtest.h>

#include <string>

namespace tacit::app::service {
namespace {

int status_of_head(const std::string& headers, const std::string& line = "GET / HTTP/1.1\r\n") {
  const RequestFraming framing = framing_of(line + headers + "\r\n");
  return framing.refusal ? framing.refusal->status() : 200;
}

TEST(RequestHead, StatesTheBytesOfTheBody) {
  const auto bytes = [](const std::string& headers) {
    const RequestFraming framing = framing_of("PUT /x HTTP/1.1\r\n" + headers + "\r\n");
    EXPECT_FALSE(framing.refusal) << headers;
    return framing.body_bytes;
  };
  EXPECT_EQ(bytes(""), 0U);
  EXPECT_EQ(bytes("Host: x\r\nX:\r\nX-Y: a\tb\r\n"), 0U);
  EXPECT_EQ(bytes("Content-Length: 5\r\n"), 5U);
  EXPECT_EQ(bytes("cONTENT-lENGTH:\t 18446744073709551615 \r\n"), 18446744073709551615U);
  EXPECT_EQ(bytes("X: \xc3\xa4 %35\r\nContent-Length:007\r\n"), 7U);
}

TEST(RequestHead, RefusesLengthsThatAreNone) {
  for (const char* value : {"", " ", "%35", "5x", "+5", "-5", "0x5", "5 5", "5,5", "5, 5", "5.0", "1e3",
                            "18446744073709551616", "99999999999999999999999"})
    EXPECT_EQ(status_of_head("Content-Length: " + std::string(value) + "\r\n"), 400) << value;
  EXPECT_EQ(status_of_head("Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(status_of_head("Content-Length: 0\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(status_of_head("Content-Length : 5\r\n"), 400);
}

TEST(RequestHead, RefusesEveryTransferEncoding) {
  for (const char* value : {"chunked", "identity", "", "gzip, chunked", "x%63hunked"})
    EXPECT_EQ(status_of_head("TRANSFER-encoding: " + std::string(value) + "\r\n"), 411) << value;
  EXPECT_EQ(status_of_head("Transfer-Encoding : chunked\r\n"), 400);
  EXPECT_EQ(status_of_head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 411);
}

TEST(RequestHead, RefusesWhatAnotherMayReadDifferently) {
  using namespace std::string_literals;
  for (const std::string& headers :
       {"X: a\0b\r\n"s, "X\0: a\r\n"s, "X: a\rb\r\n"s, "X: a\r\r\n"s, "X: a\n"s, "X: a\nY: b\r\n"s, "X: \x01\r\n"s,
        "X: \x7f\r\n"s, " X: a\r\n"s, "X: a\r\n b\r\n"s, "X: a\r\n\tb\r\n"s, "X : a\r\n"s, "X\t: a\r\n"s, ": a\r\n"s,
        "X\r\n"s, "X Y: a\r\n"s, "X(: a\r\n"s, "\xc3\xa4: a\r\n"s})
    EXPECT_EQ(status_of_head(headers), 400) << headers;
  EXPECT_EQ(status_of_head("", "GET /\0 HTTP/1.1\r\n"s), 400);
  EXPECT_EQ(status_of_head("", "GET / HTTP/1.1\n"s), 400);
  EXPECT_EQ(status_of_head("", ""s), 400);
  EXPECT_TRUE(framing_of("GET / HTTP/1.1\r\nX: a\r\n").refusal) << "it has no end";
  EXPECT_TRUE(framing_of("").refusal);
}

}  // namespace
}  // namespace tacit::app::service
