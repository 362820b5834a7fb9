#include "session/owner/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "session/output_files.h"
#include "session/owner/npy.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;

/// Labels are bytes of any kind, and JSON is Unicode: what is not is replaced.
std::string unicode_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '_';
  return safe;
}

Json element(const graph::Tensor& tensor, std::size_t at) {
  const double value = tensor.data[at];
  if (!tensor.texts.empty()) return tensor.texts.at(static_cast<std::size_t>(value));
  if (tensor.integral) return static_cast<std::int64_t>(value);
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// The elements from `at` on, as nested lists of a shape.
Json nested(const graph::Tensor& tensor, const std::vector<std::int64_t>& shape, std::size_t axis, std::size_t& at) {
  if (axis == shape.size()) return element(tensor, at++);
  Json list = Json::array();
  for (std::int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(tensor, shape, axis + 1, at));
  return list;
}

Json json_of(const ResultColumnGroup& output, const graph::Tensor& row) {
  if (output.columns.size() == row.data.size() && !output.columns.empty()) {
    Json columns = Json::object();
    for (std::size_t i = 0; i < row.data.size(); ++i) columns[output.columns[i]] = element(row, i);
    return columns;
  }
  std::size_t at = 0;
  return nested(row, row_shape(row.shape), 0, at);
}

/// A field of a CSV file (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

/// A field for a text, which spreadsheets must not run as a formula: an apostrophe before it tells them so. Texts come
/// from whoever made the model.
std::string text_field(const std::string& text) {
  constexpr std::string_view kBeginsFormula = "=+-@\t\r\n";
  return field(!text.empty() && kBeginsFormula.find(text.front()) != std::string_view::npos ? "'" + text : text);
}

std::string csv_element(const graph::Tensor& tensor, std::size_t at) {
  const double value = tensor.data[at];
  if (!tensor.texts.empty()) return text_field(tensor.texts.at(static_cast<std::size_t>(value)));
  return tensor.integral ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

void save_npy(const std::filesystem::path& path, const std::vector<graph::Tensor>& rows) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size())};
  if (!rows.empty()) {
    const std::vector<std::int64_t> row = row_shape(rows.front().shape);
    shape.insert(shape.end(), row.begin(), row.end());
  }
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  for (const graph::Tensor& row : rows)
    for (const double value : row.data) {
      if (!row.texts.empty()) texts.push_back(row.texts.at(static_cast<std::size_t>(value)));
      reals.push_back(value);
      integers.push_back(row.integral ? static_cast<std::int64_t>(value) : 0);
    }
  if (!rows.empty() && !rows.front().texts.empty()) {
    write_npy(path, shape, texts);
  } else if (!rows.empty() && rows.front().integral) {
    write_npy(path, shape, integers);
  } else {
    write_npy(path, shape, reals);
  }
}

}  // namespace

std::vector<std::int64_t> row_shape(const graph::Shape& shape) {
  const std::ptrdiff_t skipped = !shape.empty() && shape.front() == 1 ? 1 : 0;
  return {shape.begin() + skipped, shape.end()};
}

Results::Results(const graph::ClientParts& parts) {
  for (std::size_t i = 0; i < parts.after.outputs.size(); ++i)
    outputs_.push_back({parts.after.tensors[parts.after.outputs[i]].name, graph::column_names(parts.after, i), {}});
}

void Results::add(std::vector<graph::Tensor> outputs) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].rows.push_back(std::move(outputs.at(i)));
}

std::vector<std::filesystem::path> Results::files(const std::filesystem::path& path, ResultFormat format) const {
  if (format != ResultFormat::npy || outputs_.size() == 1) return {path};
  std::vector<std::filesystem::path> files;
  for (const ResultColumnGroup& output : outputs_) {
    const auto named = [&](const std::string& name) {
      return std::filesystem::path(path).replace_extension(name + path.extension().string());
    };
    std::filesystem::path file = named(safe_name(output.name));
    for (int copy = 2; std::find(files.begin(), files.end(), file) != files.end(); ++copy)
      file = named(fmt::format("{}_{}", safe_name(output.name), copy));
    files.push_back(std::move(file));
  }
  return files;
}

nlohmann::ordered_json Results::describe(const std::filesystem::path& path, ResultFormat format) const {
  const std::vector<std::filesystem::path> names = files(path, format);
  Json list = Json::array();
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const ResultColumnGroup& output = outputs_[o];
    std::vector<std::int64_t> shape;
    if (!output.rows.empty()) shape = row_shape(output.rows.front().shape);
    shape.insert(shape.begin(), static_cast<std::int64_t>(output.rows.size()));
    list.push_back({{"name", output.name}, {"file", names[names.size() == 1 ? 0 : o].string()}, {"shape", shape}});
    if (!output.columns.empty()) list.back()["columns"] = Json::parse(unicode_text(output.columns, -1));
  }
  return list;
}

void Results::write(const std::filesystem::path& path, ResultFormat format) const {
  for (const std::filesystem::path& file : files(path, format)) create_private_file(file);
  const std::size_t inputs = outputs_.empty() ? 0 : outputs_.front().rows.size();
  if (format == ResultFormat::npy) {
    const std::vector<std::filesystem::path> names = files(path, format);
    for (std::size_t o = 0; o < outputs_.size(); ++o) save_npy(names[o], outputs_[o].rows);
    return;
  }
  if (format == ResultFormat::json) {
    Json list = Json::array();
    for (std::size_t i = 0; i < inputs; ++i) {
      Json row = Json::object();
      for (const ResultColumnGroup& output : outputs_) row[output.name] = json_of(output, output.rows[i]);
      list.push_back(std::move(row));
    }
    return write_file(path, unicode_text(list, 2) + "\n");
  }
  std::vector<std::string> fields;
  for (const ResultColumnGroup& output : outputs_) {
    const std::size_t count = output.rows.empty() ? output.columns.size() : output.rows.front().data.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = count == 1                  ? output.name
                               : i < output.columns.size() ? fmt::format("{}.{}", output.name, output.columns[i])
                                                           : fmt::format("{}.{}", output.name, i);
      fields.push_back(text_field(name));
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(fields, ","));
  for (std::size_t i = 0; i < inputs; ++i) {
    fields.clear();
    for (const ResultColumnGroup& output : outputs_)
      for (std::size_t e = 0; e < output.rows[i].data.size(); ++e) fields.push_back(csv_element(output.rows[i], e));
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  write_file(path, text);
}

}  // namespace tacit::session
