#include "params/cost_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;

/// What reading this text is refused with.
std::string refusal(const std::string& text) {
  return base::refusal([&] { cost_table_from_json(text); });
}

/// A whole table but for one field.
std::string table_with(const char* field, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(to_json(CostTable{}));
  json[field] = value;
  return json.dump();
}

TEST(CostTable, ReadsWhatItWrites) {
  CostTable table;
  table.machine = "a \"machine\"";
  double price = 0.25;
  for (const CostField& field : cost_fields()) table.*field.value = price *= 1.5;
  EXPECT_EQ(cost_fields().size(), 9u);
  EXPECT_EQ(cost_table_from_json(to_json(table)), table);
  EXPECT_EQ(cost_table_from_json(to_json(CostTable{})), CostTable{});
}

TEST(CostTable, RefusesWhatIsNoTableByField) {
  EXPECT_THAT(refusal("no table"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(""), HasSubstr("tacit bench cost"));
  EXPECT_THAT(refusal(table_with("nnt_ns", 1)),
              HasSubstr("unknown field 'nnt_ns'; the fields are machine, ntt_ns, mac_ns"));
  EXPECT_THAT(refusal(table_with("machine", 3)), HasSubstr("'machine'"));
  EXPECT_THAT(refusal(table_with("machine", std::string(201, 'm'))), HasSubstr("200 bytes"));
  for (const CostField& field : cost_fields()) {
    const std::string name(field.name);
    for (const nlohmann::json& value : {nlohmann::json(0), nlohmann::json(-0.1), nlohmann::json("1"),
                                        nlohmann::json(nullptr), nlohmann::json(field.most * 1.01)}) {
      EXPECT_THAT(refusal(table_with(name.c_str(), value)), HasSubstr("'" + name + "'")) << value;
      EXPECT_THAT(refusal(table_with(name.c_str(), value)), HasSubstr("above 0 and at most")) << value;
    }
    EXPECT_EQ(refusal(table_with(name.c_str(), field.most)), base::kNotRefused);
    auto json = nlohmann::json::parse(to_json(CostTable{}));
    json.erase(name);
    EXPECT_THAT(refusal(json.dump()), HasSubstr("'" + name + "' is missing"));
  }
  // What JSON writes for numbers beyond all doubles is no number at all.
  std::string text = table_with("ntt_ns", 7);
  text.replace(text.find(":7"), 2, ":1e999");
  EXPECT_NE(refusal(text), base::kNotRefused);
}

TEST(CostTable, BoundsAndDefaultsOfMachines) {
  EXPECT_EQ(CostTable{}.threads, 1);
  EXPECT_EQ(CostTable{}.cache_mib, 26);
  for (const CostField& field : cost_fields())
    EXPECT_EQ(field.most, field.name == "threads" ? 4096 : field.name == "cache_mib" ? 1048576 : 1e6) << field.name;
  EXPECT_EQ(refusal(table_with("machine", std::string(200, 'm'))), base::kNotRefused);
  EXPECT_THAT(refusal(table_with("machine", std::string(201, 'm'))),
              HasSubstr("cost table: 'machine' must be a name of at most 200 bytes; `tacit bench cost --output FILE`"));
  EXPECT_THAT(refusal(table_with("threads", 4097)),
              HasSubstr("cost table: 'threads' (that share the work) must be a number of threads above 0 and at most "
                        "4096; `tacit bench cost --output FILE` writes a whole table"));
  const std::string fifty = "a" + std::string(49, 'b');
  EXPECT_THAT(refusal(table_with((fifty + "cd").c_str(), 1)),
              HasSubstr("cost table: unknown field '" + fifty + "'; the fields are machine, ntt_ns"));
  auto json = nlohmann::json::parse(to_json(CostTable{}));
  json.erase("machine");
  EXPECT_THAT(refusal(json.dump()), HasSubstr("'machine' must be a name"));
}

// People read it: a field a line, and names as they were written.
TEST(CostTable, IsTextForPeople) {
  const CostTable table{.machine = "Gr\u00fc\u00dfe",
                        .ntt_ns = 0.5,
                        .mac_ns = 0.25,
                        .key_ns = 2.5,
                        .product_ns = 1.5,
                        .far_ns = 3.5,
                        .embed_ns = 4.5,
                        .touch_ns = 5.5,
                        .threads = 6.5,
                        .cache_mib = 7.5};
  EXPECT_EQ(to_json(table),
            "{\n"
            "  \"machine\": \"Gr\u00fc\u00dfe\",\n"
            "  \"ntt_ns\": 0.5,\n"
            "  \"mac_ns\": 0.25,\n"
            "  \"key_ns\": 2.5,\n"
            "  \"product_ns\": 1.5,\n"
            "  \"far_ns\": 3.5,\n"
            "  \"embed_ns\": 4.5,\n"
            "  \"touch_ns\": 5.5,\n"
            "  \"threads\": 6.5,\n"
            "  \"cache_mib\": 7.5\n"
            "}");
}

}  // namespace
}  // namespace tacit::params
