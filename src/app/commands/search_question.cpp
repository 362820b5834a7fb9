#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/commands/search_options.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/remote_service.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "base/secret_memory.h"
#include "runtime/receipt.h"
#include "search/answering.h"
#include "search/client.h"
#include "session/output_files.h"
#include "session/sentence.h"
#include "session/stopwatch.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct QuestionOptions {
  std::filesystem::path client, store, secret, evaluation, input, question, output, receipt;
  std::vector<std::int64_t> records;
  std::uint64_t top = 10;
  bool force = false, coarse = false;
  ComputeOptions compute;
  PrivacyOptions privacy;
  ServerOptions server;
};

int search_keygen(const QuestionOptions& options) {
  base::forbid_core_dumps();
  options.compute.apply();
  session::check_output_files({options.secret, options.evaluation}, {options.client});
  std::error_code error;
  if (!options.force && std::filesystem::exists(options.secret, error))
    base::refuse("{} exists, and questions under a lost key are lost; choose another name or give --force",
                 options.secret.string());
  ProgressBar bar;
  const session::Stopwatch watch;
  const search::SearchClient client(search::read_client_file(options.client));
  const search::SearchClient::KeyRoots roots = client.generate_keys(options.secret, options.evaluation, bar);
  const auto bytes = std::filesystem::file_size(options.evaluation);
  print_report(options.compute.json,
               {{"secret", options.secret.string()},
                {"evaluation", options.evaluation.string()},
                {"key_bytes", bytes},
                {"evaluation_root", base::hexadecimal(roots.evaluation)},
                {"seconds", {{"keygen", watch.seconds()}}}},
               fmt::format("  secret      {} (keep it; never give it to the server)\n"
                           "  evaluation  {} ({}, for the server)\n",
                           options.secret.string(), options.evaluation.string(),
                           base::byte_size_text(static_cast<double>(bytes))));
  return kSuccess;
}

int search_query(const QuestionOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  if (options.input.empty() == options.records.empty())
    throw base::InputError("query: give --input with queries, or --records with ids to fetch");
  const std::filesystem::path notes = search::notes_beside(options.output);
  session::check_output_files({options.output, notes}, {options.client, options.secret, options.input});
  ProgressBar bar;
  const session::Stopwatch watch;
  const search::SearchClient client(search::read_client_file(options.client));
  base::Digest root;
  std::uint64_t questions = options.records.size();
  if (options.input.empty()) {
    root = client.ask_records(options.secret, options.records, options.output, bar);
  } else {
    const session::NpyArray array = session::read_npy(options.input);
    const search::Vectors queries = vectors_of(array);
    questions = queries.count;
    root = client.ask_scores(options.secret, queries, options.top, options.output, bar);
  }
  const auto bytes = std::filesystem::file_size(options.output);
  print_report(options.compute.json,
               {{"questions", questions},
                {"output", options.output.string()},
                {"bytes", bytes},
                {"root", base::hexadecimal(root)},
                {"notes", notes.string()},
                {"seconds", {{"query", watch.seconds()}}}},
               fmt::format("  {} in {} ({})\n  keep {} beside it: decrypt reads it; never send it\n",
                           session::counted(questions, "question"), options.output.string(),
                           base::byte_size_text(static_cast<double>(bytes)), notes.string()));
  return kSuccess;
}

// By a server, with the keys that it has or, where a file names them, these.
int search_evaluate_remotely(const QuestionOptions& options, const std::filesystem::path& receipt,
                             base::Progress& progress) {
  if (!options.store.empty() || options.coarse)
    throw base::InputError("with --server neither a store nor --coarse is given: the server has its own");
  RemoteService server(options.server);
  if (!options.evaluation.empty()) server.upload_keys(options.evaluation, progress);
  const RemoteService::Evaluation done = server.evaluate({.input = options.input,
                                                          .output = options.output,
                                                          .receipt = receipt,
                                                          .input_kind = runtime::ArtefactKind::search_question,
                                                          .output_kind = runtime::ArtefactKind::search_answer},
                                                         progress);
  print_report(options.compute.json,
               {{"server", options.server.url},
                {"job", done.job},
                {"questions", done.inputs},
                {"store_root", base::hexadecimal(done.receipt.model)},
                {"output", options.output.string()},
                {"bytes", std::filesystem::file_size(options.output)},
                {"root", base::hexadecimal(done.receipt.output)},
                {"receipt", receipt.string()},
                {"seconds", {{"evaluate", done.seconds}}}},
               fmt::format("  {} answered by {} to {}, {:.3f} s each\n  root {}, receipt {}\n",
                           session::counted(done.inputs, "question"), options.server.url, options.output.string(),
                           done.seconds, base::hexadecimal(done.receipt.output), receipt.string()));
  return kSuccess;
}

int search_evaluate(const QuestionOptions& options) {
  options.compute.apply();
  std::filesystem::path receipt_file = options.receipt;
  if (receipt_file.empty()) (receipt_file = options.output) += ".receipt";
  session::check_output_files({options.output, receipt_file},
                              {options.evaluation, options.input, options.server.token});
  ProgressBar bar;
  if (!options.server.url.empty()) return search_evaluate_remotely(options, receipt_file, bar);
  if (options.store.empty() || options.evaluation.empty())
    throw base::InputError("search evaluate: name a store and --keys, or a --server");
  const session::Stopwatch watch;
  const search::Store store(options.store);
  const std::uint64_t memory = search::memory_of_questions(options.compute.memory_budget());
  const search::AnsweredQuestions done =
      search::answer_file(store, {options.evaluation, options.input, options.output},
                          options.coarse ? search::kCoarseAnswer : search::kFineAnswer, memory, bar);
  runtime::save(search::receipt_of(done), receipt_file);
  const std::size_t questions = done.head.questions.size();
  const auto bytes = std::filesystem::file_size(options.output);
  print_report(
      options.compute.json,
      {{"questions", questions},
       {"asks", search::asks_name(done.head.asks)},
       {"records", store.shape().records},
       {"version", store.shape().version},
       {"store_root", base::hexadecimal(store.root())},
       {"threads", base::thread_limit()},
       {"output", options.output.string()},
       {"bytes", bytes},
       {"root", base::hexadecimal(done.answer)},
       {"receipt", receipt_file.string()},
       {"key_bytes", done.key_bytes},
       {"peak_memory_bytes", base::peak_resident_bytes()},
       {"seconds",
        {{"expansion", done.expansion_seconds}, {"products", done.product_seconds}, {"all", watch.seconds()}}}},
      fmt::format("  {} answered from {} records, version {}: {} ({})\n"
                  "  {:.3f} s to expand, {:.3f} s to multiply, peak memory {}\n  root {}, receipt {}\n",
                  session::counted(questions, "question"), store.shape().records, store.shape().version,
                  options.output.string(), base::byte_size_text(static_cast<double>(bytes)), done.expansion_seconds,
                  done.product_seconds, base::byte_size_text(static_cast<double>(base::peak_resident_bytes())),
                  base::hexadecimal(done.answer), receipt_file.string()));
  return kSuccess;
}

int search_decrypt(const QuestionOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  session::check_output_files({options.output}, {options.client, options.secret, options.input, options.question});
  const search::SearchClient client(search::read_client_file(options.client));
  runtime::Provenance found;
  const scheme::ckks::SecretKey key = search::load_search_secret(options.secret, client.shape(), found);
  const search::AnswerReader answers(options.input);
  const search::QuestionNotes notes = search::load_notes(search::notes_beside(options.question));
  client.require_answers(answers, notes);
  search::require_same_key(answers, found, options.secret);
  nlohmann::ordered_json json{{"version", answers.head().shape.version},
                              {"store_root", base::hexadecimal(answers.head().store)},
                              {"answers", nlohmann::ordered_json::array()}};
  std::string text;
  std::vector<double> all;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < notes.questions.size(); ++i) {
    nlohmann::ordered_json& answer = json["answers"].emplace_back(nlohmann::ordered_json::object());
    if (notes.asks == search::Asks::records) {
      const std::vector<std::uint8_t> record = client.record(key, answers, i, notes.questions[i]);
      answer["record"] = notes.questions[i].record;
      answer["bytes"] = record.size();
      bytes.insert(bytes.end(), record.begin(), record.end());
      if (options.output.empty()) {
        const std::string line(record.begin(), std::find(record.begin(), record.end(), std::uint8_t{0}));
        answer["text"] = session::printable(line);
        text += "  " + session::printable(line) + "\n";
      }
      continue;
    }
    const std::vector<double> scores = client.scores(key, answers, i, notes.questions[i]);
    session::Table table({"id", "record", client.shape().metric == search::Metric::euclid ? "distance" : "score"});
    for (const search::Hit& hit : client.best(scores, notes.top)) {
      table.add({std::to_string(hit.id), std::to_string(hit.record), fmt::format("{:.5g}", hit.score)});
      answer["ids"].push_back(hit.id);
      answer["scores"].push_back(hit.score);
    }
    if (notes.questions.size() > 1) text += fmt::format("query {}\n", i);
    text += table.text();
    if (!options.output.empty()) all.insert(all.end(), scores.begin(), scores.end());
  }
  const auto rows = static_cast<std::int64_t>(notes.questions.size());
  if (!options.output.empty()) {
    session::create_private_file(options.output);
    if (notes.asks == search::Asks::records)
      session::write_npy(options.output, {rows, static_cast<std::int64_t>(client.shape().payload->bytes)},
                         std::span<const std::uint8_t>(bytes));
    else
      session::write_npy(options.output, {rows, static_cast<std::int64_t>(answers.head().shape.records)},
                         std::span<const double>(all));
    json["output"] = options.output.string();
    text += fmt::format("  all {} in {}\n", search::asks_name(notes.asks), options.output.string());
  }
  print_report(options.compute.json, json, text);
  return kSuccess;
}

}  // namespace

void add_search_question_commands(CLI::App& group, int& status) {
  auto [maker, keys] = add_command(group, status, "keygen", "Generate the keys of a client of a store", search_keygen,
                                   "Example:\n  tacit search keygen store/client.tacit --secret my.secret --evaluation "
                                   "my.evaluation\n");
  maker.add_option("client", keys.client, "The client's file of the store")->required();
  maker.add_option("--secret", keys.secret, "File for the secret key, readable by its owner only")->required();
  maker.add_option("--evaluation", keys.evaluation, "File for the evaluation keys, which the server needs")->required();
  maker.add_flag("--force", keys.force, "Overwrite an existing secret key");
  keys.compute.add_to(maker);

  auto [asker, asked] =
      add_command(group, status, "query", "Encrypt queries, or the numbers of records to fetch", search_query,
                  "Notes for decrypt are written beside the output (OUTPUT.notes, mode 0600). Never send them.\n\n"
                  "Example:\n  tacit search query store/client.tacit --key my.secret --input q.npy --top 10 -o q.ct\n"
                  "  tacit search query store/client.tacit --key my.secret --records 17,1204 -o q.ct\n");
  asker.add_option("client", asked.client, "The client's file of the store")->required();
  asker.add_option("--key", asked.secret, "The secret key")->required();
  asker.add_option("--input", asked.input, "One query for each row (.npy)");
  asker.add_option("--records", asked.records, "Ids of records to fetch")->delimiter(',');
  asker.add_option("--top", asked.top, "The number of best records that decrypt shows")->capture_default_str();
  asker.add_option("-o,--output", asked.output, "File for the questions")->required();
  asked.compute.add_to(asker);
  asked.privacy.add_to(asker);

  auto [server, served] = add_command(
      group, status, "evaluate", "Answer questions from a store, without any secret", search_evaluate,
      "Example:\n  tacit search evaluate store --keys my.evaluation --input q.ct -o a.ct\n"
      "  tacit search evaluate --server https://host:8443 --token my.token --keys my.evaluation --input q.ct "
      "-o a.ct\n");
  server.add_option("store", served.store, "Folder of the store; none with --server");
  server.add_option("--keys", served.evaluation,
                    "The client's evaluation keys (a secret key is refused); with --server those that it lacks");
  server.add_option("--input", served.input, "Questions from query")->required();
  server.add_option("-o,--output", served.output, "File for the encrypted answers")->required();
  server.add_option(
      "--receipt", served.receipt,
      "File for the receipt, which names the root of the store; the output's name and .receipt when absent");
  server.add_flag("--coarse", served.coarse,
                  "Answer with 29 bits a score instead of 33, which shows less of the store");
  served.compute.add_to(server);
  served.server.add_to(server, "Let this server answer (https://host:port); the answers are held to its receipt");

  auto [reader, read] =
      add_command(group, status, "decrypt", "Show the best records of answers, or the fetched records", search_decrypt,
                  "Scores are for the owner of the key. Fetched records are exact.\n\n"
                  "Example:\n  tacit search decrypt store/client.tacit --key my.secret --question q.ct --input a.ct\n");
  reader.add_option("client", read.client, "The client's file of the store")->required();
  reader.add_option("--key", read.secret, "The secret key")->required();
  reader.add_option("--question", read.question, "The questions from query, with their notes beside them")->required();
  reader.add_option("--input", read.input, "Answers from evaluate")->required();
  reader.add_option("-o,--output", read.output, "File for all scores, or for the bytes of the records (.npy)");
  read.compute.add_to(reader);
  read.privacy.add_to(reader);
}

}  // namespace tacit::app::commands
