#include "app/service/group_board.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>

#include "app/service/durable_file.h"
#include "app/service/path_names.h"
#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/private_file.h"
#include "base/random.h"
#include "runtime/receipt.h"
#include "runtime/sample_file.h"
#include "runtime/slots/key_part_file.h"
#include "runtime/slots/share_file.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

constexpr std::uintmax_t kMostRecord = 256 << 10;
/// Of one group: all of them are listed in one answer.
constexpr std::size_t kMostGroupFiles = 512;
constexpr int kBoardRetrySeconds = 60;
constexpr std::chrono::minutes kLeftArriving{10};
constexpr const char* kArriving = "arriving.";
constexpr const char* kRecordFile = "record";
constexpr const char* kGroupFile = "group";
/// Kinds of files for keys, in the order of their rounds.
constexpr const char* kKeyRounds[] = {"commitment", "part1", "part2"};
constexpr const char* kResultsFile = "results";
constexpr const char* kShareFile = "share";
constexpr const char* kReceiptFile = "receipt";

[[noreturn]] void refuse_unknown() {
  throw Refusal(404, "there is no such group of yours; GET /v1/groups lists your groups");
}

std::string name_of_share(const std::string& root, int owner, const std::string& receiver) {
  return fmt::format("{}.{}.{}.{}", kShareFile, root, owner, receiver);
}

std::string moment(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string size_text(std::uint64_t bytes) { return base::byte_size_text(static_cast<double>(bytes)); }

bool is_round(const std::string& kind) { return std::ranges::find(kKeyRounds, kind) != std::end(kKeyRounds); }

/// Returns the kind in the name of a posted file; empty for other files of the folder.
std::string kind_in(const std::string& name) {
  const std::string kind = name.substr(0, name.find('.'));
  const bool known = is_round(kind) || kind == kResultsFile || kind == kShareFile || kind == kReceiptFile;
  return name != kind && known ? kind : std::string();
}

/// Returns the owner in the name of a file of a round or of a share.
std::size_t owner_in(const std::string& name, const std::string& kind) {
  constexpr std::size_t kRoot = 64;
  const std::size_t begin = kind.size() + 1 + (kind == kShareFile ? kRoot + 1 : 0);
  return static_cast<std::size_t>(std::stoul(name.substr(begin)));
}

/// Any member may post results and receipts. The client is in a file beside them.
std::filesystem::path sender_file(const std::filesystem::path& file) { return file.string() + ".sender"; }
bool has_sender_file(const std::string& kind) { return kind == kResultsFile || kind == kReceiptFile; }

/// Returns the results that a share or a receipt is about, from the name of its file.
std::string results_of(const GroupFile& file) {
  constexpr std::size_t kRoot = 64;
  return file.name.substr(file.kind.size() + 1, kRoot);
}

/// Receipts are text. All other files are artefacts.
bool is_text(const std::filesystem::path& file) { return std::ifstream(file, std::ios::binary).peek() == '{'; }

/// Returns a small file; empty if another process has removed it.
std::string read_small(const std::filesystem::path& file) {
  try {
    return session::read_bounded(file, kMostRecord);
  } catch (const base::InputError&) {
    return {};
  }
}

/// Returns what is in a folder; nothing if another process has removed it.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  return paths;
}

}  // namespace

std::int64_t GroupBoard::system_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

GroupBoard::GroupBoard(const std::filesystem::path& state, const GroupBounds& bounds, std::function<std::int64_t()> now)
    : folder_(state / "groups"), bounds_(bounds), now_(std::move(now)) {
  base::make_private_folder(folder_, "folder of groups");
}

GroupBoard::Place::Place(GroupBoard& board, std::string client, std::uint64_t bytes)
    : board_(board), client_(std::move(client)), bytes_(bytes) {
  const base::Seed seed = base::public_seed();
  file_ = board_.folder_ / (kArriving + base::hexadecimal(std::span(seed).first<16>()));
}

GroupBoard::Place::~Place() {
  std::error_code error;
  std::filesystem::remove(file_, error);
  const std::lock_guard lock(board_.mutex_);
  std::uint64_t& own = board_.arriving_[client_];
  own -= bytes_;
  if (own == 0) board_.arriving_.erase(client_);
}

std::vector<GroupRecord> GroupBoard::all() const {
  std::vector<GroupRecord> records;
  for (const std::filesystem::path& group : entries_of(folder_)) {
    const nlohmann::json json = nlohmann::json::parse(read_small(group / kRecordFile), nullptr, false);
    if (const std::optional<GroupRecord> record = group_record_from(json);
        record && record->id == group.filename().string())
      records.push_back(*record);
  }
  std::ranges::sort(records, std::ranges::greater(), &GroupRecord::posted);
  return records;
}

std::map<std::string, std::uint64_t> GroupBoard::stored() const {
  std::map<std::string, std::uint64_t> bytes;
  for (const GroupRecord& record : all()) {
    std::error_code error;
    bytes[record.proposer] += std::filesystem::file_size(folder(record.id) / kGroupFile, error);
    for (const GroupFile& file : files(record)) bytes[file.sender] += file.bytes;
  }
  return bytes;
}

std::unique_ptr<GroupBoard::Place> GroupBoard::reserve(const std::string& client, std::uint64_t bytes) {
  if (bytes > bounds_.on_disk / 2)
    throw Refusal(413, fmt::format("{} are more than one file of a group may have, at most {}", size_text(bytes),
                                   size_text(bounds_.on_disk / 2)));
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::uint64_t> used = stored();
  for (const auto& [name, more] : arriving_) used[name] += more;
  std::uint64_t others = 0;
  for (const auto& [name, more] : used)
    if (name != client) others += more;
  const std::uint64_t own = used[client];
  const std::uint64_t room = bounds_.on_disk - std::min(others, bounds_.on_disk);
  if (own + bytes > room)
    throw Refusal(503, "the room for files of groups is used up at the moment; send the file later",
                  kBoardRetrySeconds);
  if (own + bytes > room / 2)
    throw Refusal(429,
                  fmt::format("your files of groups take {}, and with this file more than the {} that one client may "
                              "have; delete a group that you posted, or wait for the end of one",
                              size_text(own), size_text(room / 2)),
                  kBoardRetrySeconds);
  arriving_[client] += bytes;
  return std::make_unique<Place>(*this, client, bytes);
}

GroupRecord GroupBoard::post_group(Place& place, GroupRecord record, std::int64_t seconds) {
  if (!record.owner(place.client_)) {
    std::vector<std::string> names;
    for (const GroupPerson& owner : record.owners) names.push_back(owner.name);
    throw Refusal(403, fmt::format("the owners of this group are {}, and you are '{}' at this server: owners are "
                                   "clients of the same names",
                                   fmt::join(names, ", "), place.client_));
  }
  if (seconds < 1 || seconds > bounds_.most_seconds)
    throw Refusal(400, fmt::format("the deadline of a group lies up to {} hours ahead; give hours=1 to hours={}",
                                   bounds_.most_seconds / 3600, bounds_.most_seconds / 3600));
  const std::lock_guard lock(mutex_);
  const FileLock alone = FileLock::lock(folder_ / "lock");
  const std::vector<GroupRecord> before = all();
  if (const auto same = std::ranges::find(before, record.id, &GroupRecord::id); same != before.end()) {
    if (!is_over(*same)) return *same;
    GroupRecord longer = *same;
    longer.deadline = now_() + seconds;
    write_durably(folder(longer.id) / kRecordFile, to_json(longer).dump());
    return longer;
  }
  if (std::ranges::count(before, place.client_, &GroupRecord::proposer) >=
      static_cast<std::ptrdiff_t>(bounds_.of_client))
    throw Refusal(429, fmt::format("you have posted {} groups, as many as one client may; delete one of them first",
                                   bounds_.of_client));
  record.proposer = place.client_;
  record.posted = now_();
  record.deadline = record.posted + seconds;
  std::filesystem::create_directory(folder(record.id));
  std::filesystem::rename(place.file_, folder(record.id) / kGroupFile);
  make_durable(folder(record.id) / kGroupFile);
  write_durably(folder(record.id) / kRecordFile, to_json(record).dump());
  return record;
}

GroupFile GroupBoard::described(const Place& place, const GroupRecord& group) const {
  const std::filesystem::path& file = place.file_;
  GroupFile found{.name = {}, .kind = {}, .sender = place.client_, .bytes = place.bytes_};
  const auto require_own = [&](int owner) {
    if (group.owner(place.client_) == owner) return;
    throw Refusal(403, fmt::format("this file is of {}, and every owner sends its own; you are '{}'",
                                   static_cast<std::size_t>(owner) < group.owners.size()
                                       ? "'" + group.owners[static_cast<std::size_t>(owner)].name + "'"
                                       : "an owner that the group does not have",
                                   place.client_));
  };
  const auto require_keys = [&](const runtime::Binding& actual) {
    runtime::require_same_model(group.binding, "the group", actual, "the file", "send files of this group");
    if (actual.key_set != group.binding.key_set)
      throw base::KeyMismatch("the file is under other keys than those of the group; send files of this group");
  };
  if (is_text(file) && group.agreed) {
    const std::string text = session::read_bounded(file, kMostRecord);
    const runtime::Receipt receipt = runtime::parse_receipt(text, "the file");
    if (receipt.model_id != group.binding.model)
      throw base::KeyMismatch("the receipt is of another model; send receipts of this group's results");
    found.kind = kReceiptFile;
    found.name = fmt::format("{}.{}.{}", kReceiptFile, base::hexadecimal(receipt.output),
                             base::hexadecimal(base::sha256(std::as_bytes(std::span(text)))));
    return found;
  }
  const runtime::ArtefactKind kind = runtime::artefact_kind(file);
  runtime::ArtefactReader(file, kind, std::nullopt).verify();
  if (kind == runtime::ArtefactKind::key_part && !group.agreed) {
    const runtime::KeyPartHead head = runtime::key_part_head(file);
    if (base::hexadecimal(head.group) != group.proposal)
      throw base::KeyMismatch("the file is a part of the keys of another group; send files of this group");
    require_own(head.owner);
    runtime::require_same_model(group.binding, "the group", head.binding, "the file", "send files of this group");
    if (head.round == runtime::KeyRound::second && !group.second_parts)
      throw base::InputError("the keys of this model need no second parts; combine the first parts");
    found.kind = kKeyRounds[static_cast<std::size_t>(head.round)];
    found.name = fmt::format("{}.{}", found.kind, head.owner);
  } else if (kind == runtime::ArtefactKind::ciphertexts && group.agreed) {
    const runtime::SampleReader results(file, runtime::ArtefactScheme::ckks, runtime::CiphertextRole::results,
                                        group.binding.parameters, "of the group");
    require_keys(results.head().binding);
    found.kind = kResultsFile;
    found.name = fmt::format("{}.{}", found.kind, base::hexadecimal(results.root()));
  } else if (kind == runtime::ArtefactKind::result_share && group.agreed) {
    const runtime::ShareFileHead head = runtime::share_head(file);
    require_own(head.owner);
    require_keys(head.binding);
    const std::string receiver = base::hexadecimal(head.receiver);
    if (group.person(receiver) == nullptr)
      throw base::InputError("the share is for a receiver outside of the group; share for one of its members");
    found.kind = kShareFile;
    found.name = name_of_share(base::hexadecimal(head.results), head.owner, receiver);
  } else {
    base::refuse("{} is not a file that {} takes; send {}", runtime::kind_name(kind),
                 group.agreed ? "an agreed group" : "a proposed group",
                 group.agreed ? "results, receipts and shares of results" : "commitments and parts of keys");
  }
  return found;
}

void GroupBoard::require_turn(const GroupRecord& group, const GroupFile& file) const {
  const std::vector<GroupRound> all_rounds = rounds(group);
  if (is_over(group)) {
    std::string missing;
    for (const GroupRound& round : all_rounds)
      if (!round.enough && missing.empty())
        missing = fmt::format(", and the {} of {} is missing", round.kind, fmt::join(round.missing, ", "));
    throw Refusal(409, fmt::format("the deadline of this group was {}{}; post the group again with a later one",
                                   moment(group.deadline), missing));
  }
  if (file.kind == kShareFile || file.kind == kReceiptFile) {
    if (!std::filesystem::exists(folder(group.id) / fmt::format("{}.{}", kResultsFile, results_of(file))))
      throw Refusal(409, fmt::format("the results of this {} are not here; post the file of results first", file.kind));
    return;
  }
  for (const GroupRound& round : all_rounds) {
    if (round.kind == file.kind) return;
    if (is_round(file.kind) && !round.missing.empty())
      throw Refusal(409,
                    fmt::format("the {} of {} is missing, and every owner sends it before the {} is taken", round.kind,
                                fmt::join(round.missing, ", "), file.kind),
                    kBoardRetrySeconds);
  }
}

GroupFile GroupBoard::post(Place& place, const std::string& group_id) {
  GroupFile file;
  try {
    file = described(place, find(place.client_, group_id));
  } catch (const base::InternalError&) {
    throw;
  } catch (const base::Error& error) {
    throw Refusal(400, PathNames{{place.file_, "the file"}}.named(error.what()));
  }
  const std::lock_guard lock(mutex_);
  const FileLock alone = FileLock::lock(folder_ / "lock");
  const GroupRecord group = find(place.client_, group_id);  // it may have been deleted meanwhile
  const std::filesystem::path target = folder(group.id) / file.name;
  if (std::filesystem::exists(target)) {
    if (file.kind == kReceiptFile) return file;  // its name is its digest
    const auto root = [](const std::filesystem::path& path) {
      return runtime::ArtefactReader(path, runtime::artefact_kind(path)).root();
    };
    if (root(target) == root(place.file_)) return file;
    throw Refusal(409, fmt::format("another {} of yours is here already, and it is not replaced", file.kind));
  }
  require_turn(group, file);
  if (files(group).size() >= kMostGroupFiles)
    throw Refusal(429, fmt::format("this group has {} files, as many as one group may; post the group again after it "
                                   "was deleted",
                                   kMostGroupFiles));
  if (has_sender_file(file.kind)) write_durably(sender_file(target), place.client_);
  make_durable(place.file_);
  std::filesystem::rename(place.file_, target);
  make_durable(folder(group.id));
  return file;
}

GroupRecord GroupBoard::find(const std::string& client, const std::string& group) const {
  for (const GroupRecord& record : all())
    if (record.id == group && record.has(client)) return record;
  refuse_unknown();
}

std::vector<GroupRecord> GroupBoard::list(const std::string& client) const {
  std::vector<GroupRecord> own = all();
  std::erase_if(own, [&](const GroupRecord& record) { return !record.has(client); });
  return own;
}

std::vector<GroupFile> GroupBoard::files(const GroupRecord& group) const {
  std::vector<GroupFile> found;
  for (const std::filesystem::path& path : entries_of(folder(group.id))) {
    const std::string name = path.filename().string(), kind = kind_in(name);
    if (kind.empty() || name.ends_with(".sender") || name.ends_with(".new")) continue;
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(path, error);
    if (error) continue;
    const std::string sender =
        has_sender_file(kind) ? read_small(sender_file(path)) : group.owners.at(owner_in(name, kind)).name;
    found.push_back({name, kind, sender, bytes});
  }
  std::ranges::sort(found, {}, &GroupFile::name);
  return found;
}

std::vector<GroupRound> GroupBoard::rounds(const GroupRecord& group) const {
  const std::vector<GroupFile> present = files(group);
  std::vector<GroupRound> found;
  const auto add = [&](GroupRound round, std::size_t enough, const auto& name_of) {
    for (std::size_t owner = 0; owner < group.owners.size(); ++owner) {
      const bool sent = std::ranges::find(present, name_of(static_cast<int>(owner)), &GroupFile::name) != present.end();
      (sent ? round.sent : round.missing).push_back(group.owners[owner].name);
    }
    round.enough = round.sent.size() >= enough;
    found.push_back(std::move(round));
  };
  if (!group.agreed) {
    for (const char* kind : std::span(kKeyRounds).first(group.second_parts ? 3 : 2))
      add({.kind = kind}, group.owners.size(), [&](int owner) { return fmt::format("{}.{}", kind, owner); });
    return found;
  }
  for (const GroupFile& file : present) {
    if (file.kind != kResultsFile) continue;
    const std::string root = results_of(file);
    std::vector<std::string> receivers;
    for (const GroupFile& share : present)
      if (share.kind == kShareFile && share.name.starts_with(fmt::format("{}.{}.", kShareFile, root)))
        receivers.push_back(share.name.substr(share.name.rfind('.') + 1));
    std::ranges::sort(receivers);
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    if (receivers.empty()) {  // nobody has shared these results
      add({.kind = kShareFile, .results = root}, static_cast<std::size_t>(group.threshold),
          [](int) { return std::string(); });
      continue;
    }
    for (const std::string& receiver : receivers) {
      const GroupPerson* const person = group.person(receiver);
      add({.kind = kShareFile, .results = root, .receiver = person != nullptr ? person->name : std::string()},
          static_cast<std::size_t>(group.threshold), [&](int owner) { return name_of_share(root, owner, receiver); });
    }
  }
  return found;
}

std::filesystem::path GroupBoard::path(const GroupRecord& group, const std::string& name) const {
  const std::vector<GroupFile> present = files(group);
  if (name != kGroupFile && std::ranges::find(present, name, &GroupFile::name) == present.end())
    throw Refusal(404, "the group has no such file; GET /v1/groups/GROUP lists its files");
  return folder(group.id) / name;
}

void GroupBoard::remove(const std::string& client, const std::string& group) {
  const GroupRecord record = find(client, group);
  if (record.proposer != client)
    throw Refusal(403, fmt::format("'{}' posted this group and may delete it", record.proposer));
  const std::lock_guard lock(mutex_);
  const FileLock alone = FileLock::lock(folder_ / "lock");
  std::filesystem::remove_all(folder(record.id));
}

void GroupBoard::tidy() {
  const std::lock_guard lock(mutex_);
  const FileLock alone = FileLock::lock(folder_ / "lock");
  for (const GroupRecord& record : all())
    if (now_() > record.deadline + bounds_.keep_seconds) std::filesystem::remove_all(folder(record.id));
  const auto old = std::filesystem::file_time_type::clock::now() - kLeftArriving;
  for (const std::filesystem::path& path : entries_of(folder_)) {
    std::error_code error;
    if (path.filename().string().starts_with(kArriving) && std::filesystem::last_write_time(path, error) < old &&
        !error)
      std::filesystem::remove(path, error);
  }
}

}  // namespace tacit::app::service
