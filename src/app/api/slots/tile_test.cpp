#include <gtest/gtest.h>
#include <tacit/tile.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

namespace tacit::tile {
namespace {

constexpr const char* kSmallSession = "slots 64, depth 3, fraction 40 bits, integer 5 bits, security 0";

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<double>(i) + 1);
  return values;
}

/// Every public operator, on any session.
std::vector<Tensor> everything(const Session& session) {
  const Shape rows("{r any|8}{c any|8}");
  const Tensor a = encrypt(session, rows, {5, 6}, numbers(30), 3), b = encrypt(session, rows, {5, 6}, numbers(30), 3);
  const Plain weights(session, rows.with_replicated(0), {1, 6}, numbers(6));
  const Tensor total = sum(multiply(a, b), 1, {true, 1});
  const Tensor image = encrypt(session, Shape("{c 1}{y 8|4 woven}{x 8|4 woven}{copy 4}"), {1, 8, 8, 1}, numbers(64));
  return {add(a, b),
          subtract(a, b),
          add(a, weights),
          multiply(a, weights),
          add(a, 2.0),
          multiply(a, 0.5),
          multiply_sum(a, b, 0, {false, 2}),
          multiply_sum(a, weights, 1),
          replicate(clear_unknowns(total), 1),
          rotate(a, 0, 2),
          slice(a, 1, 2, 3),
          concat(a, b, 0),
          reshard(a, Shape("{5|2}{6|32}")),
          matrix_times(numbers(4 * 30), a, Shape("{4|64}")),
          convolve(image, {1, 1, 3, 3}, numbers(9)),
          convolve(image, encrypt_filters(session, image.shape(), {1, 1, 3, 3}, numbers(9)))};
}

TEST(TileApi, AnOperatorIsValidatedOnTheMessagesOfItsOperands) {
  const auto weighted = [](const std::vector<Tensor>& t, const std::vector<Plain>& p) {
    return multiply_sum(t[0], p[0], 1);
  };
  const auto compare = [&](const Session& session, const Operator& made_by) {
    const Shape rows("{r any|8}{c any|8}");
    const Tensor a = encrypt(session, rows, {5, 6}, numbers(30));
    const Plain w(session, rows, {5, 6}, numbers(30));
    return validate("weighted", weighted({a}, {w}), {a}, {w}, made_by, 5, -5);
  };
  const Session rehearsal = Session::cost(kSmallSession, InsecureParameters::allow);
  EXPECT_THROW(compare(rehearsal, weighted), InputError);
  const Session session = Session::encrypted(kSmallSession, rehearsal, InsecureParameters::allow);
  const Comparison right = compare(session, weighted);
  EXPECT_FALSE(right.failed) << right.text;
  EXPECT_GT(right.worst_error, 0);
  const Comparison wrong = compare(session, [&](const auto& t, const auto& p) { return add(weighted(t, p), 1); });
  EXPECT_TRUE(wrong.failed);
  EXPECT_NEAR(wrong.message, wrong.encrypted + 1, 1e-5);
  EXPECT_EQ(wrong.text.rfind("validate failed at weighted[0]: ", 0), 0u);
}

TEST(TileApi, ARecordedComputationIsAModel) {
  const CompiledModel model = record(kSmallSession, "everything", everything, InsecureParameters::allow);
  EXPECT_EQ(model.client.input_shapes(),
            (std::vector<tacit::Shape>{{5, 6}, {5, 6}, {1, 8, 8, 1}, {1, 3, 3, 1, 1, 1, 1}}));
  EXPECT_NE(model.client.plan().text.find("Plan for everything"), std::string::npos);
  const Client client(model.client);
  Server server(model.server, client.evaluation_keys());
  const Tensors found =
      client.decrypt(server.evaluate(client.encrypt({numbers(30), numbers(30), numbers(64), numbers(9)})));
  const std::vector<Tensor> expected = everything(Session::clear(kSmallSession));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    const std::vector<double> message = expected[t].decrypt();
    ASSERT_EQ(found[t].size(), message.size()) << t;
    for (std::size_t i = 0; i < message.size(); ++i) EXPECT_NEAR(found[t][i], message[i], 1e-5) << t << " " << i;
  }
}

TEST(TileApi, ARecordingHasNoValues) {
  const auto decrypts = [](const Session& session) {
    const Tensor x = encrypt(session, Shape("{n any|64}"), {5}, {});
    x.decrypt();
    return std::vector<Tensor>{x};
  };
  EXPECT_THROW(record(kSmallSession, "decrypts", decrypts, InsecureParameters::allow), InputError);
  const auto nothing = [](const Session&) { return std::vector<Tensor>{}; };
  EXPECT_THROW(record(kSmallSession, "nothing", nothing, InsecureParameters::allow), InputError);
  EXPECT_THROW(record(kSmallSession, "insecure", everything), InputError);
}

class TileFiles : public ::testing::Test {
 protected:
  TileFiles() : folder_(std::filesystem::temp_directory_path() / ("tacit tiles " + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TileFiles() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path path(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

TEST_F(TileFiles, ClientAndServerHoldAHalfOfTheKeysEach) {
  const auto work = [](const Tensor& a) { return sum(multiply(a, a), 0); };
  const Shape rows("{r any|8}{c any|8}");
  const Session rehearsal = Session::cost(kSmallSession, InsecureParameters::allow);
  replicate(work(encrypt(rehearsal, rows, {5, 6}, {})), 0);
  {
    const Session owner = Session::encrypted(kSmallSession, rehearsal, InsecureParameters::allow);
    owner.save_keys(path("secret"), path("keys"));
    save(encrypt(owner, rows, {5, 6}, numbers(30)), path("question"));
    EXPECT_THROW(owner.save_keys(path("no folder/secret"), path("keys2")), InputError);
  }
  EXPECT_EQ(std::filesystem::status(path("secret")).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  {
    const Session server = Session::from_keys(kSmallSession, {}, path("keys"), InsecureParameters::allow);
    const Tensor question = load(server, path("question"));
    EXPECT_EQ(question.shape(), Shape("{r 5|8}{c 6|8}"));
    EXPECT_THROW(question.decrypt(), InputError);
    EXPECT_THROW(encrypt(server, rows, {5, 6}, numbers(30)), InputError);
    EXPECT_THROW(server.save_keys(path("a"), path("b")), InputError);
    save(work(question), path("answer"));
    // The copies that the sum left to be made are still to be made.
    save(replicate(load(server, path("answer")), 0), path("copied answer"));
  }
  const Session client = Session::from_keys(kSmallSession, path("secret"), {}, InsecureParameters::allow);
  for (const char* name : {"answer", "copied answer"}) {
    const auto found = load(client, path(name)).decrypt();
    ASSERT_EQ(found.size(), 6U);
    for (std::size_t c = 0; c < 6; ++c) {
      double expected = 0;
      for (std::size_t r = 0; r < 5; ++r) expected += std::pow(numbers(30)[6 * r + c], 2);
      EXPECT_NEAR(found[c], expected, 1e-5) << name;
    }
  }

  const Session other = Session::encrypted(kSmallSession, rehearsal, InsecureParameters::allow);
  EXPECT_THROW(load(other, path("answer")), KeyMismatch);
  other.save_keys(path("other secret"), path("other keys"));
  EXPECT_THROW(Session::from_keys(kSmallSession, path("secret"), path("other keys"), InsecureParameters::allow),
               KeyMismatch);
  const char* larger = "slots 128, depth 3, fraction 40 bits, integer 5 bits, security 0";
  EXPECT_THROW(Session::from_keys(larger, path("secret"), {}, InsecureParameters::allow), KeyMismatch);
  EXPECT_THROW(Session::from_keys(kSmallSession, path("keys"), {}, InsecureParameters::allow), InputError);
  EXPECT_THROW(Session::from_keys(kSmallSession, {}, path("secret"), InsecureParameters::allow), InputError);
  EXPECT_THROW(Session::from_keys(kSmallSession, {}, {}, InsecureParameters::allow), InputError);
  EXPECT_THROW(Session::from_keys(kSmallSession, path("secret"), {}), InputError);
  EXPECT_THROW(load(client, path("keys")), InputError);
  EXPECT_THROW(load(client, path("nothing")), InputError);
  EXPECT_THROW(load(rehearsal, path("answer")), InputError);
  EXPECT_THROW(save(encrypt(rehearsal, rows, {5, 6}, {}), path("cost")), InputError);
  EXPECT_THROW(rehearsal.save_keys(path("c"), path("d")), InputError);
  std::filesystem::resize_file(path("answer"), std::filesystem::file_size(path("answer")) - 100);
  EXPECT_THROW(load(client, path("answer")), InputError);
}

TEST(TileApi, ThreeSessionsAgree) {
  const Session rehearsal = Session::cost(kSmallSession, InsecureParameters::allow);
  const auto priced = everything(rehearsal);
  EXPECT_GT(rehearsal.cost().rotations, 0);
  EXPECT_GT(rehearsal.cost().key_bytes, 0);
  const auto clear = everything(Session::clear(kSmallSession));
  const auto encrypted = everything(Session::encrypted(kSmallSession, rehearsal, InsecureParameters::allow));
  for (std::size_t i = 0; i < clear.size(); ++i) {
    EXPECT_EQ(encrypted[i].shape(), clear[i].shape()) << i;
    EXPECT_EQ(encrypted[i].level(), clear[i].level()) << i;
    EXPECT_EQ(encrypted[i].estimated_bytes(), priced[i].estimated_bytes()) << i;
    const auto x = encrypted[i].decrypt(), y = clear[i].decrypt();
    ASSERT_EQ(x.size(), y.size()) << i;
    for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], y[k], 1e-5) << i << " " << k;
  }
  EXPECT_NEAR(
      clear[6].decrypt()[2],
      [] {
        const auto v = numbers(30);
        double s = 0;
        for (std::size_t r = 0; r < 5; ++r) s += v[r * 6 + 2] * v[r * 6 + 2];
        return s;
      }(),
      1e-12);
}

TEST(TileApi, PlansWithinBounds) {
  const auto batch = [](const Session& session, const Sizes& extents, Fold fold) {
    const Shape shape("{any|" + std::to_string(extents[0]) + "}{any|" + std::to_string(extents[1]) + "}");
    const std::int64_t items = std::min<std::int64_t>(extents[0], 1000);
    const std::vector<double> values(static_cast<std::size_t>(items * 20));
    multiply_sum(encrypt(session, shape, {items, 20}, values, 1), encrypt(session, shape, {items, 20}, values, 1), 1,
                 fold);
    return items;
  };
  PlanRequest request;
  request.objective = PlanRequest::Objective::throughput;
  const char* requirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128";
  const Plan free = plan(requirement, 2, request, batch);
  ASSERT_EQ(free.best.size(), 10u);
  EXPECT_EQ(free.priced, 13 * 3);
  EXPECT_TRUE(free.exhaustive);
  request.latency = free.best.front().latency / 2;
  const Plan bounded = plan(requirement, 2, request, batch);
  for (const PlannedPacking& packing : bounded.best) EXPECT_LE(packing.latency, *request.latency);
  EXPECT_THROW(plan(requirement, 0, request, batch), InputError);
}

TEST(TileApi, PlansStagesThatChangeTheirShapes) {
  const auto batch = [](const Session& session, const Sizes& extents, Fold fold) {
    const auto text = [](std::int64_t extent) { return std::to_string(extent); };
    const Tensor x = encrypt(session, Shape("{a any|" + text(extents[0]) + "}{b any|" + text(extents[1]) + "}"), {4, 8},
                             numbers(32), 2);
    const Shape target("{a 1|" + text(extents[2]) + "}{b 8|" + text(extents[3]) + "}");
    sum(sum_into(x, 0, target), 1, fold);
    return std::int64_t{1};
  };
  PlanRequest request;
  request.stages = 2;
  const char* requirement = "slots 4096, depth 2, fraction 30 bits, integer 8 bits, security 128";
  const Plan staged = plan(requirement, 2, request, batch);
  ASSERT_FALSE(staged.best.empty());
  EXPECT_EQ(staged.best[0].extents.size(), 4U);
  EXPECT_FALSE(staged.exhaustive);
  for (const PlannedPacking& packing : staged.best) {
    EXPECT_EQ(packing.extents[0] * packing.extents[1], 4096);
    EXPECT_EQ(packing.extents[2] * packing.extents[3], 4096);
    EXPECT_GE(packing.latency, staged.best[0].latency);
  }
  request.stages = 0;
  EXPECT_THROW(plan(requirement, 2, request, batch), InputError);
}

TEST(TileApi, Refusals) {
  const auto says = [](const std::function<void()>& body, const char* part) {
    try {
      body();
      ADD_FAILURE() << "nothing was refused: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  says([] { Shape("{5|3}"); }, "power of two");
  says([] { Session::cost(kSmallSession); }, "encrypts for nobody");
  says([] { Session::cost("slots 16384, depth 40"); }, "128-bit security allows");
  says([] { Session::clear(kSmallSession).cost(); }, "only a cost session");
  says([] { Session::encrypted(kSmallSession, Session::clear(kSmallSession), InsecureParameters::allow); },
       "rehearsal");
  const Session clear = Session::clear(kSmallSession), cost = Session::cost(kSmallSession, InsecureParameters::allow);
  const auto values = numbers(64);
  says([&] { encrypt(clear, Shape("{64|64}"), {64}, values, 9); }, "level 9 is outside 0 to 3");
  says([&] { encrypt(cost, Shape("{64|64}"), {64}, values).decrypt(); }, "no values");
  const Session keyless = Session::encrypted(kSmallSession, cost, InsecureParameters::allow);
  says([&] { rotate(encrypt(keyless, Shape("{64|64}"), {64}, values), 0, 1); }, "rotate");
}

TEST(TileApi, PlansByWhatIsAskedFor) {
  // Inner products of 400 elements: a few need one product and rotations, many in step 400 products and no rotation.
  const auto batch = [](const Session& session, const Sizes& extents, Fold fold) {
    const Shape shape("{any|" + std::to_string(extents[0]) + "}{any|" + std::to_string(extents[1]) + "}");
    const Sizes sizes{extents[0], 400};
    multiply_sum(encrypt(session, shape, sizes, {}, 1), encrypt(session, shape, sizes, {}, 1), 1, fold);
    return extents[0];
  };
  const char* requirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128";
  const auto best = [&](PlanRequest::Objective objective, double PlannedPacking::*of) {
    PlanRequest request;
    request.objective = objective;
    const Plan found = plan(requirement, 2, request, batch);
    for (std::size_t i = 1; i < found.best.size(); ++i) EXPECT_GE(found.best[i].*of, found.best[i - 1].*of) << i;
    return found.best.at(0);
  };
  using Objective = PlanRequest::Objective;
  const PlannedPacking fast = best(Objective::latency, &PlannedPacking::latency),
                       many = best(Objective::throughput, &PlannedPacking::amortised),
                       small = best(Objective::memory, &PlannedPacking::memory);
  EXPECT_LE(fast.latency, many.latency);
  EXPECT_LE(many.amortised, fast.amortised);
  EXPECT_LE(small.memory, fast.memory);
  EXPECT_LE(small.memory, many.memory);
  EXPECT_LT(many.amortised, fast.amortised);
}

TEST(TileApi, LevelsAreTheHighestUnlessTheyAreNamed) {
  const Session session = Session::clear(kSmallSession);
  const auto values = numbers(64);
  const Shape shape("{64|64}"), image("{c 1}{y 8|4 woven}{x 8|4 woven}{copy 4}");
  EXPECT_EQ(session.max_level(), 3);
  EXPECT_EQ(session.slots(), 64);
  EXPECT_EQ(encrypt(session, shape, {64}, values).level(), 3);
  EXPECT_EQ(encrypt_filters(session, image, {1, 1, 3, 3}, numbers(9)).level(), 3);
  for (const int level : {0, 1, 3}) {
    EXPECT_EQ(encrypt(session, shape, {64}, values, level).level(), level);
    EXPECT_EQ(encrypt_filters(session, image, {1, 1, 3, 3}, numbers(9), level).level(), level);
  }
}

}  // namespace
}  // namespace tacit::tile
