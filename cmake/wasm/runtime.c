// The two parts of the C++ runtime that the compiler's package does not build for exceptions in WebAssembly.

// The tag that all C++ exceptions are thrown with. The compiler refers to it by this name.
__asm__(
    ".tagtype __cpp_exception i32\n"
    ".globl __cpp_exception\n"
    "__cpp_exception:\n");

// Destructors of thread-local objects: there is one thread, which never ends.
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  (void)destroy;
  (void)object;
  (void)library;
  return 0;
}
