#pragma once

/// The version of these headers; the build takes the project's version from here.
#define TACIT_VERSION_MAJOR 0
#define TACIT_VERSION_MINOR 1
#define TACIT_VERSION_PATCH 0
