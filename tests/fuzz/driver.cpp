// A fuzz target without a fuzzer: runs its past crashes and a number of mutations, the same on every machine but for
// keys and ciphertexts, which are random in the seeds.
//
//   TARGET_fuzz [--count N] [--seed N] [--seconds N] [--memory MIB] [--corpus FOLDER] [FILE ...]
//
// Without --seed the day is the seed, as in 20261129: every day draws other mutations, and a day draws the same ones
// again. With files it runs those alone. An input that crashes, or takes more than its time or memory, is kept: a
// mutation as FOLDER/TARGET/found_SEED.bin, which later runs read first, anything else as TARGET-crash.bin in the
// working folder.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/process_memory.h"
#include "target.h"

namespace tacit::fuzz {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitised = true;
#else
constexpr bool kSanitised = false;
#endif

/// What reading one input may take. Sanitisers multiply both.
constexpr int kMostSeconds = kSanitised ? 25 : 5;
constexpr std::uint64_t kMostMemory = kSanitised ? 4096 : 1024;  // MiB
/// Of wall time: what waits for ever takes no processor time.
constexpr int kMostWaiting = 120;

/// The date in UTC as a number, year first.
std::uint64_t day() {
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return static_cast<std::uint64_t>(static_cast<int>(today.year())) * 10000 +
         static_cast<unsigned>(today.month()) * 100 + static_cast<unsigned>(today.day());
}

struct Options {
  std::uint64_t count = 1000, seed = day();
  std::uint64_t memory = kMostMemory;
  double seconds = 0;  ///< run until then, whatever the count; 0: by count
  std::filesystem::path corpus;
  std::vector<std::filesystem::path> files;
};

struct Tally {
  std::uint64_t accepted = 0, refused = 0;
  double slowest = 0;
  std::uint64_t largest = 0;
};

Bytes current;            // being read
std::string crash_path;   // where it goes if that ends badly
std::string kept_folder;  // where a mutation does; empty: in the working folder, too
std::string refusal;      // the last one

/// Only what a signal handler may call.
extern "C" void keep_current(int signal) {
  if (!kept_folder.empty()) ::mkdir(kept_folder.c_str(), 0755);
  const int file = ::open(crash_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    [[maybe_unused]] const auto written = ::write(file, current.data(), current.size());
    ::close(file);
  }
  const auto say = [](std::string_view text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  };
  say(signal == SIGPROF || signal == SIGALRM ? "fuzz: an input takes too long: " : "fuzz: an input crashes: ");
  say(crash_path);
  say("\n");
  ::_exit(1);
}

void arm(int seconds) {
  const itimerval processor{{}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &processor, nullptr);
  ::alarm(seconds > 0 ? kMostWaiting : 0);
}

/// Reads `current`. True if it is accepted.
bool accepts() {
  try {
    check(current);
    return true;
  } catch (const base::InputError& error) {
    refusal = error.what();
  } catch (const base::KeyMismatch& error) {
    refusal = error.what();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is no refusal: %s\n", error.what());
    std::abort();
  }
  return false;
}

bool run(Bytes input, const Options& options, Tally& tally) {
  current = std::move(input);
  base::restart_peak_resident_bytes();
  const std::uint64_t before = base::resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  arm(kMostSeconds);
  const bool accepted = accepts();
  arm(0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::uint64_t peak = base::peak_resident_bytes(), used = peak > before ? peak - before : 0;
  tally.slowest = std::max(tally.slowest, took.count());
  tally.largest = std::max(tally.largest, used);
  ++(accepted ? tally.accepted : tally.refused);
  require(used >> 20 <= options.memory, "reading takes no more memory than its bound");
  return accepted;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Mutations of mutations, up to a few generations from a seed.
void run_mutations(const Options& options, Tally& tally) {
  if (!options.corpus.empty()) {
    kept_folder = options.corpus / target_name();
    crash_path = kept_folder + "/found_" + std::to_string(options.seed) + ".bin";
  }
  const std::vector<Bytes> whole = seeds();
  for (const Bytes& seed : whole)
    if (!run(seed, options, tally)) {
      std::fprintf(stderr, "%s\n", refusal.c_str());
      require(false, "seeds are accepted");
    }
  Random random(options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto goes_on = [&](std::uint64_t i) {
    if (options.seconds <= 0) return i < options.count;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < options.seconds;
  };
  std::vector<Bytes> found;  // accepted mutations, from which further ones start
  constexpr std::size_t kKept = 256;
  for (std::uint64_t i = 0; goes_on(i); ++i) {
    const auto one = [&]() -> const Bytes& {
      return !found.empty() && random.one_in(3) ? random.pick(found) : random.pick(whole);
    };
    Bytes mutation = mutate(one(), one(), random);
    if (!run(mutation, options, tally) || mutation.size() > 4096) continue;
    if (found.size() < kKept)
      found.push_back(std::move(mutation));
    else
      random.pick(found) = std::move(mutation);
  }
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] {
      require(++i < argc, "an option has a value");
      return std::string(argv[i]);
    };
    if (argument == "--count")
      options.count = std::stoull(value());
    else if (argument == "--seed")
      options.seed = std::stoull(value());
    else if (argument == "--seconds")
      options.seconds = std::stod(value());
    else if (argument == "--memory")
      options.memory = std::stoull(value());
    else if (argument == "--corpus")
      options.corpus = value();
    else
      options.files.emplace_back(argument);
  }
  return options;
}

int run_all(const Options& options) {
  Tally tally;
  std::vector<std::filesystem::path> files = options.files;
  const auto folder = options.corpus / target_name();
  if (files.empty() && !options.corpus.empty() && std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    if (!run(read_file(file), options, tally) && !options.files.empty()) std::printf("%s\n", refusal.c_str());
  if (options.files.empty()) {
    std::printf("%s: seed %llu\n", std::string(target_name()).c_str(), static_cast<unsigned long long>(options.seed));
    std::fflush(stdout);  // before a crash
  }
  const std::uint64_t past = tally.accepted + tally.refused;
  if (options.files.empty()) run_mutations(options, tally);
  std::printf("%s: %llu past crashes, %llu inputs: %llu accepted, %llu refused; slowest %.2f s, largest %llu MiB\n",
              std::string(target_name()).c_str(), static_cast<unsigned long long>(past),
              static_cast<unsigned long long>(tally.accepted + tally.refused - past),
              static_cast<unsigned long long>(tally.accepted), static_cast<unsigned long long>(tally.refused),
              tally.slowest, static_cast<unsigned long long>(tally.largest >> 20));
  if (!options.files.empty()) return 0;
  require(tally.refused > 0, "some mutations are refused");
  return 0;
}

}  // namespace
}  // namespace tacit::fuzz

#if defined(__SANITIZE_ADDRESS__)
// A report of the sanitiser ends in abort, whose handler keeps the input.
extern "C" const char* __asan_default_options() { return "abort_on_error=1:handle_segv=1:allocator_may_return_null=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif

int main(int argc, char** argv) {
  using namespace tacit::fuzz;
  crash_path = std::string(target_name()) + "-crash.bin";
  for (const int signal : {SIGABRT, SIGPROF, SIGALRM}) ::signal(signal, keep_current);
  if (!kSanitised) {
    // The stack may be what ran out.
    static std::byte stack[1 << 16];
    const stack_t other{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
    ::sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_handler = keep_current;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
    // Far above the bound, so that the machine does not suffer from what breaks it.
    const rlimit most{std::uint64_t{16} << 30, std::uint64_t{16} << 30};
    ::setrlimit(RLIMIT_AS, &most);
  }
  return run_all(options_of(argc, argv));
}
