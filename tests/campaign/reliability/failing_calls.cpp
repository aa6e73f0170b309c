// A library for LD_PRELOAD that makes one call of a program fail: the n-th of one function, counted from the beginning
// of main(), or all from the n-th on. Linux with the GNU C library. The environment says which:
//   FAILING_CALL    the function: one of `names` below ("-": none fails, all are counted)
//   FAILING_NUMBER  n, from 1 on
//   FAILING_ERROR   errno of the failure, as a number; 0: write() and pwrite() take half of what they are given
//   FAILING_NOT_IN  libraries, by parts of their names with colons between, whose own wishes for memory do not fail
//   FAILING_REST    set: all calls from the n-th on fail
//   FAILING_COUNTS  a file of 8 * (number of names + 1) bytes, which gets how often each function was called, and how
//                   often the chosen one failed, also where the program does not come to its end
// Only the program itself is counted: what it starts does not get the library.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <initializer_list>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

// In the order of the numbers in FAILING_COUNTS.
enum Function {
  f_write,
  f_pwrite,
  f_fsync,
  f_rename,
  f_open,
  f_close,
  f_ftruncate,
  f_mkdir,
  f_unlink,
  f_read,
  f_lock,
  f_stat,
  f_folder,
  f_thread,
  f_mmap,
  f_malloc,
  functions
};
constexpr const char* names[functions] = {"write",     "pwrite", "fsync",  "rename", "open", "close",
                                          "ftruncate", "mkdir",  "unlink", "read",   "lock", "stat",
                                          "folder",    "thread", "mmap",   "malloc"};

std::uint64_t* counts = nullptr;  // a shared mapping; null before main() and where nothing is asked for
int chosen = functions;
std::uint64_t number = 0;
bool rest = false;
int error = EIO;

struct Range {
  std::uintptr_t begin, end;
};
constexpr int max_ranges = 128;
Range spared[max_ranges];  // the code of libraries whose wishes for memory do not fail
int spared_ranges = 0;
char spared_names[512];

bool is_spared(const void* caller);

int add_spared(dl_phdr_info* library, size_t, void*) {
  char names_of[sizeof spared_names];
  memcpy(names_of, spared_names, sizeof names_of);
  char* rest_of = nullptr;
  for (char* name = strtok_r(names_of, ":", &rest_of); name; name = strtok_r(nullptr, ":", &rest_of))
    for (int part = 0; strstr(library->dlpi_name, name) && part < library->dlpi_phnum; ++part) {
      const auto& header = library->dlpi_phdr[part];
      const std::uintptr_t begin = library->dlpi_addr + header.p_vaddr;
      const bool known = is_spared(reinterpret_cast<const void*>(begin));
      if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || known || spared_ranges == max_ranges) continue;
      spared[spared_ranges] = {begin, begin + header.p_memsz};
      __atomic_store_n(&spared_ranges, spared_ranges + 1, __ATOMIC_RELEASE);
    }
  return 0;
}

// Whether the code at this place may do without.
bool is_spared(const void* caller) {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  for (int i = 0; i < __atomic_load_n(&spared_ranges, __ATOMIC_ACQUIRE); ++i)
    if (place >= spared[i].begin && place < spared[i].end) return true;
  return false;
}

bool fails(Function f) {
  if (!counts) return false;
  const std::uint64_t n = __atomic_add_fetch(&counts[f], 1, __ATOMIC_RELAXED);
  if (f != chosen || n < number || (n > number && !rest)) return false;
  __atomic_add_fetch(&counts[functions], 1, __ATOMIC_RELAXED);
  errno = error;
  return true;
}

bool no_memory(const void* caller) { return !is_spared(caller) && fails(f_malloc); }

// The function of this name in the library behind this one.
template <class Type>
Type* next(Type*, const char* name) {
  return reinterpret_cast<Type*>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) static auto* const real = next(&::name, #name)

void begin() {
  const char* call = getenv("FAILING_CALL");
  const char* file = getenv("FAILING_COUNTS");
  if (!call || !file) return;
  for (int f = 0; f < functions; ++f)
    if (strcmp(call, names[f]) == 0) chosen = f;
  if (const char* text = getenv("FAILING_NUMBER")) number = strtoull(text, nullptr, 10);
  if (const char* text = getenv("FAILING_ERROR")) error = atoi(text);
  rest = getenv("FAILING_REST") != nullptr;
  if (const char* list = getenv("FAILING_NOT_IN")) snprintf(spared_names, sizeof spared_names, "%s", list);
  dl_iterate_phdr(add_spared, nullptr);
  const int descriptor = open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  constexpr std::size_t bytes = 8 * (functions + 1);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  for (const char* name : {"LD_PRELOAD", "FAILING_CALL", "FAILING_COUNTS", "FAILING_NUMBER", "FAILING_ERROR",
                           "FAILING_NOT_IN", "FAILING_REST"})
    unsetenv(name);
  if (memory != MAP_FAILED) counts = static_cast<std::uint64_t*>(memory);
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  begin();
  return real_main(argc, argv, environment);
}

size_t half(size_t bytes) { return bytes > 1 ? bytes / 2 : bytes; }

}  // namespace

extern "C" {

int __libc_start_main(Main* program, int argc, char** argv, void (*init)(), void (*fini)(), void (*ld_fini)(),
                      void* stack) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = program;
  return reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, init, fini, ld_fini,
                                                                         stack);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  NEXT(write);
  if (!fails(f_write)) return real(descriptor, bytes, size);
  return error == 0 ? real(descriptor, bytes, half(size)) : -1;
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  NEXT(pwrite);
  if (!fails(f_pwrite)) return real(descriptor, bytes, size, offset);
  return error == 0 ? real(descriptor, bytes, half(size), offset) : -1;
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  static auto* const real = reinterpret_cast<ssize_t (*)(int, const struct iovec*, int)>(dlsym(RTLD_NEXT, "writev"));
  if (!fails(f_write)) return real(descriptor, parts, count);
  return error == 0 ? real(descriptor, parts, 1) : -1;
}

ssize_t read(int descriptor, void* bytes, size_t size) {
  NEXT(read);
  return fails(f_read) ? -1 : real(descriptor, bytes, size);
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
  NEXT(pread);
  return fails(f_read) ? -1 : real(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
  NEXT(fsync);
  return fails(f_fsync) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  NEXT(fdatasync);
  return fails(f_fsync) ? -1 : real(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  NEXT(rename);
  return fails(f_rename) ? -1 : real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  NEXT(renameat2);
  return fails(f_rename) ? -1 : real(from_folder, from, to_folder, to, flags);
}

#define OPEN(name)                                       \
  int name(const char* path, int flags, ...) {           \
    NEXT(name);                                          \
    mode_t mode = 0;                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {               \
      va_list words;                                     \
      va_start(words, flags);                            \
      mode = va_arg(words, mode_t);                      \
      va_end(words);                                     \
    }                                                    \
    return fails(f_open) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen);
  return fails(f_open) ? nullptr : real(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  NEXT(fopen64);
  return fails(f_open) ? nullptr : real(path, mode);
}

DIR* opendir(const char* path) {
  static auto* const real = reinterpret_cast<DIR* (*)(const char*)>(dlsym(RTLD_NEXT, "opendir"));
  return fails(f_folder) ? nullptr : real(path);
}

// As Linux does it: the descriptor is gone whatever close() returns.
int close(int descriptor) {
  NEXT(close);
  const bool failed = fails(f_close);
  const int result = real(descriptor);
  if (!failed) return result;
  errno = error;
  return -1;
}

int ftruncate(int descriptor, off_t size) noexcept {
  NEXT(ftruncate);
  return fails(f_ftruncate) ? -1 : real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  NEXT(ftruncate64);
  return fails(f_ftruncate) ? -1 : real(descriptor, size);
}

int mkdir(const char* path, mode_t mode) noexcept {
  NEXT(mkdir);
  return fails(f_mkdir) ? -1 : real(path, mode);
}

int unlink(const char* path) noexcept {
  NEXT(unlink);
  return fails(f_unlink) ? -1 : real(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  NEXT(unlinkat);
  return fails(f_unlink) ? -1 : real(folder, path, flags);
}

int remove(const char* path) noexcept {
  NEXT(remove);
  return fails(f_unlink) ? -1 : real(path);
}

// What a library of the list brings along later is spared, too: the GPU's driver is loaded when it is first asked for.
void* dlopen(const char* name, int flags) noexcept {
  NEXT(dlopen);
  void* const library = real(name, flags);
  if (counts && library) dl_iterate_phdr(add_spared, nullptr);
  return library;
}

int flock(int descriptor, int operation) noexcept {
  NEXT(flock);
  return fails(f_lock) ? -1 : real(descriptor, operation);
}

int stat(const char* path, struct stat* result) noexcept {
  static auto* const real = reinterpret_cast<int (*)(const char*, struct stat*)>(dlsym(RTLD_NEXT, "stat"));
  return fails(f_stat) ? -1 : real(path, result);
}

int lstat(const char* path, struct stat* result) noexcept {
  static auto* const real = reinterpret_cast<int (*)(const char*, struct stat*)>(dlsym(RTLD_NEXT, "lstat"));
  return fails(f_stat) ? -1 : real(path, result);
}

int fstat(int descriptor, struct stat* result) noexcept {
  static auto* const real = reinterpret_cast<int (*)(int, struct stat*)>(dlsym(RTLD_NEXT, "fstat"));
  return fails(f_stat) ? -1 : real(descriptor, result);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                   void* argument) noexcept {
  NEXT(pthread_create);
  return fails(f_thread) ? error : real(thread, attributes, begin, argument);
}

void* mmap(void* place, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  NEXT(mmap);
  return fails(f_mmap) ? MAP_FAILED : real(place, size, protection, flags, descriptor, offset);
}

// Memory: of the C library itself, since dlsym() may want some.
void* malloc(size_t size) noexcept { return no_memory(__builtin_return_address(0)) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) noexcept {
  return no_memory(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) noexcept {
  return no_memory(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return no_memory(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  return no_memory(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  if (no_memory(__builtin_return_address(0))) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

}  // extern "C"
