#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/service/group_record.h"

namespace tacit::app::service {

/// Bounds of groups and of what their members post.
struct GroupBounds {
  std::size_t of_client = 16;              ///< groups that one client has posted
  std::uint64_t on_disk = 64ull << 30;     ///< bytes of all files of groups
  std::int64_t most_seconds = 30 * 86400;  ///< from a post of a group to its deadline
  std::int64_t keep_seconds = 24 * 3600;   ///< groups are deleted so long after their deadline
};

/// A file that somebody posted for a group.
struct GroupFile {
  /// "commitment.0", "part1.0", "part2.0", "results.ROOT", "receipt.ROOT.DIGEST" or "share.ROOT.0.KEY_SET"
  std::string name;
  std::string kind;    ///< "commitment", "part1", "part2", "results", "receipt" or "share"
  std::string sender;  ///< client
  std::uint64_t bytes = 0;
};

/// The files of one round, by owner.
struct GroupRound {
  std::string kind;                            ///< as GroupFile::kind
  std::string results{};                       ///< of shares: root of the results
  std::string receiver{};                      ///< of shares: name; empty if nobody has shared
  std::vector<std::string> sent{}, missing{};  ///< names of owners
  bool enough = false;                         ///< nobody else needs to send
};

/// The files that owners of a group exchange: commitments and parts of keys for a proposed group; results, their
/// receipts and their shares for an agreed one. A group is a folder in the state folder, so several processes may share
/// the board. Only members see a group: for others there is none. A member posts files of its own, each once. The board
/// relays; owners check every file themselves. Thread safe.
class GroupBoard {
 public:
  /// `now` returns seconds since 1970.
  GroupBoard(const std::filesystem::path& state, const GroupBounds& bounds,
             std::function<std::int64_t()> now = system_seconds);
  static std::int64_t system_seconds();

  /// A file that arrives. Its bytes take room from the start. Without a post it is removed.
  class Place {
   public:
    Place(GroupBoard& board, std::string client, std::uint64_t bytes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    const std::filesystem::path& file() const { return file_; }

   private:
    friend class GroupBoard;
    GroupBoard& board_;
    std::string client_;
    std::uint64_t bytes_;
    std::filesystem::path file_;
  };
  /// Takes room for a file. A client has half of the room that others leave, as in the queue. Throws Refusal 413 for
  /// more than any client may have, 429 if the client has its share, and 503 if the room is used up.
  std::unique_ptr<Place> reserve(const std::string& client, std::uint64_t bytes);

  /// Posts a group, which `record` describes (read_group), for so many seconds. The client must be one of its owners.
  /// Posting it again changes nothing before the deadline, and sets a new deadline after it. Throws Refusal 403, 400
  /// for a time out of bounds, and 429 for too many groups.
  GroupRecord post_group(Place& place, GroupRecord record, std::int64_t seconds);
  /// Posts a file for a group. Posting the same bytes again changes nothing. Throws Refusal 404 for a
  /// client outside of the group, and 403 for a file of another owner. Throws Refusal 400 for a damaged file, and for
  /// one that this group does not take. Throws Refusal 409 in three cases: the deadline is over, another file has this
  /// place, or the round before is not complete.
  GroupFile post(Place& place, const std::string& group);

  /// Returns a group. Throws Refusal 404 unless the client is a member.
  GroupRecord find(const std::string& client, const std::string& group) const;
  /// Returns the groups that the client is a member of, newest first.
  std::vector<GroupRecord> list(const std::string& client) const;
  /// Returns the files of a group, by name.
  std::vector<GroupFile> files(const GroupRecord& group) const;
  /// Returns the rounds of a group, and who has sent.
  std::vector<GroupRound> rounds(const GroupRecord& group) const;
  /// Returns the path of the group itself ("group") or of a file of it. Throws Refusal 404.
  std::filesystem::path path(const GroupRecord& group, const std::string& name) const;
  bool is_over(const GroupRecord& group) const { return now_() > group.deadline; }
  /// Removes a group with its files. Throws Refusal 404, and 403 for anybody except the client that posted it.
  void remove(const std::string& client, const std::string& group);
  /// Removes groups whose time is over, and files that ended processes left. Call it once a minute.
  void tidy();

 private:
  std::filesystem::path folder(const std::string& group) const { return folder_ / group; }
  std::vector<GroupRecord> all() const;
  std::map<std::string, std::uint64_t> stored() const;
  GroupFile described(const Place& place, const GroupRecord& group) const;
  void require_turn(const GroupRecord& group, const GroupFile& file) const;

  const std::filesystem::path folder_;
  const GroupBounds bounds_;
  const std::function<std::int64_t()> now_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> arriving_;  ///< bytes by client
};

}  // namespace tacit::app::service
