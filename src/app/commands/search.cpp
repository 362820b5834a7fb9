#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/commands/search_options.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "search/recall.h"
#include "search/search_plan.h"
#include "search/store_builder.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct StoreOptions {
  std::filesystem::path vectors, ids, payload, store;
  std::string metric = "cosine";
  bool normalise = false, no_recall = false;
  std::optional<double> largest_component, largest_norm;
  std::vector<std::int64_t> deleted;
  std::uint64_t records = 0, dimensions = 0;
  bool coarse = false;
  ComputeOptions compute;
};

nlohmann::ordered_json store_json(const search::WrittenStore& written) {
  const search::StoreShape& shape = written.shape;
  nlohmann::ordered_json json{{"version", shape.version}, {"metric", search::metric_name(shape.metric)},
                              {"records", shape.records}, {"dimensions", shape.dimensions},
                              {"bytes", written.bytes},   {"root", base::hexadecimal(written.root)}};
  if (shape.payload) json["payload_bytes"] = shape.payload->bytes;
  return json;
}

std::string store_text(const search::WrittenStore& written, const std::filesystem::path& store) {
  const search::StoreShape& shape = written.shape;
  return fmt::format("  {} version {}: {} records of {} dimensions, {}, {}\n  root {}\n", store.string(), shape.version,
                     shape.records, shape.dimensions, search::metric_name(shape.metric),
                     base::byte_size_text(static_cast<double>(written.bytes)), base::hexadecimal(written.root));
}

/// The files that a build or an append reads.
struct RecordFiles {
  explicit RecordFiles(const StoreOptions& options, std::uint64_t payload_bytes)
      : array(session::read_npy(options.vectors)) {
    records.vectors = vectors_of(array);
    records.ids = read_ids(options.ids);
    records.normalise = options.normalise;
    if (options.payload.empty()) return;
    payload.emplace(options.payload, records.vectors.count, payload_bytes);
    records.payload = payload->payload();
  }
  session::NpyArray array;
  std::optional<PayloadFile> payload;
  search::Records records;
};

int build_records(const StoreOptions& options) {
  options.compute.apply();
  ProgressBar bar;
  const session::Stopwatch watch;
  const RecordFiles files(options, 0);
  const search::WrittenStore written = search::build_store(options.store, files.records,
                                                           {.metric = search::metric_from(options.metric),
                                                            .largest_component = options.largest_component,
                                                            .largest_norm = options.largest_norm},
                                                           bar);
  const double seconds = watch.seconds();
  nlohmann::ordered_json json = store_json(written);
  json["store"] = options.store.string();
  std::string text = store_text(written, options.store);
  if (!options.no_recall) {
    const search::Recall recall =
        search::measure_recall(search::Store(options.store), files.records.vectors, options.normalise);
    json["recall"] = {{"queries", recall.queries}, {"at_10", recall.at_10}, {"at_100", recall.at_100}};
    text += fmt::format("  recall in the clear, {} queries: {:.3f} of the best 10, {:.3f} of the best 100\n",
                        recall.queries, recall.at_10, recall.at_100);
  }
  json["seconds"] = {{"build", seconds}};
  text += fmt::format("  give {} to clients\n  {}\n", (options.store / search::kClientFile).string(),
                      search::leakage_of(written.shape)[1]);
  print_report(options.compute.json, json, text);
  return kSuccess;
}

int append_records(const StoreOptions& options) {
  options.compute.apply();
  ProgressBar bar;
  const session::Stopwatch watch;
  const search::StoreShape before = search::Store(options.store).shape();
  const RecordFiles files(options, before.payload ? before.payload->bytes : 0);
  const search::WrittenStore written = search::append_to_store(options.store, files.records, bar);
  nlohmann::ordered_json json = store_json(written);
  json["appended"] = written.shape.records - before.records;
  json["seconds"] = {{"append", watch.seconds()}};
  print_report(options.compute.json, json, store_text(written, options.store));
  return kSuccess;
}

int remove_records(const StoreOptions& options) {
  options.compute.apply();
  ProgressBar bar;
  const session::Stopwatch watch;
  const search::WrittenStore written = search::delete_from_store(options.store, options.deleted, bar);
  nlohmann::ordered_json json = store_json(written);
  json["deleted"] = options.deleted.size();
  json["seconds"] = {{"delete", watch.seconds()}};
  print_report(options.compute.json, json, store_text(written, options.store));
  return kSuccess;
}

nlohmann::ordered_json plan_json(const search::SearchPlan& plan) {
  return {{"question_bytes", plan.question_bytes},
          {"key_bytes", plan.key_bytes},
          {"answer_bytes", plan.answer_bytes},
          {"expanded_bytes", plan.expanded_bytes},
          {"store_bytes", plan.store_bytes},
          {"seconds", {{"expansion", plan.expansion_seconds}, {"products", plan.product_seconds}}}};
}

std::string search_plan_text(const char* what, const search::SearchPlan& plan) {
  const auto size = [](std::uint64_t bytes) { return base::byte_size_text(static_cast<double>(bytes)); };
  return fmt::format(
      "  {:<10}  question {}, answer {}, memory {} for each question\n"
      "              {:.3f} s to expand, {:.3f} s to multiply on {} threads\n",
      what, size(plan.question_bytes), size(plan.answer_bytes), size(plan.expanded_bytes), plan.expansion_seconds,
      plan.product_seconds, plan.threads);
}

int plan_store(const StoreOptions& options) {
  options.compute.apply();
  search::StoreShape shape;
  if (!options.store.empty()) {
    shape = search::Store(options.store).shape();
  } else {
    if (options.records < 1 || options.dimensions < 1)
      throw base::InputError("plan: name a store, or give --records and --dimensions");
    shape = {.metric = search::metric_from(options.metric),
             .dimensions = options.dimensions,
             .records = options.records,
             .step = 3 / std::sqrt(static_cast<double>(options.dimensions)) / 127,
             .largest_norm = 1};
  }
  const search::AnswerBits bits = options.coarse ? search::kCoarseAnswer : search::kFineAnswer;
  const search::SearchPlan plan = search::plan_search(shape, bits);
  nlohmann::ordered_json json{{"security_bits", plan.security_bits},
                              {"log_qp", plan.log_qp},
                              {"records", shape.records},
                              {"dimensions", shape.dimensions},
                              {"score_deviation", plan.score_deviation},
                              {"scores", plan_json(plan)}};
  std::string text = fmt::format("  {} records of {} dimensions, {}; {}-bit security, keys {}\n", shape.records,
                                 shape.dimensions, search::metric_name(shape.metric), plan.security_bits,
                                 base::byte_size_text(static_cast<double>(plan.key_bytes)));
  text += search_plan_text("scores", plan);
  text += fmt::format("              deviation of a score {:.2g}{}\n", plan.score_deviation,
                      shape.metric == search::Metric::euclid ? " of its square" : "");
  if (shape.payload) {
    const search::SearchPlan fetch = search::plan_fetch(shape, bits);
    json["record"] = plan_json(fetch);
    text += search_plan_text("one record", fetch);
  }
  json["leakage"] = search::leakage_of(shape);
  for (const std::string& sentence : search::leakage_of(shape)) text += "  " + sentence + "\n";
  print_report(options.compute.json, json, text);
  return kSuccess;
}

void add_record_options(CLI::App& command, StoreOptions& options) {
  command.add_option("--ids", options.ids, "Whole numbers, one for each vector (.npy); record numbers when absent");
  command.add_option("--payload", options.payload,
                     "Bytes of each record: uint8 rows (.npy), or a text file with one line for each vector");
  command.add_flag("--normalise", options.normalise, "Divide every vector by its norm, for cosines");
}

}  // namespace

void add_search_store_commands(CLI::App& group, int& status) {
  auto [builder, built] = add_command(
      group, status, "build", "Make a store from vectors", build_records,
      "Vectors become int8 numbers. The best 10 and 100 records of sampled queries are compared in the clear.\n\n"
      "Example:\n  tacit search build vectors.npy --normalise -o store\n");
  builder.add_option("vectors", built.vectors, "One vector for each row (.npy)")->required();
  builder.add_option("-o,--output", built.store, "Folder of the new store")->required();
  builder.add_option("--metric", built.metric, "cosine, dot or euclid")->capture_default_str();
  add_record_options(builder, built);
  builder.add_option("--largest-component", built.largest_component, "Room for later vectors: the largest component");
  builder.add_option("--largest-norm", built.largest_norm, "Room for later vectors: the largest norm");
  builder.add_flag("--no-recall", built.no_recall, "Do not measure the recall");
  built.compute.add_to(builder);

  auto [appender, appended] =
      add_command(group, status, "append", "Add vectors to a store as a new version", append_records,
                  "Searches that are under way see the version before.\n\n"
                  "Example:\n  tacit search append store more.npy --normalise\n");
  appender.add_option("store", appended.store, "Folder of the store")->required();
  appender.add_option("vectors", appended.vectors, "One vector for each row (.npy)")->required();
  add_record_options(appender, appended);
  appended.compute.add_to(appender);

  auto [remover, removed] =
      add_command(group, status, "delete", "Delete records of a store by their ids", remove_records,
                  "Later answers hold no score of them. The numbers of deleted records are public.\n\n"
                  "Example:\n  tacit search delete store 17 1204\n");
  remover.add_option("store", removed.store, "Folder of the store")->required();
  remover.add_option("ids", removed.deleted, "Ids to delete")->required();
  removed.compute.add_to(remover);

  auto [planner, planned] =
      add_command(group, status, "plan", "Sizes, times and leakage of a search, before any key exists", plan_store,
                  "Times are measured on this machine with a few dimensions.\n\n"
                  "Example:\n  tacit search plan store\n  tacit search plan --records 1000000 --dimensions 256\n");
  planner.add_option("store", planned.store, "Folder of the store");
  planner.add_option("--records", planned.records, "Records of a store that does not exist yet")
      ->check(CLI::Range(std::uint64_t{1}, search::kMostRecords));
  planner.add_option("--dimensions", planned.dimensions, "Dimensions of a store that does not exist yet")
      ->check(CLI::Range(std::uint64_t{1}, search::kMostDimensions));
  planner.add_option("--metric", planned.metric, "cosine, dot or euclid")->capture_default_str();
  planner.add_flag("--coarse", planned.coarse, "Plan coarse answers, which show less of the store");
  planned.compute.add_to(planner);
}

void add_search(CLI::App& app, int& status) {
  CLI::App* const group = app.add_subcommand("search", "Ask a store of vectors and records in private");
  group->require_subcommand(1);
  group->footer("Example:\n  tacit search build vectors.npy --normalise -o store\n");
  add_search_store_commands(*group, status);
  add_search_question_commands(*group, status);
}

}  // namespace tacit::app::commands
