#include "app/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/warnings.h"
#include "base/error.h"

namespace tacit::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;
using Rows = std::pair<std::int64_t, std::int64_t>;

InputOptions input_rows(std::int64_t first, std::optional<std::int64_t> count) {
  InputOptions options;
  options.files = {"x.npy"};
  options.first = first;
  options.count = count;
  return options;
}

TEST(InputOptions, RowsAreThoseFromTheFirstOnAsManyAsAreAskedFor) {
  EXPECT_EQ(input_rows(0, {}).rows(5), Rows(0, 5));
  EXPECT_EQ(input_rows(2, {}).rows(5), Rows(2, 5));
  EXPECT_EQ(input_rows(4, {}).rows(5), Rows(4, 5)) << "the last";
  EXPECT_EQ(input_rows(0, 5).rows(5), Rows(0, 5)) << "all";
  EXPECT_EQ(input_rows(2, 3).rows(5), Rows(2, 5)) << "all that are left";
  EXPECT_EQ(input_rows(2, 1).rows(5), Rows(2, 3));
  EXPECT_EQ(InputOptions{}.rows(1), Rows(0, 1));
}

TEST(InputOptions, RowsThatDoNotExistAreRefusedWithTheirNumbers) {
  for (const std::int64_t first : {-1, 5, 6})
    EXPECT_THAT(
        [&] { input_rows(first, {}).rows(5); },
        ThrowsMessage<base::InputError>(fmt::format("--first {} lies outside x.npy, which holds 5 inputs", first)));
  for (const std::int64_t count : {-1, 0, 4})
    EXPECT_THAT([&] { input_rows(2, count).rows(5); },
                ThrowsMessage<base::InputError>(
                    fmt::format("--count {} does not fit: 3 inputs are left in x.npy from row 2", count)));
  EXPECT_THAT([] { InputOptions{}.rows(0); },
              ThrowsMessage<base::InputError>("--first 0 lies outside the input, which holds 0 inputs"));
}

TEST(TrimOption, IsANumberOfRowsAShareOrAWord) {
  const auto parsed = [](const std::string& text) {
    CompileOptions choices;
    choices.calibration_trim = 99;
    CLI::App app;
    add_option_to(app, session::compile_option("calibrate-trim"), choices);
    std::vector<std::string> words{text, "--calibrate-trim"};  // the last comes first
    app.parse(words);
    return choices.calibration_trim;
  };
  EXPECT_EQ(parsed("auto"), std::nullopt);
  EXPECT_EQ(parsed("off"), 0.0);
  EXPECT_EQ(parsed("0.02"), 0.02);
  EXPECT_EQ(parsed("7"), 7.0);
  for (const char* text : {"-1", "1.5", "nan", "some", "1e10"})
    EXPECT_THROW(parsed(text), CLI::ValidationError) << text;
}

TEST(ComputeOptions, ABudgetIsWhatIsNamedOrWhatIsThere) {
  ComputeOptions options;
  EXPECT_EQ(options.memory_budget().source, base::MemoryBudget::Source::free);
  EXPECT_EQ(options.planning_budget().source, base::MemoryBudget::Source::machine);
  options.memory = "3GiB";
  for (const base::MemoryBudget& budget : {options.memory_budget(), options.planning_budget()}) {
    EXPECT_EQ(budget.source, base::MemoryBudget::Source::asked);
    EXPECT_EQ(budget.bytes, 3'221'225'472U);
  }
}

TEST(InsecureOption, IsNeededForASetWithoutSecurityAlone) {
  const params::ParameterIdentity secure{.name = "a", .security_bits = 1},
      insecure{.name = "a name from a file", .security_bits = 0, .size = "N = 2^5"};
  testing::internal::CaptureStderr();
  InsecureOption{}.require_permitted(secure);
  warn_if_insecure(secure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT([&] { InsecureOption{}.require_permitted(insecure); },
              ThrowsMessage<base::InputError>(HasSubstr("INSECURE parameters (N = 2^5), for tests only")));
  testing::internal::CaptureStderr();
  InsecureOption{.permitted = true}.require_permitted(insecure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tacit: warning: the parameters (N = 2^5) are INSECURE, for tests only: whoever sees the ciphertexts can "
            "read them\n");
}

TEST(SharingOptions, PromiseNothingUnlessAskedFor) {
  SharingOptions options;
  options.promise.decryptions = 0;
  EXPECT_EQ(options.sharing(), std::nullopt) << "and nothing is checked";
  options.bits = -3;
  EXPECT_THROW(options.sharing(), base::InputError);
  options.promise.decryptions = 7;
  EXPECT_EQ(options.sharing(), (params::Sharing{.bits = -3, .statistical_bits = 30, .decryptions = 7}));
}

TEST(RequireSlots, TakesRealNumbersAlone) {
  CompileOptions choices;
  require_slots(choices, "--this");
  for (const Scheme scheme : {Scheme::tfhe, Scheme::automatic}) {
    choices.scheme = scheme;
    EXPECT_THAT([&] { require_slots(choices, "--this"); },
                ThrowsMessage<base::InputError>(HasSubstr("--this works on real numbers alone (--scheme ckks)")));
  }
}

NetworkOptions network_options(const std::string& arguments) {
  NetworkOptions options;
  CLI::App app;
  options.add_to(app);
  app.parse(arguments);
  return options;
}

TEST(NetworkOptions, HaveDefaults) {
  const NetworkOptions options = network_options("");
  const CompileOptions& choices = options.choices;
  EXPECT_EQ(options.preprocessing.scale, 1);
  EXPECT_THAT(options.preprocessing.mean, IsEmpty());
  EXPECT_THAT(options.preprocessing.std, IsEmpty());
  EXPECT_EQ(options.preprocessing.pad, 0);
  EXPECT_FALSE(options.samples.first);
  EXPECT_FALSE(options.samples.count);
  EXPECT_EQ(choices.insecure, InsecureParameters::allow) << "commands warn";
  for (const session::CompileOption& option : session::compile_options())
    EXPECT_FALSE(option.given(choices)) << option.name;
  EXPECT_EQ(options.compute.threads, 0);
  EXPECT_FALSE(options.compute.json);
}

TEST(NetworkOptions, AreWhatTheirWordsSay) {
  const NetworkOptions options = network_options(
      "--scale 255 --mean 0.25,0.5 --std 2 --pad 3 --calibrate-first 4 --calibrate-count 5 --input-range=-1,2 "
      "--client-before off --keep-private a --keep-private b --passes no-fold,no-split --threads 6 --json");
  const CompileOptions& choices = options.choices;
  EXPECT_EQ(options.preprocessing.scale, 255);
  EXPECT_THAT(options.preprocessing.mean, ElementsAre(0.25, 0.5));
  EXPECT_THAT(options.preprocessing.std, ElementsAre(2));
  EXPECT_EQ(options.preprocessing.pad, 3);
  EXPECT_EQ(options.samples.first, 4);
  EXPECT_EQ(options.samples.count, 5);
  EXPECT_EQ(choices.input_range, std::pair(-1.0, 2.0));
  EXPECT_FALSE(choices.client_before);
  EXPECT_THAT(choices.keep_private, ElementsAre("a", "b"));
  EXPECT_THAT(choices.skipped_passes, ElementsAre("fold", "split"));
  EXPECT_EQ(options.compute.threads, 6);
  EXPECT_TRUE(options.compute.json);
  EXPECT_TRUE(network_options("--client-before on").choices.client_before);
}

TEST(NetworkOptions, ChoicesOfIntegersAreWords) {
  using tacit::Scheme;
  for (const auto& [word, scheme] :
       {std::pair("ckks", Scheme::ckks), std::pair("tfhe", Scheme::tfhe), std::pair("auto", Scheme::automatic)})
    EXPECT_EQ(network_options(fmt::format("--scheme {}", word)).choices.scheme, scheme) << word;
  for (const auto& [word, log2] : {std::pair("2^-128", -128.0), std::pair("2^-64", -64.0), std::pair("2^-40", -40.0)})
    EXPECT_EQ(network_options(fmt::format("--failure {}", word)).choices.log2_failure, log2) << word;
  for (const auto& [word, rounding] : {std::pair("approximate", false), std::pair("exact", true)})
    EXPECT_EQ(network_options(fmt::format("--rounding {}", word)).choices.exact_rounding, rounding) << word;
  EXPECT_THROW(network_options("--scheme bfv"), CLI::ParseError);
  EXPECT_THROW(network_options("--failure 2^-41"), CLI::ParseError);
}

TEST(NetworkOptions, ABatchIsANumberOrTheCheapestOne) {
  EXPECT_EQ(network_options("--batch 3").choices.batch, 3);
  EXPECT_EQ(network_options("--batch auto").choices.batch, kCheapestBatch);
  EXPECT_THAT(
      [] { network_options("--batch few"); },
      ThrowsMessage<CLI::ParseError>(HasSubstr("--batch few: give a number of inputs from 1 to 4096, or auto")));
}

TEST(NetworkOptions, PassesAreLeftOutByName) {
  EXPECT_THAT([] { network_options("--passes fold"); },
              ThrowsMessage<CLI::ParseError>(HasSubstr("--passes fold: all passes run; no-NAME leaves one out")));
}

TEST(NetworkOptions, WhatIsPromisedOfSharedResultsNeedsTheirBits) {
  const auto promised = [](const std::string& arguments) { return network_options(arguments).choices.share.value(); };
  const Disclosure usual = promised("--share 4");
  EXPECT_EQ(usual.bits, 4);
  EXPECT_EQ(usual.statistical_bits, 30);
  EXPECT_EQ(usual.decryptions, 1024);
  const Disclosure asked = promised("--share=-2 --share-statistical-bits 40 --share-decryptions 9");
  EXPECT_EQ(asked.bits, -2);
  EXPECT_EQ(asked.statistical_bits, 40);
  EXPECT_EQ(asked.decryptions, 9);
  EXPECT_THROW(network_options("--share-decryptions 9"), CLI::ParseError);
  EXPECT_THROW(network_options("--share-statistical-bits 40"), CLI::ParseError);
}

TEST(NetworkOptions, MeasuredRangesTakeThePlaceOfSamples) {
  EXPECT_EQ(network_options("--ranges r.json").choices.ranges, "r.json");
  EXPECT_THROW(network_options("--ranges r.json --calibrate-first 1"), CLI::ParseError);
  EXPECT_THROW(network_options("--ranges r.json --calibrate-count 1"), CLI::ParseError);
}

TEST(NetworkOptions, FormerNamesWorkWithAWarning) {
  testing::internal::CaptureStderr();
  const NetworkOptions options = network_options("--client-pre off");
  EXPECT_FALSE(options.choices.client_before);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--client-pre is --client-before now"));
}

}  // namespace
}  // namespace tacit::app
