#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/service/durable_file.h"
#include "app/service/key_folder.h"
#include "app/service/key_room.h"
#include "app/service/model_shelf.h"

namespace tacit::app::service {

/// What there is of a client's keys for a model.
struct KeyState {
  std::optional<StoredKeys> ready;
  std::uint64_t received = 0, total = 0;  ///< of an upload that is not finished; total 0: there is none
};

/// Evaluation keys of clients: a folder for each client and model in the state folder. An upload is written to disk as
/// it arrives, so that it goes on where it broke off, also after a restart; it takes the place of the keys before it
/// once it is whole and was found to be keys of the model. Keys that are loaded stay in memory, those used longest ago
/// give way. Several processes may share the folder. Thread safe.
class KeyShelf {
 public:
  KeyShelf(const std::filesystem::path& state, const KeyBounds& bounds);

  KeyState state(const std::string& client, const std::string& model) const;

  /// A stretch of an upload: bytes from `offset` on of `total`.
  struct Stretch {
    std::uint64_t offset = 0, bytes = 0, total = 0;
  };
  /// Hands bytes on as they come until there are no more; returns false where the client went away.
  using Body = std::function<bool(const std::function<bool(std::span<const char>)>& receive)>;
  /// Receives one. Returns the state after it; with the last byte the keys are checked, and then they are ready.
  /// `needed` is asked at the beginning, and again before the new keys take the place of others. Throws Refusal:
  /// 409 where the stretch does not begin where the upload stands, another one runs, or jobs wait for the keys before;
  /// 413 for more bytes than the model's keys have or the client may store; 400 for what are no keys of this model,
  /// which is forgotten; 503 where the disk is full.
  KeyState upload(const std::string& client, const OfferedModel& model, const Stretch& stretch, const Body& body,
                  const NeededKeys& needed);
  /// Forgets a client's keys for a model, and what was received of an upload. Throws Refusal 409 while one runs, and
  /// where jobs wait for the keys.
  void remove(const std::string& client, const std::string& model, const NeededKeys& needed = {});

  /// Keys that stay as they are while this is alive.
  struct Steady {
    FileLock lock;
    StoredKeys keys;
  };
  /// Those under which a job is accepted. Throws Refusal 409 where there are none.
  Steady steady(const std::string& client, const std::string& model) const;

  /// The client's keys, from memory or from disk. Throws Refusal 409 where there are none, and as load_keys.
  std::shared_ptr<const session::LoadedKeys> load(const std::string& client, const OfferedModel& model);

  /// Removes uploads that nobody has gone on with for a day.
  void tidy();
  struct Counts {
    std::uint64_t in_memory = 0, loads = 0, uploads = 0, received = 0;
  };
  Counts counts() const;

 private:
  void keep(const std::string& root, std::shared_ptr<const session::LoadedKeys> keys);
  void receive(const KeyFolder& own, const Stretch& stretch, const Body& body);
  /// Makes the upload in `own` the keys of their client.
  void take(const OfferedModel& model, const KeyFolder& own, const std::function<bool()>& used,
            const NeededKeys& needed);

  const std::filesystem::path keys_folder_;
  const KeyBounds bounds_;
  const KeyRoom room_;
  std::mutex loading_;        // one at a time: each takes all processors, and memory
  mutable std::mutex mutex_;  // of what follows
  std::list<std::pair<std::string, std::shared_ptr<const session::LoadedKeys>>> loaded_;  // by root, last used first
  Counts counts_;
};

}  // namespace tacit::app::service
