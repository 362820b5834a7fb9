#pragma once

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"

namespace tacit::base {

inline constexpr const char* kNotRefused = "nothing was refused";

/// The words of the error that `body` throws; kNotRefused where it throws none.
template <class Error = InputError, class Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return kNotRefused;
}

/// These words are in them. Another error fails the test.
template <class Error, class Body>
void expect_refusal(Body&& body, const std::string& words) {
  try {
    body();
    ADD_FAILURE() << "was not refused: " << words;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
  }
}

}  // namespace tacit::base
