#include "merkle/rescue.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/instruction_set_for_test.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/simd/dispatch.h"

namespace tacit::merkle {
namespace {

using Words = std::vector<std::uint64_t>;

std::vector<Variant> variants_of(const nlohmann::json& entry) {
  const std::string names = entry.at("variant");
  if (names == "any") return {Variant::a, Variant::c};
  return {names[0] == 'A' ? Variant::a : Variant::c};
}

Words counting(std::size_t count) {
  Words values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = i;
  return values;
}

TEST(RescuePrime, HasThePublishedConstants) {
  const auto answers = known::answers();
  if (!answers) GTEST_SKIP() << "TACIT_DATA is not set: the constants were not compared";
  const auto& constants = answers->at("constants");
  for (const Variant variant : {Variant::a, Variant::c}) {
    const RoundConstants& ours = round_constants(variant);
    for (std::size_t i = 0; i < kStateWords; ++i) {
      if (variant == Variant::a) {
        ASSERT_EQ(Words(ours.matrix[i], ours.matrix[i] + kStateWords), known::words(constants["mds_vandermonde"][i]));
        continue;
      }
      const auto first_row = known::words(constants["mds_circulant_first_row"]);
      for (std::size_t j = 0; j < kStateWords; ++j)
        ASSERT_EQ(ours.matrix[i][j], first_row[(j + kStateWords - i) % kStateWords]);
    }
    for (std::size_t r = 0; r < kRounds; ++r) {
      ASSERT_EQ(Words(ours.first[r], ours.first[r] + kStateWords), known::words(constants["ark1"][r]));
      ASSERT_EQ(Words(ours.second[r], ours.second[r] + kStateWords), known::words(constants["ark2"][r]));
    }
  }
}

TEST(RescuePrime, PermutesTheCountingStateAsPublished) {
  State a{}, c{};
  for (std::size_t i = 0; i < kStateWords; ++i) a[i] = c[i] = i;
  permute(Variant::a, a);
  permute(Variant::c, c);
  EXPECT_EQ(a[0], 10809974140050983728u);
  EXPECT_EQ(a[7], 10614098972800193173u);
  EXPECT_EQ(c[0], 11084501481526603421u);
  EXPECT_EQ(c[7], 7676681476902901785u);
}

TEST(RescuePrime, GivesThePublishedAndExecutedHashes) {
  const auto answers = known::answers();
  if (!answers) GTEST_SKIP() << "TACIT_DATA is not set: the known answers were not compared";
  int compared = 0;
  for (const char* list : {"published", "executed"})
    for (const auto& entry : answers->at(list))
      for (const Variant variant : variants_of(entry)) {
        const std::string operation = entry.at("op"), id = entry.dump().substr(0, 120);
        const Words out = known::words(entry.at("out"));
        if (operation == "hash_elements") {
          const Words in = entry.at("in").is_string() ? counting(entry.at("n")) : known::words(entry.at("in"));
          EXPECT_EQ(hash_elements(variant, in), known::digest(entry.at("out"))) << id;
        } else if (operation == "hash(bytes)") {
          const std::string text = entry.at("in_ascii");
          EXPECT_EQ(hash_bytes(variant, std::as_bytes(std::span(text))), known::digest(entry.at("out"))) << id;
        } else if (operation == "permutation" || operation.starts_with("permutation of")) {
          State state{};
          const Words in = known::words(entry.at("in"));
          std::copy(in.begin(), in.end(), state.begin());
          permute(variant, state);
          const std::size_t from = out.size() == 4 ? 4 : 0;
          EXPECT_EQ(Words(state.begin() + static_cast<std::ptrdiff_t>(from),
                          state.begin() + static_cast<std::ptrdiff_t>(from + out.size())),
                    out)
              << id;
        } else if (operation == "x^7 per element" || operation == "x^(1/7) per element") {
          const Words in = known::words(entry.at("in"));
          const std::uint64_t exponent = operation == "x^7 per element" ? 7 : 10540996611094048183u;
          for (std::size_t i = 0; i < in.size(); ++i)
            EXPECT_EQ(goldilocks::canonical(goldilocks::power(in[i], exponent)), goldilocks::canonical(out[i])) << id;
        } else if (operation == "MDS*vector") {
          const Words in = known::words(entry.at("in"));
          const RoundConstants& constants = round_constants(variant);
          for (std::size_t i = 0; i < in.size(); ++i) {
            std::uint64_t sum = 0;
            for (std::size_t j = 0; j < in.size(); ++j)
              sum = goldilocks::add(sum, goldilocks::multiply(constants.matrix[i][j], in[j]));
            EXPECT_EQ(goldilocks::canonical(sum), goldilocks::canonical(out[i])) << id;
          }
        } else if (operation == "merkle_root") {
          const auto leaves = known::counting_leaves(entry.at("leaves"));
          EXPECT_EQ(
              known::recursive_top(TreeScheme{.variant = variant, .mode = Mode::strict}, leaves.data(), leaves.size()),
              known::digest(entry.at("out")))
              << id;
        } else {
          // One user's path: merges with a capacity of zeros; sibling 2 on the left, then 3 on the right.
          ASSERT_TRUE(operation.starts_with("Merkle path")) << id;
          const auto zero_merge = [&](Digest l, Digest r) {
            State state{};
            std::copy(l.words.begin(), l.words.end(), state.begin() + 4);
            std::copy(r.words.begin(), r.words.end(), state.begin() + 8);
            permute(variant, state);
            return Digest{{state[4], state[5], state[6], state[7]}};
          };
          EXPECT_EQ(zero_merge(zero_merge({{2, 0, 0, 0}}, {{1, 0, 0, 0}}), {{3, 0, 0, 0}}),
                    known::digest(entry.at("out")))
              << id << operation;
        }
        ++compared;
      }
  EXPECT_GE(compared, 70);
}

TEST(RescuePrime, RefusesWordsThatAreNotCanonical) {
  const Words elements{1, goldilocks::kModulus};
  EXPECT_THROW(hash_elements(Variant::c, elements), base::InputError);
  EXPECT_THROW(digest_from_hexadecimal(std::string(64, 'f'), "x"), base::InputError);
  EXPECT_THROW(digest_from_hexadecimal(std::string(63, '0'), "x"), base::InputError);
  EXPECT_THROW(digest_from_hexadecimal(std::string(64, 'g'), "x"), base::InputError);
  const Digest digest{{goldilocks::kModulus - 1, 1, 0x0123456789abcdef, 0}};
  EXPECT_EQ(digest_from_hexadecimal(hexadecimal(digest), "x"), digest);
}

TEST(RescuePrime, SeparatesDomainsAndLengths) {
  const TreeScheme bound{};
  const Words eight = counting(8);
  const Digest left{{0, 1, 2, 3}}, right{{4, 5, 6, 7}};
  EXPECT_EQ(merge(TreeScheme{.mode = Mode::strict}, left, right), hash_elements(Variant::c, eight));
  EXPECT_NE(merge(bound, left, right), hash_elements(Variant::c, eight));
  EXPECT_NE(merge(bound, left, right), leaf_of_elements(bound, eight));
  EXPECT_NE(leaf_of_elements(bound, eight), hash_elements(Variant::c, eight));
  std::vector<Digest> seen;
  const std::vector<std::byte> zeros(200);
  for (std::size_t length = 0; length <= zeros.size(); ++length) {
    seen.push_back(leaf_of_bytes(bound, std::span(zeros).first(length)));
    if (length <= 60) seen.push_back(hash_elements(Variant::c, Words(length, 0), Domain::elements));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  EXPECT_NE(root_of(bound, left, 5), root_of(bound, left, 6));
  EXPECT_EQ(root_of(TreeScheme{.mode = Mode::strict}, left, 8), left);
}

TEST(RescuePrime, HashesManySha256ValuesAsItHashesOne) {
  std::vector<std::array<std::uint8_t, 32>> values(137);
  std::mt19937_64 random(5);
  for (auto& value : values)
    for (auto& byte : value) byte = static_cast<std::uint8_t>(random());
  for (const TreeScheme scheme : {TreeScheme{}, TreeScheme{.variant = Variant::a}}) {
    std::vector<Digest> leaves(values.size());
    leaves_of_sha256(scheme, values, leaves);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(leaves[i], leaf_of_sha256(scheme, std::as_bytes(std::span(values[i]))));
  }
}

TEST(RescuePrime, HashesManyChunksAsItHashesOne) {
  std::mt19937_64 random(6);
  std::vector<std::byte> bytes(4000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (const TreeScheme scheme : {TreeScheme{}, TreeScheme{.variant = Variant::a}, TreeScheme{.mode = Mode::strict}})
    for (int round = 0; round < 20; ++round) {
      std::vector<std::span<const std::byte>> chunks(random() % 40 + 1);
      for (auto& chunk : chunks) chunk = std::span(bytes).subspan(random() % 100, random() % (round < 10 ? 70 : 3000));
      std::vector<Digest> leaves(chunks.size());
      leaves_of_bytes(scheme, chunks, leaves);
      for (std::size_t i = 0; i < chunks.size(); ++i) ASSERT_EQ(leaves[i], leaf_of_bytes(scheme, chunks[i])) << i;
    }
}

TEST(Schemes, HaveNamesThatRoundTrip) {
  for (const char* name :
       {"rescue-prime-c.1", "rescue-prime-a.1", "rescue-prime-c.1-strict", "rescue-prime-a.1-strict"})
    EXPECT_EQ(scheme_name(scheme_from_name(name)), name);
  EXPECT_THROW(scheme_from_name("rescue"), base::InputError);
}

TEST(Schemes, AreRefusedUnlessTheirPartsGoTogether) {
  const auto refused = [](const TreeScheme& scheme) { EXPECT_THROW(require_valid(scheme, "x"), base::InputError); };
  require_valid({.leaf_rule = LeafRule::sha256, .chunk_bytes = 1}, "x");
  require_valid({.variant = Variant::a, .mode = Mode::strict}, "x");
  refused({.variant = static_cast<Variant>(2)});
  refused({.mode = static_cast<Mode>(0)});
  refused({.leaf_rule = static_cast<LeafRule>(4), .chunk_bytes = 1});
  refused({.leaf_rule = LeafRule::bytes});
  refused({.leaf_rule = LeafRule::bytes, .chunk_bytes = kLargestChunk + 1});
  refused({.leaf_rule = LeafRule::digests, .chunk_bytes = 5});
  refused({.mode = Mode::strict, .leaf_rule = LeafRule::sha256, .chunk_bytes = 5});
  EXPECT_THROW(leaf_rule_from_name("sha512"), base::InputError);
}

/// Every instruction set, portable too, against arithmetic that is written down once more, from the definition.
class Kernels : public base::OnInstructionSet {};

void permute_by_definition(const RoundConstants& constants, std::uint64_t* state) {
  namespace field = goldilocks;
  const auto step = [&](std::uint64_t exponent, const RoundConstants::Half& added) {
    State powers, result;
    for (std::size_t i = 0; i < kStateWords; ++i) powers[i] = field::power(state[i], exponent);
    for (std::size_t i = 0; i < kStateWords; ++i) {
      result[i] = added[i];
      for (std::size_t j = 0; j < kStateWords; ++j)
        result[i] = field::add(result[i], field::multiply(constants.matrix[i][j], powers[j]));
    }
    for (std::size_t i = 0; i < kStateWords; ++i) state[i] = field::canonical(result[i]);
  };
  for (int round = 0; round < kRounds; ++round) {
    step(7, constants.first[round]);
    step(10540996611094048183u, constants.second[round]);
  }
}

TEST_P(Kernels, PermuteAsDefinedOnEdgesAndAtRandom) {
  const simd::Kernels& kernels = simd::kernels_of(GetParam());
  const Words edges{0,
                    1,
                    2,
                    0xffffffff,
                    0x100000000,
                    0x100000001,
                    goldilocks::kModulus - 1,
                    goldilocks::kModulus,
                    goldilocks::kModulus + 1,
                    ~std::uint64_t{0},
                    std::uint64_t{1} << 48,
                    std::uint64_t{1} << 63,
                    0xfffffffe00000001,
                    0xffffffff00000000,
                    0x7fffffffffffffff,
                    (std::uint64_t{1} << 48) - 1};
  std::mt19937_64 random(3);
  for (const Variant variant : {Variant::a, Variant::c}) {
    const RoundConstants& constants = round_constants(variant);
    for (std::size_t count = 1; count <= 19; ++count) {
      Words states(count * kStateWords);
      for (std::uint64_t& word : states) word = random() % 3 == 0 ? random() : edges[random() % edges.size()];
      Words expected = states;
      for (std::size_t i = 0; i < count; ++i) permute_by_definition(constants, &expected[i * kStateWords]);
      kernels.permute(constants, states.data(), count);
      ASSERT_EQ(states, expected) << "count " << count;
    }
  }
}

/// All words of one edge value through one permutation: carries and borrows that chance does not meet.
TEST_P(Kernels, PermuteUniformEdgeStates) {
  const simd::Kernels& kernels = simd::kernels_of(GetParam());
  for (const Variant variant : {Variant::a, Variant::c})
    for (int bit = 0; bit < 64; ++bit)
      for (const int offset : {-1, 0, 1}) {
        State state, expected;
        state.fill((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(offset));
        expected = state;
        permute_by_definition(round_constants(variant), expected.data());
        kernels.permute(round_constants(variant), state.data(), 1);
        ASSERT_EQ(state, expected) << bit << " " << offset;
      }
}

TEST_P(Kernels, MergeAsThePermutationDoesAndInPlace) {
  const simd::Kernels& kernels = simd::kernels_of(GetParam());
  const std::uint64_t capacity[4] = {8, 3, 0, 0};
  for (const Variant variant : {Variant::a, Variant::c}) {
    const RoundConstants& constants = round_constants(variant);
    const std::size_t rate = variant == Variant::a ? 0 : 4, rest = variant == Variant::a ? 8 : 0;
    for (std::size_t count = 1; count <= 17; ++count) {
      const auto leaves = known::random_leaves(2 * count, count);
      auto merged = leaves;
      kernels.merge(constants, capacity, merged[0].words.data(), merged[0].words.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        State state;
        std::copy_n(leaves[2 * i].words.data(), 8, state.begin() + static_cast<std::ptrdiff_t>(rate));
        std::copy_n(capacity, 4, state.begin() + static_cast<std::ptrdiff_t>(rest));
        permute_by_definition(constants, state.data());
        for (std::size_t w = 0; w < 4; ++w) ASSERT_EQ(merged[i].words[w], state[rate + w]) << count << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, Kernels, ::testing::Values(base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma),
                         [](const auto& instance) { return std::string(base::isa_name(instance.param)); });

TEST(Digest, IsReadFromDigitsOfEitherCase) {
  const std::string lower = "0123456789abcdef" + std::string(48, '0'),
                    upper = "0123456789ABCDEF" + std::string(48, '0');
  const Digest expected{{0xefcdab8967452301, 0, 0, 0}};
  EXPECT_EQ(digest_from_hexadecimal(lower, "x"), expected);
  EXPECT_EQ(digest_from_hexadecimal(upper, "x"), expected);
  EXPECT_EQ(hexadecimal(expected), lower);
  for (const char neighbour : {'/', ':', '@', 'G', '`', 'g', ' ', '-'})
    EXPECT_THROW(digest_from_hexadecimal(neighbour + std::string(63, '0'), "x"), base::InputError) << neighbour;
  EXPECT_THROW(digest_from_hexadecimal(std::string(65, '0'), "x"), base::InputError);
}

}  // namespace
}  // namespace tacit::merkle
