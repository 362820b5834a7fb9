#include "session/owner/options/compile_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/refusal_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;

CompileOptions after(std::string_view name, const std::vector<std::string>& words) {
  CompileOptions options;
  set(compile_option(name), options, words);
  return options;
}

std::string refusal_of(std::string_view name, const std::vector<std::string>& words) {
  return base::refusal([&] { after(name, words); });
}

TEST(CompileOption, NamesAreDistinctAndFormerOnesToo) {
  std::set<std::string_view> names;
  for (const CompileOption& option : compile_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    if (!option.former.empty()) {
      EXPECT_TRUE(names.insert(option.former).second) << option.former;
    }
    EXPECT_FALSE(option.given(CompileOptions{})) << option.name;
    if (!option.needs.empty()) compile_option(option.needs);
  }
  EXPECT_EQ(&compile_option("client_pre"), &compile_option("client-before"));
  EXPECT_THAT(base::refusal([] { compile_option("degree"); }), HasSubstr("there is no option 'degree'"));
}

TEST(CompileOption, EveryOptionIsSetByWordsAndKnowsThatItIsGiven) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> examples{{"calibrate-trim", {"3"}},
                                                                               {"ranges", {"r.json"}},
                                                                               {"input-range", {"-1,2"}},
                                                                               {"scheme", {"auto"}},
                                                                               {"bits", {"4"}},
                                                                               {"failure", {"2^-64"}},
                                                                               {"rounding", {"exact"}},
                                                                               {"parameters", {"N14"}},
                                                                               {"max-degree", {"7"}},
                                                                               {"max-polynomial-error", {"0.2"}},
                                                                               {"batch", {"auto"}},
                                                                               {"passes", {"no-fold,no-split"}},
                                                                               {"shard", {"a=x:2", "b=y:2"}},
                                                                               {"precision", {"20"}},
                                                                               {"share", {"4"}},
                                                                               {"share-statistical-bits", {"40"}},
                                                                               {"share-decryptions", {"9"}},
                                                                               {"owners", {"3,2"}},
                                                                               {"costs", {"c.json"}},
                                                                               {"client-before", {"off"}},
                                                                               {"keep-private", {"a", "b"}},
                                                                               {"max-error", {"5%"}},
                                                                               {"shape", {"x=1,3"}},
                                                                               {"constant", {"sr=16000", "y=y.npy"}}};
  ASSERT_EQ(examples.size(), compile_options().size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const CompileOption& option = compile_options()[i];
    ASSERT_EQ(option.name, examples[i].first);
    EXPECT_TRUE(option.given(after(option.name, examples[i].second))) << option.name;
    if (!option.repeats && option.name != "passes" && option.name != "input-range" && option.name != "owners") {
      EXPECT_THAT(refusal_of(option.name, {"1", "2"}), HasSubstr("takes one word")) << option.name;
    }
  }
  EXPECT_EQ(after("max-error", {"5%"}).max_error, 0.05);
  EXPECT_EQ(after("precision", {"20"}).precision, 20);
  EXPECT_EQ(after("input-range", {"-1", "2"}).input_range, std::pair(-1.0, 2.0));
  EXPECT_EQ(after("shape", {"x=1,3", "y=2"}).shapes, (std::map<std::string, Shape>{{"x", {1, 3}}, {"y", {2}}}));
  const CompileOptions constants = after("constant", {"sr=16000", "y=y.npy"});
  EXPECT_EQ(constants.constants, (std::map<std::string, double>{{"sr", 16000}}));
  EXPECT_EQ(constants.constant_files, (std::map<std::string, std::string>{{"y", "y.npy"}}));
}

TEST(CompileOption, WrongWordsNameTheOptionAndTheWayOut) {
  EXPECT_EQ(refusal_of("max_degree", {"0"}), "--max-degree 0: give an integer from 1 to 1023");
  EXPECT_EQ(refusal_of("max-degree", {"9.5"}), "--max-degree 9.5: give an integer from 1 to 1023");
  EXPECT_EQ(refusal_of("precision", {"0"}), "--precision 0: give an integer from 1 to 40");
  EXPECT_EQ(refusal_of("precision", {"41"}), "--precision 41: give an integer from 1 to 40");
  EXPECT_EQ(refusal_of("scheme", {"bfv"}), "--scheme bfv: give one of ckks, tfhe, auto");
  EXPECT_EQ(refusal_of("max-error", {"nan"}), "--max-error nan: give a share from 0 to 1, as in 0.05 or 5%");
  EXPECT_EQ(refusal_of("input-range", {"1"}), "--input-range 1: give two numbers, as in 0,1");
  EXPECT_EQ(refusal_of("batch", {"0"}), "--batch 0: give a number of inputs from 1 to 4096, or auto");
  EXPECT_THAT(refusal_of("shape", {"x=1,b"}), HasSubstr("'b' is no extent"));
  EXPECT_THAT(refusal_of("shape", {"x=1", "x=2"}), HasSubstr("twice"));
  EXPECT_THAT(refusal_of("shape", {"x"}), HasSubstr("NAME=VALUE is expected"));
  EXPECT_THAT(refusal_of("constant", {"x=y"}), HasSubstr("neither a number nor a .npy file"));
  EXPECT_THAT(refusal_of("share-decryptions", {"0"}), HasSubstr("from 1 to"));
  for (const char* wrong : {"3", "3,x", "3,2,1"})
    EXPECT_EQ(
        refusal_of("owners", {wrong}),
        "--owners " + std::string(wrong) + ": give two numbers, the owners and how many of them decrypt, as in 3,2");
}

TEST(CompileOption, PromisesOfSharedResultsNeedTheirBits) {
  CompileOptions options = after("share-decryptions", {"9"});
  EXPECT_THAT(base::refusal([&] { require_heeded(options); }), HasSubstr("give their bits as well (--share)"));
  set(compile_option("share"), options, {"4"});
  require_heeded(options);
  EXPECT_EQ(options.share->bits, 4);
  EXPECT_EQ(options.share->decryptions, 9);
}

TEST(CompileOption, OwnersAreTwoNumbersAndShareAllResults) {
  CompileOptions options = after("owners", {"3", "2"});
  EXPECT_EQ(options.owners->owners, 3);
  EXPECT_EQ(options.owners->threshold, 2);
  require_heeded(options);
  set(compile_option("share"), options, {"4"});
  EXPECT_THAT(base::refusal([&] { require_heeded(options); }), HasSubstr("leave one of the two out"));
}

TEST(CompileOption, OwnersAreOneWordOrTwoAndNothingElse) {
  EXPECT_EQ(after("owners", {"3,2"}).owners->threshold, 2);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"3"}, {"3,2,1"}, {"3,"}, {"3,b"}, {"3", "2", "1"}})
    EXPECT_THAT(base::refusal([&] { after("owners", words); }), HasSubstr("give two numbers"));
}

}  // namespace
}  // namespace tacit::session
