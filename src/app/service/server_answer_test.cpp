#include "app/service/server_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/refusal_for_test.h"

namespace tacit::app::service {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kWhere = "http://x: keys";

TEST(ServerAnswer, OfKeysIsReadAsAServerWritesIt) {
  const KeyAnswer none = read_key_answer(R"({"state": "none"})", kWhere);
  EXPECT_EQ(none.root, "");
  EXPECT_EQ(none.total, 0U);
  const KeyAnswer both =
      read_key_answer(R"({"state": "ready", "root": "ab", "upload": {"received": 5, "total": 9}})", kWhere);
  EXPECT_EQ(both.root, "ab");
  EXPECT_EQ(both.received, 5U);
  EXPECT_EQ(both.total, 9U);
}

TEST(ServerAnswer, OfAJobIsReadAsAServerWritesIt) {
  const JobAnswer done = read_job_answer(R"({"job": "0a-_Z", "state": "done", "inputs": 2, "seconds": 1})", kWhere);
  EXPECT_EQ(done.id, "0a-_Z");
  EXPECT_EQ(done.state, JobAnswer::State::done);
  EXPECT_EQ(done.inputs, 2U);
  EXPECT_EQ(done.seconds, 1.0);
  for (const char* state : {"queued", "running"})
    EXPECT_EQ(read_job_answer(R"({"job": "7", "state": ")" + std::string(state) + "\"}", kWhere).state,
              JobAnswer::State::waiting);
  EXPECT_EQ(read_job_answer(R"({"job": "7", "state": "failed", "error": "why"})", kWhere).error, "why");
}

TEST(ServerAnswer, OfAnotherFormIsTheServersFault) {
  for (const char* body : {"", "[]", "null", "7", "{", "{\"root\": \"\xff\"}"})
    EXPECT_THAT(base::refusal([&] { read_key_answer(body, kWhere); }),
                StartsWith("http://x: keys: its answer is no JSON of an object"))
        << body;
  for (const char* body :
       {R"({"root": 7})", R"({"root": null})", R"({"upload": []})", R"({"upload": {"received": -1}})",
        R"({"upload": {"received": "5"}})", R"({"upload": {"total": 1.5}})", R"({"upload": {"total": 1e30}})"})
    EXPECT_THAT(base::refusal([&] { read_key_answer(body, kWhere); }),
                testing::AllOf(StartsWith("http://x: keys: '"), HasSubstr("' in its answer is no ")))
        << body;
  for (const char* body :
       {R"({"job": 7, "state": "done"})", R"({"job": "7"})", R"({"job": "7", "state": "lost"})",
        R"({"job": "7", "state": ["done"]})", R"({"job": "../x", "state": "done"})", R"({"state": "done"})",
        R"({"job": "7", "state": "done", "inputs": "2"})", R"({"job": "7", "state": "done", "inputs": -2})",
        R"({"job": "7", "state": "done", "seconds": "1"})", R"({"job": "7", "state": "done", "seconds": -1})",
        R"({"job": "7", "state": "failed", "error": {}})"})
    EXPECT_THAT(base::refusal([&] { read_job_answer(body, kWhere); }),
                testing::AllOf(StartsWith("http://x: keys: '"), HasSubstr("' in its answer is no ")))
        << body;
}

/// A group as a server writes it, with `field` in place of the one of its name.
std::string group_with(const std::string& name = "", const std::string& value = "") {
  std::string body = "{";
  for (
      const auto& [field, usual] : std::map<std::string, std::string>{
          {"group", '"' + std::string(64, 'a') + '"'},
          {"state", R"("agreed")"},
          {"deadline", "1700000000"},
          {"rounds",
           R"([{"kind": "share", "results": "ab", "receiver": "r", "sent": ["a"], "missing": ["b"], "enough": true}])"},
          {"files", R"([{"name": "results.ab", "sender": "a", "bytes": 7}])"}})
    body += (body.size() > 1 ? ", \"" : "\"") + field + "\": " + (field == name ? value : usual);
  return body + "}";
}

TEST(ServerAnswer, OfAGroupIsReadAsAServerWritesIt) {
  const GroupAnswer group = read_group_answer(group_with(), kWhere);
  EXPECT_EQ(group.id, std::string(64, 'a'));
  EXPECT_EQ(group.state, "agreed");
  EXPECT_EQ(group.deadline, 1700000000U);
  ASSERT_EQ(group.rounds.size(), 1U);
  EXPECT_EQ(group.rounds[0].missing, std::vector<std::string>{"b"});
  EXPECT_TRUE(group.rounds[0].enough);
  ASSERT_EQ(group.files.size(), 1U);
  EXPECT_EQ(group.files[0].bytes, 7U);
  EXPECT_EQ(read_groups_answer("{\"groups\": [" + group_with() + ", " + group_with() + "]}", kWhere).size(), 2U);
  EXPECT_EQ(read_posted_answer(R"({"name": "part1.0"})", kWhere), "part1.0");
}

TEST(ServerAnswer, OfAGroupNamesNoFileOutsideOfTheFolder) {
  for (const char* name : {"../x", "/x", ".x", "", "X", "a b"}) {
    const std::string file = "{\"name\": \"" + std::string(name) + "\"}";
    EXPECT_THAT(base::refusal([&] { read_posted_answer(file, kWhere); }), HasSubstr("is no name of a file")) << name;
    EXPECT_THAT(base::refusal([&] { read_group_answer(group_with("files", "[" + file + "]"), kWhere); }),
                HasSubstr("is no name of a file"))
        << name;
  }
  for (const auto& [name, value] : {std::pair{"group", R"("ab")"},
                                    {"state", R"("lost")"},
                                    {"deadline", "-1"},
                                    {"deadline", "1099511627776"},
                                    {"rounds", "7"},
                                    {"rounds", "[7]"},
                                    {"rounds", R"([{"sent": [], "missing": [7], "enough": true}])"},
                                    {"rounds", R"([{"sent": [], "missing": []}])"},
                                    {"files", "{}"}})
    EXPECT_THAT(base::refusal([&] { read_group_answer(group_with(name, value), kWhere); }),
                testing::AllOf(StartsWith("http://x: keys: '"), HasSubstr("' in its answer is no ")))
        << name << value;
}

TEST(ServerAnswer, OfARefusalIsItsSentenceOrItsStatus) {
  EXPECT_EQ(read_refusal(R"({"error": "why"})", 400), "why");
  for (const char* body : {"", "no JSON", "[]", "{}", R"({"error": 7})"})
    EXPECT_EQ(read_refusal(body, 418), "status 418");
  EXPECT_EQ(read_refusal("{\"error\": \"" + std::string(5000, 'x') + "\"}", 400), std::string(1000, 'x'));
}

}  // namespace
}  // namespace tacit::app::service
