#include "app/service/path_names.h"

#include <gtest/gtest.h>

namespace tacit::app::service {
namespace {

TEST(PathNames, ReplaceThePathAndWhatIsBelow) {
  PathNames names;
  names.add("/var/state", "the server's files");
  names.add("/var/state/keys", "your keys");
  names.add("here", "the model");
  for (const auto& [sentence, told] : std::vector<std::pair<std::string, std::string>>{
           {"the inputs and /var/state/keys/0a1b/m/upload do not belong together",
            "the inputs and your keys do not belong together"},
           {"/var/state/keys/0a/keys-17: damaged", "your keys: damaged"},
           {"/var/state/journal: cannot write", "the server's files: cannot write"},
           {"/var/state: cannot write", "the server's files: cannot write"},
           {"it is in '/var/state/x.y'.", "it is in 'the server's files'."},
           {"it is in /var/state/x.", "it is in the server's files."},
           {"/var/statement and /other/var/state/x stay", "/var/statement and /other/var/state/x stay"},
           {"what is here stays, here/server.tacit does not", "what is here stays, the model does not"},
           {"/var/state/a and /var/state/keys/b", "the server's files and your keys"}})
    EXPECT_EQ(names.named(sentence), told);
  EXPECT_EQ(names.named(std::filesystem::absolute("here/server.tacit").string() + ": no"), "the model: no");
}

// A file of one request has a name of its own in its sentences.
TEST(PathNames, SayWhatAFileIsToTheClientWhereverItIsNamed) {
  const auto named = [](const std::string& sentence, const char* name) {
    return PathNames{{"/srv/a", name}}.named(sentence);
  };
  EXPECT_EQ(named("/srv/a is short; send /srv/a again", "the upload"), "the upload is short; send the upload again");
  EXPECT_EQ(named("/srv/a: short", "the upload"), "the upload: short");
  EXPECT_EQ(named("/srv/a is short", "what was /srv/b"), "what was /srv/b is short");
  EXPECT_EQ(named("/srv/a is short", "the file at /srv/a"), "the file at /srv/a is short");
  EXPECT_EQ(named("no file", "the upload"), "no file");
  EXPECT_EQ((PathNames{{"/srv/job/input", "the inputs"}, {"/srv/job/output", "the results"}}.named(
                "/srv/job/output: no room for what /srv/job/input asks")),
            "the results: no room for what the inputs asks");
}

TEST(PathNames, NameNothingWhereThereAreNone) {
  PathNames names;
  EXPECT_EQ(names.named("/var/state"), "/var/state");
  names.add("", "nothing");
  names.add("/", "everything");
  EXPECT_EQ(names.named("/var/state"), "/var/state");
}

}  // namespace
}  // namespace tacit::app::service
