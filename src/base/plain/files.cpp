#include <cerrno>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/private_file.h"

// There are no files: bytes come from the caller and go to the caller.
namespace tacit::base {

FileDescriptor::FileDescriptor(const std::filesystem::path&, int, unsigned) { errno = ENOSYS; }
bool FileDescriptor::close() { return true; }
bool FileDescriptor::is_regular() const { return false; }
std::uint64_t FileDescriptor::size() const { return 0; }
std::size_t FileDescriptor::read(std::uint64_t, std::span<std::byte>) const {
  errno = ENOSYS;
  return 0;
}
void FileDescriptor::read_all(const std::filesystem::path& name, std::uint64_t, std::span<std::byte>) const {
  refuse("{}: this client reads bytes, not files", name.string());
}
bool FileDescriptor::write(std::uint64_t, std::span<const std::byte>) const {
  errno = ENOSYS;
  return false;
}
bool FileDescriptor::lock(int) const { return false; }

void require_private(const std::filesystem::path&, std::string_view) {}
void require_private(int, const std::filesystem::path&, std::string_view) {}
void make_private_folder(const std::filesystem::path& folder, std::string_view what) {
  refuse("{}: this client has no {}", folder.string(), what);
}

}  // namespace tacit::base
