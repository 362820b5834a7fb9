#pragma once

#include <string_view>

/// Defines std::string_view FUNCTION(), the bytes of the file at `path` as a part of the program. Use it in a named
/// namespace. The file is found when the source is assembled.
#define TACIT_EMBED(function, path)                                    \
  asm(".pushsection .rodata, \"a\"\n"                                  \
      ".hidden tacit_" #function "\n.hidden tacit_" #function          \
      "_end\n"                                                         \
      ".global tacit_" #function "\n.global tacit_" #function          \
      "_end\n"                                                         \
      "tacit_" #function ":\n.incbin \"" path                          \
      "\"\n"                                                           \
      "tacit_" #function "_end:\n.byte 0\n.popsection\n");             \
  std::string_view function() {                                        \
    extern const char function##_begin[] asm("tacit_" #function);      \
    extern const char function##_end[] asm("tacit_" #function "_end"); \
    return {function##_begin, function##_end};                         \
  }                                                                    \
  static_assert(true)
