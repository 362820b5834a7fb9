#include "app/service/allowed_origins.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::app::service {
namespace {

std::string refusal_of(const std::string& origin) {
  return base::refusal([&] { AllowedOrigins({origin}); });
}

TEST(AllowedOrigins, AreComparedLetterByLetter) {
  const AllowedOrigins origins({"https://example.org", "http://127.0.0.1:8000", "https://[2001:db8::1]:444"});
  for (const char* origin : {"https://example.org", "http://127.0.0.1:8000", "https://[2001:db8::1]:444"})
    EXPECT_TRUE(origins.allow(origin)) << origin;
  for (const char* origin :
       {"", "null", "*", "http://example.org", "https://example.org:443", "https://example.org/", "https://EXAMPLE.org",
        "https://example.org.evil.net", "https://evil.net/https://example.org", "http://127.0.0.1:80001",
        "https://sub.example.org", "https://example.or"})
    EXPECT_FALSE(origins.allow(origin)) << origin;
  EXPECT_FALSE(origins.empty());
  EXPECT_TRUE(AllowedOrigins().empty());
  EXPECT_FALSE(AllowedOrigins().allow("https://example.org"));
}

TEST(AllowedOrigins, AreRefusedUnlessABrowserSendsThemLikeThat) {
  EXPECT_EQ(refusal_of("https://example.org"), base::kNotRefused);
  EXPECT_EQ(refusal_of("http://localhost:5173"), base::kNotRefused);
  const std::string every =
      ": every page could call the service; name the origin of one page, like https://example.org";
  EXPECT_EQ(refusal_of("*"), "--allow-origin *" + every);
  EXPECT_EQ(refusal_of("null"), "--allow-origin null" + every);
  for (const char* text : {"", "example.org", "ftp://example.org", "https://", "https://example.org/page",
                           "https://anna@example.org", "https://example.org:0", "https://a\r\nb"})
    EXPECT_EQ(refusal_of(text),
              "--allow-origin " + std::string(text) +
                  " is no origin; give SCHEME://HOST or SCHEME://HOST:PORT, like https://example.org");
  EXPECT_EQ(refusal_of("http://example.org"),
            "--allow-origin http://example.org: others could replace a page that comes without TLS; give an origin of "
            "https://");
  EXPECT_EQ(refusal_of("https://Example.org:443"),
            "--allow-origin https://Example.org:443: browsers write this origin as https://example.org; give that");
  EXPECT_EQ(refusal_of("https://example.org/"),
            "--allow-origin https://example.org/: browsers write this origin as https://example.org; give that");
}

}  // namespace
}  // namespace tacit::app::service
