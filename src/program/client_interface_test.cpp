#include "program/client_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ClientInterface interface() {
  ClientInterface made;
  made.batch = 2;
  made.inputs.push_back({"x", layout::Layout::row_major({2, 3}, 8), 4, 0x1p40, -1.5, 2.5, {1, 2, 3, 4, 5, 6}});
  made.inputs.push_back({"y", layout::Layout::row_major({4}, 8), 5, 0x1p41, 0, 0, {}});
  made.outputs.push_back({"z", layout::Layout::row_major({2}, 8), 1, 0.25, -3, 7, 2, 0x1p39, 1e-6});
  return made;
}

TEST(ClientInterface, TravelsAsBytes) {
  const std::vector<std::uint8_t> bytes = to_bytes(interface());
  const ClientInterface read = client_interface_from_bytes(bytes);
  EXPECT_EQ(to_bytes(read), bytes);
  EXPECT_EQ(read.batch, 2);
  ASSERT_EQ(read.inputs.size(), 2u);
  ASSERT_EQ(read.outputs.size(), 1u);
  const ClientInput& x = read.inputs[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.layout, interface().inputs[0].layout);
  EXPECT_EQ(x.level, 4);
  EXPECT_EQ(x.scale, 0x1p40);
  EXPECT_EQ(x.lowest, -1.5);
  EXPECT_EQ(x.highest, 2.5);
  EXPECT_THAT(x.units, ElementsAre(1, 2, 3, 4, 5, 6));
  const ClientOutput& z = read.outputs[0];
  EXPECT_EQ(z.name, "z");
  EXPECT_EQ(z.program_output, 1u);
  EXPECT_EQ(z.unit, 0.25);
  EXPECT_EQ(z.lowest, -3);
  EXPECT_EQ(z.highest, 7);
  EXPECT_EQ(z.level, 2);
  EXPECT_EQ(z.scale, 0x1p39);
  EXPECT_EQ(z.noise, 1e-6);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(client_interface_from_bytes(std::span(bytes).first(cut)), base::InputError) << cut;
}

TEST(ClientInterface, ThinInputsTravelAndNeedRoomForTheirCopies) {
  ClientInterface thin = interface();
  thin.inputs[1].layout = layout::Layout::parse("[4] across() within(d0:8/1) junk()");
  const std::size_t whole = to_bytes(thin).size();
  thin.inputs[1].log_gap = 1;
  const std::vector<std::uint8_t> bytes = to_bytes(thin);
  EXPECT_EQ(bytes.size(), whole + 2 * 8) << "interfaces without thin inputs keep their format";
  const ClientInterface read = client_interface_from_bytes(bytes);
  EXPECT_EQ(read.inputs[0].log_gap, 0);
  EXPECT_EQ(read.inputs[1].log_gap, 1);
  EXPECT_EQ(to_bytes(read), bytes);
  for (const char* layout : {"[5] across() within(d0:8/1) junk()", "[4] across() within(copy:2 d0:4/1) junk()"}) {
    thin.inputs[1].layout = layout::Layout::parse(layout);
    EXPECT_THAT([&] { client_interface_from_bytes(to_bytes(thin)); },
                ThrowsMessage<base::InputError>(HasSubstr("the slots of input 'y' leave no room for 2^1 copies")));
  }
}

TEST(ClientInterface, BytesOfWhatIsNoneAreRefused) {
  const auto refuses = [](const auto& change, const char* reason) {
    ClientInterface changed = interface();
    change(changed);
    EXPECT_THAT([&] { client_interface_from_bytes(to_bytes(changed)); },
                ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses([](auto& i) { i.inputs[0].units.pop_back(); }, "input 'x' has 5 units and 6 elements");
  for (const double unit : {0.0, -1.0}) refuses([&](auto& i) { i.inputs[0].units[2] = unit; }, "not positive");
  for (const double scale : {0.0, -1.0}) {
    refuses([&](auto& i) { i.inputs[1].scale = scale; }, "the scale of an input is not positive");
    refuses([&](auto& i) { i.outputs[0].scale = scale; }, "the scale of an output is not positive");
    refuses([&](auto& i) { i.outputs[0].unit = scale; }, "the unit of an output is not positive");
  }
  refuses([](auto& i) { i.outputs[0].noise = -1e-9; }, "the noise of an output is negative");
  for (const int level : {-1, 128}) {
    refuses([&](auto& i) { i.inputs[0].level = level; }, "the level of an input");
    refuses([&](auto& i) { i.outputs[0].level = level; }, "the level of an output");
  }
  refuses([](auto& i) { i.batch = 0; }, "the number of samples a run");
  refuses([](auto& i) { i.batch = 4; }, "'x' has 6 elements, which 4 samples do not share");
  refuses([](auto& i) { i.batch = 4, i.inputs.erase(i.inputs.begin()); },
          "'z' has 2 elements, which 4 samples do not share");
  ClientInterface known = interface();
  known.outputs[0].noise = 0;
  known.inputs[0].level = 127;
  EXPECT_NO_THROW(client_interface_from_bytes(to_bytes(known)));
}

TEST(ClientInterface, UnitsAreOfEveryElementOrNone) {
  EXPECT_THAT(in_units(std::vector<double>{2, 3}, {5, 7}), ElementsAre(10, 21));
  EXPECT_THAT(in_units({}, {5, 7}), ElementsAre(5, 7));
  EXPECT_THROW(in_units(std::vector<double>{2}, {5, 7}), base::InternalError);
  ClientInterface client = interface();
  EXPECT_THAT(from_units(client.outputs[0], {4, -8}), ElementsAre(1, -2));
  // The interface reads output 1 of the program.
  EXPECT_THAT(from_units(client, {{100, 100}, {4, -8}}), ElementsAre(ElementsAre(1, -2)));
}

TEST(ClientInterface, ElementsOfAnOutputMayHaveSharesOfItsUnit) {
  ClientInterface client = interface();
  client.outputs[0].shares = {1, 0.125};
  const ClientInterface read = client_interface_from_bytes(to_bytes(client));
  EXPECT_THAT(read.outputs[0].shares, ElementsAre(1, 0.125));
  EXPECT_THAT(from_units(read.outputs[0], {4, -8}), ElementsAre(1, -0.25));
  EXPECT_THROW(from_units(read.outputs[0], {4}), base::InternalError);
  client.outputs[0].shares = {1};
  EXPECT_THAT(base::refusal([&] { client_interface_from_bytes(to_bytes(client)); }),
              HasSubstr("output 'z' has 1 units and 2 elements"));
  for (const double share : {0.0, -1.0, 2.0}) {
    client.outputs[0].shares = {1, share};
    EXPECT_THAT(base::refusal([&] { client_interface_from_bytes(to_bytes(client)); }), HasSubstr("outside 0 to 1"));
  }
}

TEST(ClientInterface, SamplesOfARunLieSideBySide) {
  const ClientInterface client = interface();
  using Sample = std::vector<std::vector<double>>;
  const Sample a{{1, 2, 3}, {4, 5}}, b{{6, 7, 8}, {9, 10}};
  const std::vector<Sample> both{a, b}, one{a}, three{a, b, a}, uneven{a, {{6, 7}, {9, 10}}}, fewer{a, {{6, 7, 8}}};
  const auto tensors = side_by_side(client, both);
  EXPECT_THAT(tensors, ElementsAre(ElementsAre(1, 2, 3, 6, 7, 8), ElementsAre(4, 5, 9, 10)));
  EXPECT_EQ(of_sample(client, tensors, 0), a);
  EXPECT_EQ(of_sample(client, tensors, 1), b);
  // A place without a sample repeats the last one.
  EXPECT_THAT(side_by_side(client, one), ElementsAre(ElementsAre(1, 2, 3, 1, 2, 3), ElementsAre(4, 5, 4, 5)));
  EXPECT_THAT([&] { side_by_side(client, three); },
              ThrowsMessage<base::InputError>(HasSubstr("a run takes 1 to 2 samples, and 3 were given")));
  EXPECT_THROW(side_by_side(client, {}), base::InputError);
  EXPECT_THROW(side_by_side(client, uneven), base::InputError);
  EXPECT_THROW(side_by_side(client, fewer), base::InputError);
}

TEST(ClientInterface, BoundsOfFieldsAreTaken) {
  const auto refused = [](const auto& change) {
    ClientInterface changed = interface();
    change(changed);
    return base::refusal([&] { client_interface_from_bytes(to_bytes(changed)); });
  };
  for (const int level : {0, 127}) {
    EXPECT_EQ(refused([&](auto& i) { i.inputs[0].level = level; }), base::kNotRefused);
    EXPECT_EQ(refused([&](auto& i) { i.outputs[0].level = level; }), base::kNotRefused);
  }
  for (const std::size_t output : {std::size_t{0}, std::size_t{4294967295}})
    EXPECT_EQ(refused([&](auto& i) { i.outputs[0].program_output = output; }), base::kNotRefused);
  EXPECT_THAT(refused([](auto& i) { i.outputs[0].program_output = std::size_t{4294967296}; }),
              HasSubstr("the number of an output is 4294967296, outside 0 to 4294967295"));
  for (const std::int64_t batch : {1, 2}) EXPECT_EQ(refused([&](auto& i) { i.batch = batch; }), base::kNotRefused);
  EXPECT_THAT(refused([](auto& i) { i.batch = 65537; }),
              HasSubstr("the number of samples a run is 65537, outside 1 to 65536"));
  EXPECT_EQ(refused([](auto& i) { i.inputs[0].units.clear(); }), base::kNotRefused);
  EXPECT_THAT(refused([](auto& i) { i.inputs[0].units.push_back(7); }),
              HasSubstr("input 'x' has 7 units and 6 elements"));
}

TEST(ClientInterface, ValuesAreTheirTensorsUnlessTheySay) {
  EXPECT_EQ(ClientInterface{}.batch, 1);
  const ClientOutput output{"z", layout::Layout::row_major({2}, 8)};
  EXPECT_EQ(output.unit, 1);
  EXPECT_EQ(output.program_output, 0U);
  EXPECT_EQ(output.noise, 0);
  const ClientInput input{"x", layout::Layout::row_major({2}, 8)};
  EXPECT_EQ(input.lowest, input.highest) << "any finite value";
  EXPECT_TRUE(input.units.empty());
}

TEST(ClientInterface, SamplesAreCountedInTheirSentences) {
  const ClientInterface client = interface();
  using Sample = std::vector<std::vector<double>>;
  EXPECT_EQ(base::refusal([&] { side_by_side(client, {}); }), "a run takes 1 to 2 samples, and 0 were given");
  const std::vector<Sample> uneven{{{1, 2, 3}, {4, 5}}, {{6, 7, 8}, {9}}};
  EXPECT_EQ(base::refusal([&] { side_by_side(client, uneven); }),
            "the samples of a run have tensors of different sizes");
}

TEST(ClientInterface, NothingIsEncryptedOrReadUnlessItSays) {
  const ClientInput input{"x", layout::Layout::row_major({2}, 8)};
  EXPECT_EQ(input.level, 0);
  EXPECT_EQ(input.scale, 0);
  EXPECT_EQ(input.lowest, 0);
  const ClientOutput output{"z", layout::Layout::row_major({2}, 8)};
  EXPECT_EQ(output.lowest, 0);
  EXPECT_EQ(output.highest, 0);
  EXPECT_EQ(output.level, 0);
  EXPECT_EQ(output.scale, 0);
}

TEST(ClientInterface, ScalesBelowOneArePositive) {
  for (const double scale : {1.0, 0.5}) {
    ClientInterface small = interface();
    small.inputs[0].scale = small.outputs[0].scale = scale;
    const ClientInterface read = client_interface_from_bytes(to_bytes(small));
    EXPECT_EQ(read.inputs[0].scale, scale);
    EXPECT_EQ(read.outputs[0].scale, scale);
  }
}

TEST(ClientInterface, ATensorWithoutElementsHasNoneSideBySide) {
  using Sample = std::vector<std::vector<double>>;
  const std::vector<Sample> one{{{}, {4, 5}}};
  EXPECT_THAT(side_by_side(interface(), one), ElementsAre(ElementsAre(), ElementsAre(4, 5, 4, 5)));
}

// An input that is announced is read where forty bytes follow, and refused at its count where fewer do.
TEST(ClientInterface, AnAnnouncedInputIsPaidForWithFortyBytes) {
  const auto refused = [](std::size_t follow) {
    std::vector<std::uint8_t> bytes = to_bytes(ClientInterface{});
    EXPECT_EQ(bytes.size(), 28U);  // format, samples and two counts
    bytes.at(12) = 1;
    bytes.resize(20 + follow);
    return base::refusal([&] { client_interface_from_bytes(bytes); });
  };
  EXPECT_EQ(refused(39), "client interface: 1 items are announced, more than follow (byte 20 of 59)");
  EXPECT_EQ(refused(40), "client interface: truncated, 4 more bytes expected (byte 56 of 60)") << "within the scale";
}

}  // namespace
}  // namespace tacit::program
