#pragma once

/// Everything that Tacit offers to C++ programs. Link with tacit::tacit (find_package(tacit)).
#include <tacit/ckks.h>
#include <tacit/error.h>
#include <tacit/insecure.h>
#include <tacit/merkle.h>
#include <tacit/model.h>
#include <tacit/owners.h>
#include <tacit/progress.h>
#include <tacit/receipt.h>
#include <tacit/score.h>
#include <tacit/search.h>
#include <tacit/secrets.h>
#include <tacit/sink.h>
#include <tacit/source.h>
#include <tacit/tfhe.h>
#include <tacit/tile.h>
#include <tacit/validation.h>
#include <tacit/version.h>
