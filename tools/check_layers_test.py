#!/usr/bin/env python3
"""Plants one violation at a time and expects the layer check to name it."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_layers


class PlantedTree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.plant("src/base/error.h", "#pragma once\n#include <string>\n")
        self.plant("src/ring/ntt.h", '#pragma once\n#include "base/error.h"\n')
        self.plant("src/ring/simd/kernels.h", "#pragma once\n")
        self.plant("src/ring/ntt.cpp", '#include "ring/ntt.h"\n\n#include "ring/simd/kernels.h"\n')
        self.plant("src/scheme/ckks/keys.h", '#pragma once\n#include "ring/ntt.h"\n')
        self.plant("src/graph/graph.h", "#pragma once\n")
        self.plant("include/tacit/ckks.h", "#pragma once\n#include <vector>\n")

    def plant(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def findings(self):
        return [str(f) for f in check_layers.check(self.root)]

    def status(self):
        with contextlib.redirect_stdout(io.StringIO()):
            return check_layers.main([str(self.root)])

    def expect_one(self, *words):
        found = self.findings()
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_tidy_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])
        self.assertEqual(self.status(), 0)

    def test_the_server_half_of_the_session_does_not_see_what_owners_link(self):
        self.plant("src/check/validator.h", "#pragma once\n")
        self.plant("src/session/owner/plan.h", '#pragma once\n#include "check/validator.h"\n')
        self.assertEqual(self.findings(), [])
        self.plant("src/session/evaluation.cpp", '#include "check/validator.h"\n')
        self.expect_one("src/session/evaluation.cpp:1: session (rank 5) may not include check")
        self.plant("src/session/evaluation.cpp", '#include "session/owner/plan.h"\n')
        self.assertTrue(any("session (rank 5) may not include session/owner" in f for f in self.findings()))

    def test_a_readme_names_the_rooms_of_the_map(self):
        self.plant("src/ring/README.md", "# ring\n\nMay include: `base`.\n")
        self.assertEqual(self.findings(), [])
        self.plant("src/ring/README.md", "# ring\n\nMay include: `graph`.\n")
        self.expect_one("src/ring/README.md", "May include: `base`.")

    def test_the_laboratory_lies_beside_src_and_below_app(self):
        self.plant("bench/price_fit.h", '#pragma once\n#include "ring/ntt.h"\n')
        self.plant("src/app/bench.cpp", '#include "bench/price_fit.h"\n')
        self.assertEqual(self.findings(), [])
        self.plant("src/ring/limb.cpp", '#include "bench/price_fit.h"\n')
        self.assertTrue(any("src/ring/limb.cpp:1: ring (rank 1) may not include bench" in f for f in self.findings()))

    def test_programs_over_the_public_interface_beside_the_laboratory(self):
        self.plant("include/tacit/model.h", "#pragma once\n")
        self.plant("bench/peers/works.cpp", "#include <tacit/model.h>\n")
        self.plant("bench/python/works.cpp", "#include <tacit/model.h>\n")
        self.assertEqual(self.findings(), [])
        self.plant("bench/works.cpp", "#include <tacit/model.h>\n")
        self.expect_one("bench includes the public header")

    def test_what_schemes_share_does_not_see_one_kind_of_instructions(self):
        self.plant("src/graph/slots/emit.h", '#pragma once\n#include "graph/graph.h"\n')
        self.plant("src/graph/passes/fold.cpp", '#include "graph/slots/emit.h"\n')
        self.expect_one("src/graph/passes/fold.cpp:1", "may not include graph/slots")

    def test_a_lower_room_may_not_include_a_higher_one(self):
        self.plant("src/base/cpu.cpp", '#include "base/error.h"\n#include "ring/ntt.h"\n')
        found = self.findings()
        self.assertEqual(len(found), 2, found)  # the include, and the cycle base -> ring -> base that it closes
        self.assertIn("src/base/cpu.cpp:2: base (rank 0) may not include ring (rank 1)", found[0])
        self.assertIn("base -> ring -> base: a cycle between rooms", found[1])
        self.assertEqual(self.status(), 1)

    def test_rooms_of_one_rank_do_not_see_each_other(self):
        self.plant("src/layout/layout.h", "#pragma once\n")
        self.plant("src/params/set.h", '#include "layout/layout.h"\n')
        self.expect_one("params (rank 1) may not include layout (rank 1)")

    def test_graph_does_not_see_the_scheme(self):
        self.plant("src/graph/lower.cpp", '#include "scheme/ckks/keys.h"\n')
        self.expect_one("src/graph/lower.cpp:1", "graph (rank 3) may not include scheme (rank 2)")

    def test_graph_and_runtime_do_not_see_each_other(self):
        self.plant("src/runtime/executor.h", '#include "graph/graph.h"\n')
        self.expect_one("runtime (rank 3) may not include graph (rank 3)")

    def test_kernels_are_private_to_their_room(self):
        self.plant("src/scheme/rlwe/key_switch.cpp", '#include "ring/simd/kernels.h"\n')
        self.expect_one("ring/simd is private to ring")

    def test_the_two_schemes_are_strangers(self):
        self.plant("src/scheme/tfhe/bootstrap.cpp", '#include "scheme/ckks/keys.h"\n')
        self.expect_one("scheme/tfhe and scheme/ckks must not see each other")

    def test_an_unknown_room(self):
        self.plant("src/attic/box.h", "#pragma once\n")
        self.expect_one("src/attic/box.h: attic is not a room of the map")

    def test_an_include_that_is_not_written_from_src(self):
        self.plant("src/ring/sampler.cpp", '#include "ntt.h"\n')
        self.expect_one('"ntt.h" is no file below src/')

    def test_our_headers_are_quoted(self):
        self.plant("src/ring/sampler.cpp", "#include <base/error.h>\n")
        self.expect_one("include it with quotes")

    def test_public_headers_are_self_contained(self):
        self.plant("include/tacit/model.h", '#include "graph/graph.h"\n')
        self.expect_one("include/tacit/model.h:1", "public header")

    def test_only_app_implements_the_public_headers(self):
        self.plant("src/app/api/ckks.cpp", "#include <tacit/ckks.h>\n")
        self.assertEqual(self.findings(), [])
        self.plant("src/ring/ntt.cpp", "#include <tacit/ckks.h>\n")
        self.expect_one("ring includes the public header")

    def test_cycles_between_files_are_spelled_out(self):
        self.plant("src/ring/a.h", '#include "ring/b.h"\n')
        self.plant("src/ring/b.h", '#include "ring/c.h"\n')
        self.plant("src/ring/c.h", '#include "ring/a.h"\n')
        self.expect_one("src/ring/a.h -> src/ring/b.h -> src/ring/c.h -> src/ring/a.h", "a cycle between files")

    def test_a_header_that_includes_itself(self):
        self.plant("src/ring/a.h", '#include "ring/a.h"\n')
        self.expect_one("src/ring/a.h -> src/ring/a.h: a cycle between files")

    def test_lengths(self):
        self.plant("src/ring/ntt.cpp", "\n" * 400)
        self.assertEqual(self.findings(), [])
        self.plant("src/ring/ntt.cpp", "\n" * 401)
        self.expect_one("warning", "401 lines, the soft limit is 400")
        self.assertEqual(self.status(), 0)
        self.plant("src/ring/ntt.cpp", "\n" * 801)
        self.expect_one("801 lines, the hard limit is 800")
        self.assertEqual(self.status(), 1)

    def test_drawers(self):
        for path in ("src/ring/utils.h", "src/base/helpers/text.h", "tests/e2e/common_test.cpp",
                     "src/ring/ntt_misc.cpp"):
            with self.subTest(path):
                self.plant(path, "")
                self.expect_one("is a drawer, not a room")
                (self.root / path).unlink()


if __name__ == "__main__":
    unittest.main()
