#include <gtest/gtest.h>

#include "base/instruction_set_for_test.h"
#include "base/refusal_for_test.h"
#include "merkle/accelerators.h"
#include "merkle/device.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"
#include "merkle/simd/dispatch.h"

namespace tacit::merkle {
namespace {

using ListOfWords = std::vector<std::uint64_t>;

/// Where a variant begins to absorb, and where its capacity holds the number of words and the domain.
struct Layout {
  std::size_t rate, count, domain;
};
Layout layout_of(Variant variant) { return variant == Variant::a ? Layout{0, 11, 10} : Layout{4, 0, 1}; }

/// The sponge, written down once more over the permutation.
Digest absorbed(Variant variant, const ListOfWords& words, std::uint64_t domain) {
  const Layout at = layout_of(variant);
  State state{};
  state[at.count] = words.size();
  state[at.domain] = domain;
  if (words.empty() && domain != 0) permute(variant, state);
  for (std::size_t i = 0; i < words.size(); ++i) {
    state[at.rate + i % 8] = goldilocks::canonical(goldilocks::add(state[at.rate + i % 8], words[i]));
    if (i % 8 == 7 || i + 1 == words.size()) permute(variant, state);
  }
  return {{state[at.rate], state[at.rate + 1], state[at.rate + 2], state[at.rate + 3]}};
}

/// Bytes as words: seven to a word, the last followed by a byte 1.
ListOfWords words_of(std::vector<std::uint8_t> bytes) {
  if (bytes.empty()) return {};
  const std::size_t count = (bytes.size() + 6) / 7;
  ListOfWords words(count);
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 7] += std::uint64_t{bytes[i]} << (8 * (i % 7));
  words.back() += std::uint64_t{1} << (8 * (bytes.size() - 7 * (count - 1)));
  return words;
}

std::vector<std::uint8_t> bytes_to(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(255 - 7 * i);
  return bytes;
}

TEST(HashRules, AreNumbersOfFileFormats) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  EXPECT_EQ(number(Domain::plain), 0u);
  EXPECT_EQ(number(Domain::elements), 1u);
  EXPECT_EQ(number(Domain::bytes), 2u);
  EXPECT_EQ(number(Domain::node), 3u);
  EXPECT_EQ(number(Domain::root), 4u);
  EXPECT_EQ(number(Domain::sha256), 5u);
  EXPECT_EQ(number(Domain::file), 6u);
  EXPECT_EQ(number(Variant::a), 1u);
  EXPECT_EQ(number(Variant::c), 3u);
  EXPECT_EQ(number(Mode::bound), 1u);
  EXPECT_EQ(number(Mode::strict), 2u);
  EXPECT_EQ(number(LeafRule::digests), 1u);
  EXPECT_EQ(number(LeafRule::sha256), 2u);
  EXPECT_EQ(number(LeafRule::bytes), 3u);
  EXPECT_EQ(kLargestChunk, 1073741824u);
}

TEST(HashRules, ElementsAreAbsorbedEightAtATimeInEveryDomain) {
  for (const Variant variant : {Variant::a, Variant::c})
    for (const std::uint64_t domain : {0u, 1u, 2u, 3u, 4u, 5u, 6u})
      for (std::size_t count = 0; count <= 25; ++count) {
        ListOfWords words(count);
        for (std::size_t i = 0; i < count; ++i) words[i] = i % 3 == 0 ? goldilocks::kModulus - 1 - i : 5 * i + 1;
        ASSERT_EQ(hash_elements(variant, words, static_cast<Domain>(domain)), absorbed(variant, words, domain))
            << count << " words, domain " << domain;
      }
  const ListOfWords words{1, 2, 3};
  EXPECT_EQ(hash_elements(Variant::a, words), absorbed(Variant::a, words, 0));
  EXPECT_EQ(hash_elements(Variant::c, {}), Digest{});
}

TEST(HashRules, BytesAreWordsOfSevenBehindWhichAOneStands) {
  for (const Variant variant : {Variant::a, Variant::c})
    for (std::size_t count = 0; count <= 120; ++count) {
      const auto bytes = bytes_to(count);
      const auto span = std::as_bytes(std::span(bytes));
      ASSERT_EQ(hash_bytes(variant, span), absorbed(variant, words_of(bytes), 0)) << count;
      ASSERT_EQ(hash_bytes(variant, span, Domain::file), absorbed(variant, words_of(bytes), 6)) << count;
    }
}

TEST(HashRules, LeavesMergesAndRootsHaveTheDomainsOfTheScheme) {
  const Digest left{{1, 2, 3, 4}}, right{{5, 6, 7, goldilocks::kModulus - 1}};
  const ListOfWords both{1, 2, 3, 4, 5, 6, 7, goldilocks::kModulus - 1};
  for (const Variant variant : {Variant::a, Variant::c})
    for (const bool strict : {false, true}) {
      const TreeScheme scheme{.variant = variant, .mode = strict ? Mode::strict : Mode::bound};
      const auto domain = [&](std::uint64_t number) { return strict ? 0 : number; };
      EXPECT_EQ(leaf_of_elements(scheme, both), absorbed(variant, both, domain(1)));
      const auto bytes = bytes_to(32);
      const auto span = std::as_bytes(std::span<const std::uint8_t, 32>(bytes.data(), 32));
      EXPECT_EQ(leaf_of_bytes(scheme, span), absorbed(variant, words_of(bytes), domain(2)));
      EXPECT_EQ(merge(scheme, left, right), absorbed(variant, both, domain(3)));
      EXPECT_EQ(leaf_of_sha256(scheme, span), absorbed(variant, words_of(bytes), domain(5)));
      const auto capacity = merge_capacity(scheme);
      const std::array<std::uint64_t, 4> expected = variant == Variant::a
                                                        ? std::array<std::uint64_t, 4>{0, 0, domain(3), 8}
                                                        : std::array<std::uint64_t, 4>{8, domain(3), 0, 0};
      EXPECT_EQ(capacity, expected);
    }
}

TEST(HashRules, ARootBindsTopLeavesDepthLeafRuleAndChunkSize) {
  const Digest top{{11, 12, 13, 14}};
  struct Case {
    TreeScheme scheme;
    std::uint64_t leaves, depth, rule, chunk;
  };
  for (const Case& each :
       {Case{{}, 1, 0, 1, 0}, Case{{}, 5, 3, 1, 0}, Case{{.variant = Variant::a}, 8, 3, 1, 0},
        Case{{.leaf_rule = LeafRule::sha256, .chunk_bytes = 4096}, 9, 4, 2, 4096},
        Case{{.variant = Variant::a, .leaf_rule = LeafRule::bytes, .chunk_bytes = 7}, 1000, 10, 3, 7}})
    EXPECT_EQ(root_of(each.scheme, top, each.leaves),
              absorbed(each.scheme.variant, {11, 12, 13, 14, each.leaves, each.depth, each.rule, each.chunk}, 4))
        << each.leaves;
  EXPECT_EQ(root_of({.mode = Mode::strict}, top, 5), top);
}

TEST(HashRules, ManyChunksOfAnyLengthsAreHashedAsEachOfThem) {
  std::vector<std::vector<std::uint8_t>> contents;
  for (const std::size_t count : {0, 1, 7, 8, 55, 56, 57, 0, 63, 112, 113, 200, 6, 0, 56, 57, 168, 169, 300, 1, 0})
    contents.push_back(bytes_to(count));
  std::vector<std::span<const std::byte>> chunks;
  for (const auto& content : contents) chunks.push_back(std::as_bytes(std::span(content)));
  for (const Variant variant : {Variant::a, Variant::c})
    for (const Mode mode : {Mode::bound, Mode::strict})
      for (std::size_t count = 0; count <= chunks.size(); ++count) {
        std::vector<Digest> leaves(count);
        leaves_of_bytes({.variant = variant, .mode = mode}, std::span(chunks).first(count), leaves);
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(leaves[i], absorbed(variant, words_of(contents[i]), mode == Mode::strict ? 0 : 2))
              << i << " of " << count;
      }
}

TEST(HashRules, NumbersOutsideTheFieldAreRefusedByNameAndPlace) {
  const ListOfWords words{0, goldilocks::kModulus - 1, goldilocks::kModulus};
  EXPECT_NO_THROW(hash_elements(Variant::c, std::span(words).first(2)));
  base::expect_refusal<base::InputError>([&] { hash_elements(Variant::c, words); },
                                         "element 2 is 18446744069414584321, which is not below the field's modulus "
                                         "18446744069414584321; reduce it first");
  for (std::size_t word = 0; word < 4; ++word) {
    Digest digest{
        {goldilocks::kModulus - 1, goldilocks::kModulus - 1, goldilocks::kModulus - 1, goldilocks::kModulus - 1}};
    EXPECT_TRUE(is_canonical(digest));
    EXPECT_EQ(digest_from_hexadecimal(hexadecimal(digest), "d"), digest);
    digest.words[word] = goldilocks::kModulus;
    EXPECT_FALSE(is_canonical(digest)) << word;
    EXPECT_EQ(base::refusal([&] { digest_from_hexadecimal(hexadecimal(digest), "d"); }),
              "d: a word of the digest is not below 2^64 - 2^32 + 1");
  }
  EXPECT_EQ(base::refusal([] { digest_from_hexadecimal("12", "d"); }), "d: a digest is 64 hexadecimal digits");
}

TEST(HashRules, DigitsStandForTheBytesOfLittleEndianWords) {
  const Digest digest{{0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918}};
  const std::string text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  EXPECT_EQ(hexadecimal(digest), text);
  EXPECT_EQ(digest_from_hexadecimal(text, "d"), digest);
}

TEST(HashRules, SchemesAreRefusedWithWhatIsWrong) {
  const auto why = [](const TreeScheme& scheme) { return base::refusal([&] { require_valid(scheme, "it"); }); };
  EXPECT_EQ(why({.variant = static_cast<Variant>(2)}), "it: unknown hash (variant 2, mode 1)");
  EXPECT_EQ(why({.mode = static_cast<Mode>(3)}), "it: unknown hash (variant 3, mode 3)");
  EXPECT_EQ(why({.leaf_rule = static_cast<LeafRule>(4)}), "it: unknown kind of leaf 4");
  EXPECT_EQ(why({.chunk_bytes = 1}), "it: digests have no chunk size");
  EXPECT_EQ(why({.mode = Mode::strict, .leaf_rule = LeafRule::bytes, .chunk_bytes = 5}),
            "it: a strict tree has digests for leaves, not chunks of bytes");
  EXPECT_EQ(why({.leaf_rule = LeafRule::bytes}), "it: chunks of 0 bytes; give 1 byte to 1 GiB");
  EXPECT_EQ(why({.leaf_rule = LeafRule::sha256, .chunk_bytes = 1073741825}),
            "it: chunks of 1073741825 bytes; give 1 byte to 1 GiB");
  EXPECT_EQ(why({.leaf_rule = LeafRule::sha256, .chunk_bytes = 1073741824}), base::kNotRefused);
  EXPECT_EQ(why({.leaf_rule = LeafRule::bytes, .chunk_bytes = 1}), base::kNotRefused);
  EXPECT_EQ(base::refusal([] { scheme_from_name("md5"); }),
            "'md5' is no hash; choose one of rescue-prime-c.1, rescue-prime-a.1, rescue-prime-c.1-strict, "
            "rescue-prime-a.1-strict");
  EXPECT_EQ(base::refusal([] { leaf_rule_from_name("md5"); }),
            "'md5' is no kind of leaf; choose digests, sha256 or bytes");
  for (const LeafRule rule : {LeafRule::digests, LeafRule::sha256, LeafRule::bytes})
    EXPECT_EQ(leaf_rule_from_name(leaf_rule_name(rule)), rule);
  EXPECT_EQ(leaf_rule_name(static_cast<LeafRule>(9)), "unknown");
}

/// Merges of every instruction set with all four words of the capacity in use.
class MergeKernels : public base::OnInstructionSet {};

TEST_P(MergeKernels, StartWithAllWordsOfTheCapacity) {
  const simd::Kernels& kernels = simd::kernels_of(GetParam());
  const std::uint64_t capacity[4] = {goldilocks::kModulus - 1, 0x1234567890abcdef, 0xffffffff, 1};
  for (const Variant variant : {Variant::a, Variant::c}) {
    const std::size_t rate = layout_of(variant).rate, rest = variant == Variant::a ? 8 : 0;
    for (const std::size_t count : {0, 1, 2, 3, 5, 6, 8, 9, 13, 14, 16}) {
      const auto children = known::random_leaves(2 * count, count + 50);
      std::vector<Digest> parents(count + 1, Digest{{7, 7, 7, 7}});
      kernels.merge(round_constants(variant), capacity, count == 0 ? nullptr : children[0].words.data(),
                    parents[0].words.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        State state;
        std::copy_n(children[2 * i].words.data(), 4, state.begin() + static_cast<std::ptrdiff_t>(rate));
        std::copy_n(children[2 * i + 1].words.data(), 4, state.begin() + static_cast<std::ptrdiff_t>(rate + 4));
        std::copy_n(capacity, 4, state.begin() + static_cast<std::ptrdiff_t>(rest));
        simd::kPortableKernels.permute(round_constants(variant), state.data(), 1);
        for (std::size_t w = 0; w < 4; ++w) ASSERT_EQ(parents[i].words[w], state[rate + w]) << i << " of " << count;
      }
      EXPECT_EQ(parents[count], (Digest{{7, 7, 7, 7}})) << "behind the last of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, MergeKernels,
                         ::testing::Values(base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma),
                         [](const auto& instance) { return std::string(base::isa_name(instance.param)); });

/// A device that only says how large its groups may be.
class GroupsOfEight final : public Device {
 public:
  std::string kind() const override { return "none"; }
  std::string name() const override { return "paper"; }
  std::uint64_t largest_group() const override { return 8; }
  void run(const TreeScheme&, const TreeShape&, std::span<const Digest>, std::span<Digest>, std::span<const Dispatch>,
           RunRecord*) override {}
};

TEST(Accelerators, TakeGroupsUpToTheirLargest) {
  const GroupsOfEight device;
  const TreeShape shape(100);
  EXPECT_NO_THROW(require_groups(device, plan_dispatches(shape, Approach::work_groups, 8)));
  base::expect_refusal<base::InputError>(
      [&] { require_groups(device, plan_dispatches(shape, Approach::work_groups, 16)); },
      "work-groups of 16 items; paper takes at most 8");
}

TEST(Accelerators, ReadTheConstantsFromOneTable) {
  for (const Variant variant : {Variant::a, Variant::c}) {
    const TreeScheme scheme{.variant = variant};
    const RoundConstants& constants = round_constants(variant);
    const auto table = kernel_table(scheme);
    ASSERT_EQ(table.size(), 316u);
    for (std::size_t word = 0; word < 12; ++word) {
      for (std::size_t round = 0; round < 7; ++round) {
        ASSERT_EQ(table[12 * round + word], constants.first[round][word]);
        ASSERT_EQ(table[84 + 12 * round + word], constants.second[round][word]);
      }
      for (std::size_t row = 0; row < 12; ++row) ASSERT_EQ(table[168 + 12 * row + word], constants.matrix[row][word]);
    }
    const auto capacity = merge_capacity(scheme);
    for (std::size_t word = 0; word < 4; ++word) ASSERT_EQ(table[312 + word], capacity[word]);
  }
}

}  // namespace
}  // namespace tacit::merkle
