#include "session/owner/results.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "session/owner/npy.h"

namespace tacit::session {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What a client runs behind a classifier: a label, and probabilities that a ZipMap names. The other outputs are of any
/// shape.
graph::ClientParts parts_of(const std::vector<std::pair<std::string, graph::Shape>>& outputs,
                            const std::vector<std::string>& classes = {}) {
  graph::ClientParts parts;
  for (const auto& [name, shape] : outputs) {
    const auto id = static_cast<graph::TensorId>(parts.after.tensors.size());
    parts.after.tensors.push_back({name, shape});
    parts.after.outputs.push_back(id);
    if (name == "probabilities")
      parts.after.nodes.push_back({"ai.onnx.ml.ZipMap", "map", {id}, {id}, {{"classlabels_strings", classes}}});
  }
  return parts;
}

class ResultsTest : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::string text(const std::string& name) const {
    const std::vector<char> bytes = base::read_file(path(name));
    return {bytes.begin(), bytes.end()};
  }
  const base::TemporaryFolder folder_;
};

graph::Tensor reals(graph::Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), false}; }
graph::Tensor integers(graph::Shape shape, std::vector<double> data) {
  return {std::move(shape), std::move(data), true};
}

/// Two inputs of a classifier whose labels are texts.
Results flowers() {
  Results results(parts_of({{"label", {1}}, {"probabilities", {1, 3}}}, {"setosa", "versi,color", "vir\"ginica"}));
  results.add({graph::text_tensor({1}, {"setosa"}), reals({1, 3}, {0.5, 0.25, 0.25})});
  results.add({graph::text_tensor({1}, {"vir\"ginica"}), reals({1, 3}, {0, 0.125, 0.875})});
  return results;
}

TEST_F(ResultsTest, JsonNamesOutputsAndTheirColumns) {
  flowers().write(path("y.json"), ResultFormat::json);
  const json written = json::parse(text("y.json"));
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0], json({{"label", "setosa"},
                              {"probabilities", {{"setosa", 0.5}, {"versi,color", 0.25}, {"vir\"ginica", 0.25}}}}));
  EXPECT_EQ(written[1]["label"], "vir\"ginica");
}

TEST_F(ResultsTest, CsvHasALineOfNamesAndALineForEveryInput) {
  flowers().write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"),
            "label,probabilities.setosa,\"probabilities.versi,color\",\"probabilities.vir\"\"ginica\"\n"
            "setosa,0.5,0.25,0.25\n"
            "\"vir\"\"ginica\",0,0.125,0.875\n");
}

// Spreadsheets run what begins with these as a formula.
TEST_F(ResultsTest, CsvGuardsTextsThatSpreadsheetsWouldRun) {
  const std::vector<std::string> texts{
      "=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'x", "a=b", ""};
  Results results(parts_of({{"=label", {1}}, {"number", {1}}}));
  for (const std::string& each : texts) results.add({graph::text_tensor({1}, {each}), reals({1}, {-0.5})});
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"),
            "'=label,number\n"
            "\"'=HYPERLINK(\"\"x\"\")\",-0.5\n"
            "'+1,-0.5\n'-1,-0.5\n'@SUM(A1),-0.5\n'\tx,-0.5\n\"'\rx\",-0.5\n\"'\nx\",-0.5\n'x,-0.5\na=b,-0.5\n,-0.5\n");
}

TEST_F(ResultsTest, NpyIsAFileForEveryOutput) {
  const Results results = flowers();
  EXPECT_THAT(results.files(path("y.npy"), ResultFormat::npy),
              ElementsAre(path("y.label.npy"), path("y.probabilities.npy")));
  EXPECT_THAT(results.files(path("y.csv"), ResultFormat::csv), ElementsAre(path("y.csv")));
  results.write(path("y.npy"), ResultFormat::npy);
  const NpyArray probabilities = read_npy(path("y.probabilities.npy"));
  EXPECT_THAT(probabilities.shape(), ElementsAre(2, 3));
  EXPECT_EQ(probabilities.type(), ElementType::float64);
  EXPECT_THAT(probabilities.row(1), ElementsAre(0, 0.125, 0.875));
  // NumPy's <U10: ten code points of four bytes, padded with zeros.
  const std::string labels = text("y.label.npy");
  EXPECT_THAT(labels, HasSubstr("'descr': '<U10'"));
  EXPECT_THAT(labels, HasSubstr("'shape': (2,)"));
  std::u32string first(10, U'\0');
  std::memcpy(first.data(), labels.data() + labels.size() - 80, 40);
  EXPECT_EQ(first, std::u32string(U"setosa\0\0\0\0", 10));
}

TEST_F(ResultsTest, IntegersStayIntegers) {
  Results results(parts_of({{"label", {1, 1}}}));
  results.add({integers({1, 1}, {7})});
  results.add({integers({1, 1}, {-9007199254740992.0})});
  EXPECT_THAT(results.files(path("y.npy"), ResultFormat::npy), ElementsAre(path("y.npy"))) << "one output, one name";
  results.write(path("y.npy"), ResultFormat::npy);
  EXPECT_EQ(read_npy(path("y.npy")).type(), ElementType::int64);
  EXPECT_THAT(read_npy(path("y.npy")).shape(), ElementsAre(2, 1));
  EXPECT_THAT(read_npy(path("y.npy")).values(), ElementsAre(7, -0x1p53));
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"), "label\n7\n-9007199254740992\n");
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_EQ(json::parse(text("y.json")), json::parse(R"([{"label": [7]}, {"label": [-9007199254740992]}])"));
}

TEST_F(ResultsTest, ShapesAreNestedWithoutTheModelsBatch) {
  Results results(parts_of({{"y", {1, 2, 2}}, {"scalar", {}}}));
  results.add({reals({1, 2, 2}, {1, 2, 3, 4}), reals({}, {0.1})});
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_EQ(json::parse(text("y.json")), json::parse(R"([{"y": [[1.0, 2.0], [3.0, 4.0]], "scalar": 0.1}])"));
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"), "y.0,y.1,y.2,y.3,scalar\n1,2,3,4,0.1\n");
  results.write(path("y.npy"), ResultFormat::npy);
  EXPECT_THAT(read_npy(path("y.y.npy")).shape(), ElementsAre(1, 2, 2));
  EXPECT_THAT(read_npy(path("y.scalar.npy")).shape(), ElementsAre(1));
  EXPECT_THAT(row_shape({1, 3}), ElementsAre(3));
  EXPECT_THAT(row_shape({4, 3}), ElementsAre(4, 3)) << "a batch that the model fixes is part of the answer";
  EXPECT_THAT(row_shape({}), IsEmpty());
}

TEST_F(ResultsTest, NumbersAreWrittenInFullAndWhatIsNoneIsNull) {
  Results results(parts_of({{"y", {1, 3}}}));
  results.add({reals({1, 3}, {0.1 + 0.2, std::nan(""), -std::numeric_limits<double>::infinity()})});
  results.write(path("y.json"), ResultFormat::json);
  const json written = json::parse(text("y.json"));
  EXPECT_EQ(written[0]["y"][0].get<double>(), 0.1 + 0.2);
  EXPECT_TRUE(written[0]["y"][1].is_null());
  EXPECT_TRUE(written[0]["y"][2].is_null());
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"), "y.0,y.1,y.2\n0.30000000000000004,nan,-inf\n");
}

TEST_F(ResultsTest, NamesOfOutputsAreSafeAndDiffer) {
  Results results(parts_of({{"a/b", {1}}, {"a:b", {1}}, {"../../etc", {1}}}));
  EXPECT_THAT(results.files(path("y.npy"), ResultFormat::npy),
              ElementsAre(path("y.a_b.npy"), path("y.a_b_2.npy"), path("y.______etc.npy")));
  EXPECT_THAT(results.files(path("y"), ResultFormat::npy),
              ElementsAre(path("y.a_b"), path("y.a_b_2"), path("y.______etc")));
}

TEST_F(ResultsTest, LabelsThatAreNoTextsOfUnicodeAreStillWritten) {
  // A model's strings are bytes of any kind.
  Results results(parts_of({{"label", {1}}}));
  results.add({graph::text_tensor({1}, {"\xff\xfe"})});
  for (const auto& [file, format] :
       {std::pair{"y.json", ResultFormat::json}, {"y.csv", ResultFormat::csv}, {"y.npy", ResultFormat::npy}})
    EXPECT_NO_THROW(results.write(path(file), format)) << file;
  EXPECT_NO_THROW(json::parse(text("y.json")));
  const Results named(parts_of({{"probabilities", {1, 2}}}, {"\xff", "b"}));
  EXPECT_EQ(named.describe(path("y.json"), ResultFormat::json)[0]["columns"], json({"\xef\xbf\xbd", "b"}));
}

TEST_F(ResultsTest, JsonHoldsTextsOfUnicodeAsTheyAre) {
  Results results(parts_of({{"label", {1}}}));
  results.add({graph::text_tensor({1}, {"caf\xC3\xA9"})});
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_THAT(text("y.json"), ::testing::HasSubstr("\"caf\xC3\xA9\""));
}

TEST_F(ResultsTest, ADescriptionTellsWhatIsWhere) {
  const auto described = flowers().describe(path("y.npy"), ResultFormat::npy);
  ASSERT_EQ(described.size(), 2u);
  EXPECT_EQ(described[0]["name"], "label");
  EXPECT_EQ(described[0]["file"], path("y.label.npy").string());
  EXPECT_EQ(described[0]["shape"], json({2}));
  EXPECT_FALSE(described[0].contains("columns"));
  EXPECT_EQ(described[1]["columns"], json({"setosa", "versi,color", "vir\"ginica"}));
  EXPECT_EQ(flowers().describe(path("y.csv"), ResultFormat::csv)[1]["file"], path("y.csv").string());
}

TEST_F(ResultsTest, NoInputIsAnEmptyTable) {
  const Results results(parts_of({{"label", {1}}, {"probabilities", {1, 2}}}, {"no", "yes"}));
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_EQ(json::parse(text("y.json")), json::array());
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_THAT(text("y.csv"), HasSubstr("probabilities.no,probabilities.yes\n"));
  results.write(path("y.npy"), ResultFormat::npy);
  EXPECT_EQ(read_npy(path("y.label.npy")).size(), 0);
}

TEST_F(ResultsTest, AFileThatCannotBeWrittenIsNamed) {
  for (const ResultFormat format : {ResultFormat::json, ResultFormat::csv, ResultFormat::npy})
    EXPECT_THAT([&] { flowers().write(path("none/y.out"), format); },
                testing::ThrowsMessage<base::InputError>(HasSubstr("none/y")));
}

TEST_F(ResultsTest, JsonIsIndentedByTwo) {
  Results results(parts_of({{"y", {1, 2}}, {"label", {1}}}));
  results.add({reals({1, 2}, {0.5, -1}), integers({1}, {3})});
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_EQ(text("y.json"), "[\n  {\n    \"y\": [\n      0.5,\n      -1.0\n    ],\n    \"label\": 3\n  }\n]\n");
}

TEST_F(ResultsTest, ColumnsWithoutANameAreCounted) {
  Results results(parts_of({{"probabilities", {1, 3}}}, {"no", "yes"}));
  results.add({reals({1, 3}, {0.5, 0.25, 0.125})});
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"), "probabilities.no,probabilities.yes,probabilities.2\n0.5,0.25,0.125\n");
  results.write(path("y.json"), ResultFormat::json);
  EXPECT_EQ(json::parse(text("y.json")), json::parse(R"([{"probabilities": [0.5, 0.25, 0.125]}])"));
}

TEST_F(ResultsTest, FieldsOfCsvAreQuotedWhereTheyMust) {
  Results results(parts_of({{"a,b", {1}}, {"text", {1, 4}}}));
  results.add({reals({1}, {1.5}), graph::text_tensor({1, 4}, {"plain text", "two\nlines", "re\rturn", "\"q\""})});
  results.write(path("y.csv"), ResultFormat::csv);
  EXPECT_EQ(text("y.csv"),
            "\"a,b\",text.0,text.1,text.2,text.3\n1.5,plain text,\"two\nlines\",\"re\rturn\",\"\"\"q\"\"\"\n");
}

TEST_F(ResultsTest, LettersDigitsAndTwoSignsStayInNamesOfFiles) {
  const Results results(parts_of({{"aZ_09-x", {1}}, {"a b.c", {1}}, {"a_b_c", {1}}, {"a:b:c", {1}}}));
  EXPECT_THAT(results.files(path("y.npy"), ResultFormat::npy),
              ElementsAre(path("y.aZ_09-x.npy"), path("y.a_b_c.npy"), path("y.a_b_c_2.npy"), path("y.a_b_c_3.npy")));
}

TEST_F(ResultsTest, ADescriptionHasTheShapeOfAllInputs) {
  Results results(parts_of({{"y", {1, 2, 3}}, {"z", {4}}}));
  for (int i = 0; i < 2; ++i) results.add({reals({1, 2, 3}, {1, 2, 3, 4, 5, 6}), reals({4}, {1, 2, 3, 4})});
  const auto described = results.describe(path("y.json"), ResultFormat::json);
  EXPECT_EQ(described, nlohmann::ordered_json::parse(fmt::format(
                           R"([{{"name": "y", "file": "{0}", "shape": [2, 2, 3]}},
                               {{"name": "z", "file": "{0}", "shape": [2, 4]}}])",
                           path("y.json").string())));
  const Results none(parts_of({{"y", {1, 2, 3}}}));
  EXPECT_EQ(none.describe(path("y.npy"), ResultFormat::npy)[0]["shape"], json({0}));
}

}  // namespace
}  // namespace tacit::session
