#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "graph/reference/run.h"
#include "params/owner_flood.h"
#include "runtime/slots/share_file.h"
#include "session/evaluation.h"
#include "session/owner/client_half.h"
#include "session/owner/group/group_keys.h"
#include "session/owner/group/group_owner.h"
#include "session/owner/group/new_group.h"
#include "session/owner/group/shared_outputs.h"
#include "session/owner/halves.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<char> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A small perceptron, its owners, and the files that they send to each other.
class Group {
 public:
  Group(int owners, int threshold) : owners_(owners), threshold_(threshold) {
    graph::CompileOptions options;
    options.calibration = graph::passes::deep_samples(40, 4, 5);
    options.parameters = small_insecure_literal();
    options.owners = graph::ForOwners{.parts = params::OwnerParts(owners, threshold), .promise = promise_};
    const Compilation compilation =
        compile_graph("small", graph::passes::deep_perceptron(1, 4), options, base::Progress::silent());
    const Halves halves = halves_of(compilation);
    runtime::save(halves.server, file("server"));
    runtime::save(halves.client, file("client"));
    noise_ = halves.client.interface.outputs.front().noise;
    for (int i = 0; i < owners; ++i) make_member_key(file("client"), secret(i), id(i));
    make_member_key(file("client"), file("r.secret"), file("r.id"));
    propose("proposed");
  }

  void propose(const std::string& name) {
    GroupRequest request{
        .client = file("client"), .owners = {}, .receivers = {{"r", file("r.id")}}, .threshold = threshold_};
    request.promise = promise_;
    for (int i = 0; i < owners_; ++i) request.owners.push_back({"o" + std::to_string(i), id(i)});
    new_group(request, file(name));
  }
  OpenGroup open(const std::string& group) const { return open_group(file("client"), file(group)); }
  GroupOwner owner(int i, const std::string& group = "agreed") const { return {open(group), secret(i)}; }

  void agree_on(const std::string& proposed = "proposed", const std::string& agreed = "agreed") {
    std::vector<runtime::Source> commitments;
    for (int i = 0; i < owners_; ++i) {
      const auto path = file(agreed + ".commit" + std::to_string(i));
      owner(i, proposed).commit({}, path, base::Progress::silent());
      commitments.emplace_back(path);
    }
    agree(open(proposed), commitments, file(agreed));
  }
  void make_keys() {
    agree_on();
    std::vector<runtime::Source> parts;
    for (int i = 0; i < owners_; ++i) {
      owner(i).first_part({}, part(1, i), base::Progress::silent());
      parts.emplace_back(part(1, i));
    }
    const std::vector<runtime::Source> first = parts;
    for (int i = 0; i < owners_; ++i) {
      owner(i).second_part(first, part(2, i), base::Progress::silent());
      parts.emplace_back(part(2, i));
    }
    combine_keys(open("agreed"), parts, file("public"), file("evaluation"), base::Progress::silent());
  }
  void evaluate_questions() {
    const auto client = load_client_half(file("client"));
    const auto samples = questions();
    const auto encryptor = client->encryptor({file("public"), true}, file("x"), {samples.size(), 1});
    for (const std::vector<graph::Tensor>& sample : samples) encryptor->add({&sample, 1});
    encryptor->finish();
    EvaluationFiles files;
    files.model = file("server");
    files.keys = file("evaluation");
    files.input = file("x");
    files.output = file("y");
    evaluate(
        files, {}, [](const params::ParameterIdentity&) {}, base::Progress::silent());
  }
  void share(int i, const std::string& to = "r.id") {
    owner(i).share({.results = file("y"), .receiver = file(to)}, shared(i), base::Progress::silent());
  }
  void combine(const std::vector<int>& who, const std::string& output, const std::string& receiver = "r.id") {
    std::vector<runtime::Source> shares;
    for (const int i : who) shares.emplace_back(shared(i));
    combine_shares(open("agreed"), file("y"), file(receiver), shares, file(output), base::Progress::silent());
  }
  /// The largest error of the receiver's numbers, and the deviation of the flood of a number.
  std::pair<double, double> error_and_flood(const std::string& results) const {
    const auto client = load_client_half(file("client"));
    const auto read = client->results({.key = file("r.secret"), .results = file(results), .question = file("x")});
    const graph::Graph network = graph::passes::deep_perceptron(1, 4);
    double largest = 0;
    const auto samples = questions();
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const std::vector<graph::Tensor> got = read->read(s).front();
      const std::vector<graph::Tensor> expected = graph::reference::run(network, samples[s]);
      for (std::size_t k = 0; k < expected.front().data.size(); ++k)
        largest = std::max(largest, std::abs(got.front().data[k] - expected.front().data[k]));
    }
    const int parts = static_cast<int>(params::OwnerParts(owners_, threshold_).parts());
    return {largest, params::owners_flood(noise_, parts, promise_)};
  }

  static std::vector<std::vector<graph::Tensor>> questions() { return graph::passes::deep_samples(3, 4, 77, 0.7); }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path secret(int i) const { return file("o" + std::to_string(i) + ".secret"); }
  std::filesystem::path id(int i) const { return file("o" + std::to_string(i) + ".id"); }
  std::filesystem::path part(int round, int i) const {
    return file("part" + std::to_string(round) + "." + std::to_string(i));
  }
  std::filesystem::path shared(int i) const { return file("share." + std::to_string(i)); }

 private:
  const base::TemporaryFolder folder_;
  int owners_, threshold_;
  params::Sharing promise_{.statistical_bits = 20, .decryptions = 64};
  double noise_ = 0;
};

/// Makes keys and results, and decrypts with some owners.
void expect_answers(Group& group, const std::vector<int>& who) {
  for (const int i : who) group.share(i);
  group.combine(who, "z");
  const auto [error, flood] = group.error_and_flood("z");
  EXPECT_LT(error, 6 * flood + 0.03) << "the flood, and the errors of polynomials";
  EXPECT_GT(error, flood / 100);
}

TEST(OwnersOfAModel, DecryptTogether) {
  Group two(2, 2);
  two.make_keys();
  two.evaluate_questions();
  expect_answers(two, {0, 1});
}

TEST(OwnersOfAModel, NeedOnlyAsManyAsTheThreshold) {
  Group group(5, 3);
  group.make_keys();
  group.evaluate_questions();
  expect_answers(group, {0, 2, 4});
  const std::vector<char> first = bytes_of(group.file("z"));
  expect_answers(group, {1, 2, 3});
  EXPECT_EQ(bytes_of(group.file("z")), first) << "whoever decrypts, the bits are the same";
  EXPECT_THAT(
      [&] {
        group.combine({1, 2}, "less");
      },
      ThrowsMessage<base::InputError>(HasSubstr("2 of 5 owners have shared these results, and 3 are needed")));
}

TEST(OwnersOfAModel, MayBeTenOfTenOrFiveOfNine) {
  for (const auto& [owners, threshold] : {std::pair{10, 10}, {9, 5}}) {
    Group group(owners, threshold);
    group.make_keys();
    group.evaluate_questions();
    std::vector<int> who;
    for (int i = owners - threshold; i < owners; ++i) who.push_back(i);
    expect_answers(group, who);
  }
}

TEST(OwnersOfAModel, AnAlteredShareIsNamedWhereThreeHoldIt) {
  Group group(5, 3);
  group.make_keys();
  group.evaluate_questions();
  for (int i = 0; i < 5; ++i) group.share(i);
  const runtime::OwnerGroup owners = group.open("agreed").group;
  const runtime::ShareReader honest(group.shared(3), owners);
  const std::size_t parts = owners.parts().held_by(3).size();
  const std::size_t bytes = std::filesystem::file_size(group.shared(0)) / (Group::questions().size() * parts);
  ASSERT_GT(bytes, 0U);
  const std::size_t exact = [&] {
    for (std::size_t size = bytes; size > 0; --size) try {
        static_cast<void>(honest.read(0, parts, size));
        return size;
      } catch (const base::InputError&) {
      }
    return std::size_t{0};
  }();
  ASSERT_GT(exact, 0U);
  const base::TemporaryFolder folder;
  runtime::save_shares(
      honest.head(),
      [&](std::uint64_t sample) {
        runtime::SampleShares shares = honest.read(sample, parts, exact);
        shares[1][100] ^= 1;
        return shares;
      },
      folder.path() / "altered");
  std::filesystem::copy_file(folder.path() / "altered", group.shared(3),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(
      [&] {
        group.combine({0, 1, 2, 3, 4}, "z");
      },
      ThrowsMessage<base::InputError>(HasSubstr("the share of 'o3' differs from those of 2 other owners")));
  EXPECT_FALSE(std::filesystem::exists(group.file("z")));
  group.combine({0, 1, 2, 4}, "z");
}

TEST(OwnersOfAModel, CannotReplaceAPartAfterTheyCommittedToIt) {
  // The rushing owner: its part takes the others off its own key. It is not the part that was committed to.
  Group group(2, 2);
  group.agree_on();
  group.agree_on("proposed", "again");
  EXPECT_EQ(bytes_of(group.file("agreed")), bytes_of(group.file("again"))) << "asked again, everybody sends the same";
  for (int i = 0; i < 2; ++i) group.owner(i).first_part({}, group.part(1, i), base::Progress::silent());
  const OpenGroup open = group.open("agreed");
  const runtime::KeyPartReader reader(group.part(1, 1), open.context, open.group);
  runtime::FirstPart replaced = reader.first(open.group.commitments[1].first_part);
  replaced.open.b.limb(0)[0] ^= 1;
  runtime::save(open.context, reader.head(), replaced, group.file("replaced"));
  EXPECT_THAT(
      [&] {
        group.owner(0).second_part({group.part(1, 0), group.file("replaced")}, group.part(2, 0),
                                   base::Progress::silent());
      },
      ThrowsMessage<base::InputError>(HasSubstr("not the part that its owner committed to")));
  EXPECT_FALSE(std::filesystem::exists(group.part(2, 0)));
}

TEST(OwnersOfAModel, MakeNoPartsForTwoSetsOfCommitments) {
  // Whoever has seen a part could commit to one that takes it off, and ask for a second round.
  Group group(2, 2);
  group.agree_on();
  group.owner(0).first_part({}, group.part(1, 0), base::Progress::silent());
  OpenGroup other = group.open("agreed");
  other.group.commitments[1].first_part[0] ^= 1;
  runtime::OwnerGroup forged = other.group;
  forged.key_set = runtime::key_set_of(*other.context, forged);
  runtime::save(other.context, forged, group.file("forged"));
  EXPECT_THAT([&] { group.owner(0, "forged").first_part({}, group.file("second"), base::Progress::silent()); },
              ThrowsMessage<base::InputError>(HasSubstr("would reveal your secret; make a new group")));
  EXPECT_FALSE(std::filesystem::exists(group.file("second")));
  group.owner(0).first_part({}, group.file("second"), base::Progress::silent());
  EXPECT_EQ(bytes_of(group.file("second")), bytes_of(group.part(1, 0)));
}

TEST(OwnersOfAModel, RefuseWhatDoesNotBelongToThem) {
  Group group(3, 2);
  group.make_keys();
  group.evaluate_questions();
  const auto refused = [](const std::string& words) { return ThrowsMessage<base::InputError>(HasSubstr(words)); };
  // Groups.
  const auto propose = [&](std::vector<int> owners, int threshold) {
    GroupRequest request{.client = group.file("client"), .owners = {}, .threshold = threshold};
    for (std::size_t i = 0; i < owners.size(); ++i)
      request.owners.push_back({"name" + std::to_string(i), group.id(owners[i])});
    new_group(request, group.file("other"));
  };
  EXPECT_THAT([&] { propose({0, 1, 1}, 2); }, refused("are the same key"));
  EXPECT_THAT([&] { propose({0, 1, 2}, 4); }, refused("cannot need 4 of them"));
  EXPECT_THAT([&] { propose({0, 1, 2}, 1); }, refused("every owner decrypt alone"));
  EXPECT_THAT([&] { propose({0, 1}, 2); }, refused("compile it with --owners 2,2"));
  EXPECT_FALSE(std::filesystem::exists(group.file("other")));
  // Owners.
  EXPECT_THAT([&] { GroupOwner(group.open("agreed"), group.file("r.secret")); }, refused("the secret of no owner"));
  // Parts of keys.
  const auto combine = [&](const std::vector<std::filesystem::path>& parts) {
    combine_keys(group.open("agreed"), {parts.begin(), parts.end()}, group.file("p"), group.file("e"),
                 base::Progress::silent());
  };
  EXPECT_THAT([&] { combine({group.part(1, 0), group.part(1, 1)}); }, refused("'o2' made with --part1 is missing"));
  EXPECT_THAT([&] { combine({group.part(1, 0), group.part(1, 1), group.part(1, 2)}); }, refused("--part2 is missing"));
  EXPECT_THAT([&] { combine({group.part(1, 0), group.part(1, 0), group.part(1, 2)}); }, refused("name one of each"));
  group.propose("second");
  group.agree_on("second", "second agreed");
  group.owner(0, "second agreed").first_part({}, group.file("foreign"), base::Progress::silent());
  EXPECT_THAT([&] { combine({group.file("foreign")}); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("a part of the keys of another group")));
  EXPECT_THAT([&] { agree(group.open("second"), {group.part(1, 0)}, group.file("third")); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("another group")));
  // Shares.
  make_member_key(group.file("client"), group.file("s.secret"), group.file("s.id"));
  EXPECT_THAT([&] { group.share(0, "s.id"); }, refused("somebody outside"));
  EXPECT_THAT(
      [&] {
        group.owner(0).share({.results = group.file("y"), .receiver = group.file("r.id"), .signers = {{7}}},
                             group.shared(0), base::Progress::silent());
      },
      refused("no receipt says"));
  EXPECT_THAT(
      [&] {
        group.owner(0, "second agreed")
            .share({.results = group.file("y"), .receiver = group.file("r.id")}, group.shared(0),
                   base::Progress::silent());
      },
      ThrowsMessage<base::KeyMismatch>(HasSubstr("key set")));
  EXPECT_FALSE(std::filesystem::exists(group.shared(0)));
  for (int i = 0; i < 3; ++i) group.share(i);
  std::filesystem::copy_file(group.shared(1), group.file("share.7"));
  EXPECT_THAT([&] { group.combine({1, 7}, "z"); }, refused("are both of 'o1'"));
  EXPECT_THAT([&] { group.combine({0, 1}, "z", "o2.id"); }, refused("for another receiver than 'o2'"));
  EXPECT_THAT(
      [&] {
        load_client_half(group.file("client"))
            ->generate_keys({group.file("k"), group.file("l")}, {}, base::Progress::silent());
      },
      refused("keygen --group"));
}

TEST(OwnersOfAModel, ShareNoMoreResultsThanTheyPromised) {
  Group group(2, 2);
  group.make_keys();
  group.evaluate_questions();
  // Three results at a time, of 64.
  for (int i = 0; i < 21; ++i) group.share(0);
  EXPECT_THAT([&] { group.share(0); }, ThrowsMessage<base::InputError>(HasSubstr("64")));
}

}  // namespace
}  // namespace tacit::session
