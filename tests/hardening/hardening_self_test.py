"""The readers of hardening_test.py see each thing that is missing, and nothing where all is there."""
import unittest

import hardening_test

GOOD = {
    "header": "  Type:                              DYN (Position-Independent Executable file)\n",
    "segments": "  GNU_STACK      0x0 0x0 0x0 0x000000 0x000000 RW  0x10\n  GNU_RELRO      0x1 0x1 0x1 0x2 0x2 R   0x1\n",
    "dynamic": " 0x000000006ffffffb (FLAGS_1)            Flags: NOW PIE\n",
    "symbols": "  1: 0 FUNC GLOBAL DEFAULT UND __stack_chk_fail@GLIBC_2.4 (2)\n"
               "  2: 0 FUNC GLOBAL DEFAULT UND __memcpy_chk@GLIBC_2.3.4 (3)\n"
               "  3: 0 FUNC GLOBAL DEFAULT UND _ZSt21__glibcxx_assert_failPKciS0_S0_@GLIBCXX_3.4.30 (4)\n",
}


class Missing(unittest.TestCase):
    def only(self, part, **changed):
        found = hardening_test.missing(**(GOOD | changed))
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_nothing(self):
        self.assertEqual(hardening_test.missing(**GOOD), [])
        self.assertEqual(hardening_test.missing(**(GOOD | {"dynamic": " 0x18 (BIND_NOW)\n"})), [])

    def test_each(self):
        self.only("PIE", header="  Type:      EXEC (Executable file)\n")
        self.only("GNU_RELRO", segments=GOOD["segments"].replace("GNU_RELRO", "GNU_OTHER"))
        self.only("GNU_STACK", segments=GOOD["segments"].replace("RW ", "RWE"))
        self.only("BIND_NOW", dynamic=" 0x000000006ffffffb (FLAGS_1)            Flags: PIE\n")
        self.only("__stack_chk_fail", symbols=GOOD["symbols"].replace("__stack_chk_fail", "other"))
        self.only("_FORTIFY_SOURCE", symbols=GOOD["symbols"].replace("__memcpy_chk", "memcpy"))
        self.only("_GLIBCXX_ASSERTIONS", symbols=GOOD["symbols"].replace("_ZSt21__glibcxx_assert_fail", "other"))


if __name__ == "__main__":
    unittest.main()
