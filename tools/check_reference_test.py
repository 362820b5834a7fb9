#!/usr/bin/env python3
import unittest

from check_reference import HEXADECIMAL, VERSIONS, findings, variables_of, version_findings, versions_in

HEADER = "inline constexpr int kSuccess = 0;\ninline constexpr int kBadInput = 2;\ninline constexpr int kAgain = 2;\n"
PAGE = "# Statuses\n\n| status |\n| --- |\n| 0 |\n| 2 |\n\n| 3 | of another table |\n"


class CheckReference(unittest.TestCase):
    def test_every_way_of_reading_a_variable_is_seen(self):
        source = ('getenv("TACIT_A"); asked("TACIT_B", 1); named("HOME"); os.environ["TACIT_C"]\n'
                  'os.environ.get("TACIT_D")\n'
                  'if "TACIT_E" not in os.environ: os.environ["SET"] = "1"\n'
                  'set(PREFIX "$ENV{TACIT_F}")')
        self.assertEqual(variables_of(source),
                         {"TACIT_A", "TACIT_B", "TACIT_C", "TACIT_D", "TACIT_E", "TACIT_F", "HOME"})

    def test_pages_that_agree_have_no_findings(self):
        self.assertEqual(list(findings(HEADER, PAGE, ['getenv("TACIT_A")'], "| `TACIT_A` |")), [])

    def test_differences_are_named(self):
        self.assertEqual(list(findings(HEADER, PAGE.replace("| 2 |\n", ""), ['getenv("TACIT_A")'], "`TACIT_B`")), [
            "exit-statuses.md has the statuses [0], and command_line.h has [0, 2]",
            "environment.md lacks TACIT_A",
            "environment.md has TACIT_B, which nothing reads",
        ])

    def test_versions_are_the_last_digits_of_formats(self):
        source = "constexpr std::uint32_t kEvenFormat = 0x54434901;\nconstexpr std::uint32_t kFormat = 0x5443490a;\n"
        self.assertEqual(versions_in(source, HEXADECIMAL), "1 and 10")
        found = list(version_findings("| ranges, CKKS | 1 |\n", lambda file: '"tacit ranges 1"' if "ranges" in file else ""))
        self.assertEqual(len(found), len(VERSIONS) - 1)


if __name__ == "__main__":
    unittest.main()
