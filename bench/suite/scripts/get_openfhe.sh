#!/usr/bin/env bash
# The harness calls this script before it builds. Tacit is installed already, so there is nothing to fetch.
