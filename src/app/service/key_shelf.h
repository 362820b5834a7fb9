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

/// The state of a client's keys for a model.
struct KeyState {
  std::optional<StoredKeys> ready;
  std::uint64_t received = 0, total = 0;  ///< bytes of an unfinished upload; total 0: there is none
};

/// Evaluation keys of clients: a folder for each client and model in the state folder. An upload is written to disk as
/// it arrives. It can continue after an interruption, and after a restart. When it is complete and belongs to the
/// model, it replaces the older keys. Loaded keys stay in memory, and the least recently used ones are dropped first.
/// Several processes may share the folder. Thread safe.
class KeyShelf {
 public:
  KeyShelf(const std::filesystem::path& state, const KeyBounds& bounds);

  KeyState state(const std::string& client, const std::string& model) const;

  /// A part of an upload: `bytes` bytes from `offset` on, of `total`.
  struct Stretch {
    std::uint64_t offset = 0, bytes = 0, total = 0;
  };
  /// Passes bytes to `receive` as they come, until there are no more. Returns false if the client closed the
  /// connection.
  using Body = std::function<bool(const std::function<bool(std::span<const char>)>& receive)>;
  /// Receives a stretch, and returns the state after it. After the last byte the keys are checked, and then they are
  /// ready. Throws Refusal:
  /// - 409 if the stretch does not begin at the received size, if another upload runs, or if jobs wait for the older
  ///   keys;
  /// - 413 for more bytes than the model's keys have or the client may store;
  /// - 400 for bytes that are no keys of this model, whose upload is removed;
  /// - 503 if the disk is full.
  KeyState upload(const std::string& client, const OfferedModel& model, const Stretch& stretch, const Body& body,
                  const NeededKeys& needed);
  /// Removes a client's keys for a model, and the received part of an upload. Throws Refusal 409 during an upload, and
  /// if jobs wait for the keys.
  void remove(const std::string& client, const std::string& model, const NeededKeys& needed = {});

  /// Keys that do not change while this object exists.
  struct Steady {
    FileLock lock;
    StoredKeys keys;
  };
  /// Returns the keys under which a job is accepted. Throws Refusal 409 if there are none.
  Steady steady(const std::string& client, const std::string& model) const;

  /// Returns the client's keys, from memory or from disk. Throws Refusal 409 if there are none, and throws as load_keys
  /// does.
  std::shared_ptr<const session::LoadedKeys> load(const std::string& client, const OfferedModel& model);

  /// Removes uploads that did not continue for a day.
  void tidy();
  struct Counts {
    std::uint64_t in_memory = 0, loads = 0, uploads = 0, received = 0;
  };
  Counts counts() const;

 private:
  void keep(const std::string& root, std::shared_ptr<const session::LoadedKeys> keys);
  void receive(const KeyFolder& own, const Stretch& stretch, const Body& body);
  /// Makes the upload in `own` the keys of its client.
  void take(const OfferedModel& model, const KeyFolder& own, const std::function<bool()>& used,
            const NeededKeys& needed);

  const std::filesystem::path keys_folder_;
  const KeyBounds bounds_;
  const KeyRoom room_;
  std::mutex loading_;        // one at a time: each takes all processors, and memory
  mutable std::mutex mutex_;  // protects the members below
  std::list<std::pair<std::string, std::shared_ptr<const session::LoadedKeys>>> loaded_;  // by root, last used first
  Counts counts_;
};

}  // namespace tacit::app::service
