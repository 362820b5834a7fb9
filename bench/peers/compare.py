#!/usr/bin/env python3
"""Runs peers and Tacit on the same work and prints a table of ratios with the quality of both.

    bench/peers/compare.py --build build/release [--only NAME ...] [--rounds 5] [--json FILE] [--scratch FOLDER] [--list]

Peers are installed from package registries (PyPI, crates.io, the Go proxy) into the scratch folder, at the versions that
requirements/, crates/Cargo.lock and lattigo/go.sum pin. Both sides do a work in turns on one core, one thread each.
Times are processor time, because other programs may use that core. A ratio is the peer's time over ours: the median
over the rounds, with the least and the most. A work that cannot run here is listed with the reason. The build needs the
targets tacit, peer_works and the Python package (-DTACIT_BENCH=ON). NAME is a part of what --list prints.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import instruction_sets
import peers
import table
import turns
import works

HERE = pathlib.Path(__file__).resolve().parent


def chosen(only):
    found = [work for work in works.WORKS if not only or any(name in work.name for name in only)]
    if not found:
        raise SystemExit(f"compare.py: no work is called {', '.join(only)}; see --list")
    return found


def memory_available():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / (1 << 20)


def processor():
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def machine(build):
    measured = json.loads(subprocess.run(
        [build / "bin/tacit", "bench", "merkle", "--device", "cpu", "--first", "3", "--last", "3", "--seconds", "0",
         "--json"], capture_output=True, text=True, check=True).stdout)
    return {"date": datetime.date.today().isoformat(), "processor": processor(), "cores": os.cpu_count(),
            "tacit_instructions": measured["instruction_set"], "clock_ghz": measured["clock_ghz"]}


def our_command(work, build, scratch):
    if not (build / "bin/peer_works").exists():
        raise SystemExit(f"compare.py: {build} has no bin/peer_works: configure with -DTACIT_BENCH=ON and build the targets "
                         "tacit, peer_works and tacit_python")
    if not work.ours.startswith("model "):
        return [build / "bin/peer_works", work.ours]
    python = peers.virtual_environment("tacit", "", scratch)
    return [python, HERE / "tacit_models.py", work.ours.split()[1], scratch]


def run(arguments):
    build, scratch = arguments.build.resolve(), arguments.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    report = {"machine": machine(build), "rows": [], "peers": {}, "not_compared": {}}
    settings = {"PYTHONPATH": str(build / "python")}
    ready = {}
    for work in chosen(arguments.only):
        try:
            if work.peer not in ready:
                ready[work.peer], binaries = peers.prepare(work.peer, scratch)
                peer = peers.PEERS[work.peer]
                report["peers"][work.peer] = {"version": peer.version,
                                              "instructions": instruction_sets.of(binaries, peer.symbols)}
            free = memory_available()
            if free < work.memory:
                raise peers.Unavailable(f"needs {work.memory:g} GiB, {free:.1f} are free")
            theirs = ready[work.peer] + [work.theirs] + ([scratch] if work.ours.startswith("model ") else [])
            rounds = min(arguments.rounds, work.rounds or arguments.rounds)
            row = turns.compare(our_command(work, build, scratch), theirs, rounds, arguments.core, scratch, settings)
        except (peers.Unavailable, turns.WorkFailed) as reason:
            report["not_compared"][f"{work.title} ({work.peer})"] = str(reason)
            print(f"{work.name}: {reason}", file=sys.stderr)
            continue
        report["rows"].append({"title": work.title, "peer": work.peer, **row})
        print(f"{work.name}: {table.ratio_text(row)}", file=sys.stderr)
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build/release")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "tacit-peers")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="that both sides run on")
    parser.add_argument("--list", action="store_true", help="print the names of all works")
    parser.add_argument("--tables", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="run nothing, print the table of reports written by --json, in one")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: at least 1")
    if arguments.list:
        print("\n".join(work.name for work in works.WORKS))
    elif arguments.tables:
        print(table.markdown(table.joined([json.loads(path.read_text()) for path in arguments.tables]), works.NOT_COMPARED), end="")
    else:
        print(table.markdown(run(arguments), works.NOT_COMPARED), end="")


if __name__ == "__main__":
    main()
