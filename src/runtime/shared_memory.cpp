#include "runtime/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"

namespace tacit::runtime {
namespace {

/// A new object with room for so many bytes, under a name that nobody can guess; -1 where there is no room.
int create(std::string& name, std::size_t bytes) {
  name = "/tacit-" + base::hexadecimal(base::public_seed());
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  // Room that is promised only would end the process where it is first touched.
  if (file >= 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0) return file;
  if (file >= 0) {
    close(file);
    shm_unlink(name.c_str());
  }
  name.clear();
  return -1;
}

}  // namespace

SharedMemory share_memory(Communicator& machine, std::size_t bytes) {
  if (bytes == 0) return {};
  std::string name;
  int file = machine.rank() == 0 ? create(name, bytes) : -1;
  const auto text = std::as_bytes(std::span(name));
  std::vector<std::byte> message(text.begin(), text.end());
  machine.broadcast(message);
  if (message.empty()) return {};
  name.assign(reinterpret_cast<const char*>(message.data()), message.size());
  if (machine.rank() != 0) file = shm_open(name.c_str(), O_RDWR, 0);
  void* const memory = file < 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  machine.barrier();
  if (machine.rank() == 0) shm_unlink(name.c_str());
  if (memory == MAP_FAILED) throw base::InputError("memory that the ranks of a machine share cannot be reached");
  return {{static_cast<std::byte*>(memory), bytes},
          std::shared_ptr<const void>(memory, [bytes](const void* at) { munmap(const_cast<void*>(at), bytes); })};
}

}  // namespace tacit::runtime
