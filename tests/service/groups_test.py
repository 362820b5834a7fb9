"""Owners of a key exchange what they send for keys and results by a server, with the command.

    groups_test.py COMMAND
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from service_process import Caller, Server, command, write_linear_model

TACIT = sys.argv[1]
OWNERS = ("anna", "ben")


def square(path):
    """Squares the output of a model."""
    import onnx

    model = onnx.load(path)
    model.graph.node.append(onnx.helper.make_node("Mul", ["y", "y"], ["z"]))
    model.graph.output[0].name = "z"
    onnx.save(model, path)


class GroupsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.scratch.name)
        cls.rows, linear = write_linear_model(cls.at / "linear.onnx")
        square(cls.at / "linear.onnx")  # keys that multiply need second parts
        cls.expected = linear**2
        cls.model = cls.at / "model"
        cls.client = cls.model / "client.tacit"
        command(TACIT, "compile", cls.at / "linear.onnx", "--calibrate", cls.at / "linear.npy", "--owners", "2,2", "-o", cls.model)
        for owner in OWNERS:
            command(TACIT, "group", "key", cls.client, "--secret", cls.at / f"{owner}.secret", "--public", cls.at / f"{owner}.id")
        command(TACIT, "group", "new", cls.client, "--owner", cls.at / "anna.id", "--owner", cls.at / "ben.id", "--threshold", 2, "-o",
                cls.at / "proposed")
        cls.folder = cls.at / "server"
        cls.folder.mkdir()
        cls.server = Server(TACIT, [cls.model], cls.folder, "--groups-of-client", 2)
        cls.tokens = {name: cls.server.add_client(name) for name in (*OWNERS, "mallory")}
        for name, token in cls.tokens.items():
            file = cls.at / f"{name}.token"
            file.write_text(token)
            file.chmod(0o600)
        cls.server.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.scratch.cleanup()

    def group(self, who, *arguments):
        return json.loads(command(TACIT, "group", *arguments, "--server", f"http://127.0.0.1:{self.server.port}", "--token",
                                  self.at / f"{who}.token", "--json"))

    def refused(self, who, *arguments):
        done = subprocess.run([TACIT, "group", *map(str, arguments), "--server", f"http://127.0.0.1:{self.server.port}", "--token",
                               self.at / f"{who}.token"], check=False, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stdout)
        return done.stderr

    def test_owners_make_keys_and_decrypt(self):
        at, client, proposed = self.at, self.client, self.at / "proposed"
        sent = self.group("anna", "send", proposed, "--hours", 1)
        self.assertEqual(sent["rounds"][0], {"kind": "commitment", "results": "", "receiver": "", "sent": [], "missing": ["anna", "ben"],
                                             "enough": False})
        for round, option, more in ((0, "--commit", []), (1, "--part1", []), (2, "--part2", ["--part", "{own}/part1.0", "--part", "{own}/part1.1"])):
            for owner in OWNERS:
                own, kind = at / f"of_{owner}", ("commitment", "part1", "part2")[round]
                group = proposed if round == 0 else own / "agreed"
                file = at / f"{owner}.{kind}"
                command(TACIT, "keygen", client, "--group", group, "--secret", at / f"{owner}.secret", option,
                        *(text.format(own=own) for text in more), "-o", file)
                state = self.group(owner, "send", file, "--group", proposed)["rounds"][round]
                self.assertEqual(state["missing"], [] if owner == "ben" else ["ben"])
                self.assertEqual(state["enough"], owner == "ben")
                if owner == "anna" and round == 0:
                    self.assertIn("and every owner sends its own; you are 'ben'", self.refused("ben", "send", file, "--group", proposed))
            for owner in OWNERS:
                own = at / f"of_{owner}"
                self.group(owner, "fetch", "--group", proposed, "--into", own)
                if round == 0:
                    command(TACIT, "combine", client, "--group", own / "group", own / "commitment.0", own / "commitment.1", "-o",
                            own / "agreed")
        own = at / "of_anna"
        self.assertEqual((own / "agreed").read_bytes(), (at / "of_ben" / "agreed").read_bytes())
        command(TACIT, "combine", client, "--group", own / "agreed", *(own / f"part{i}.{k}" for i in (1, 2) for k in (0, 1)), "--public",
                at / "public", "--evaluation", at / "evaluation")

        import numpy
        numpy.save(at / "two.npy", self.rows[:2])
        command(TACIT, "encrypt", client, "--public-key", at / "public", "--input", at / "two.npy", "-o", at / "x.ct")
        command(TACIT, "evaluate", self.model / "server.tacit", "--keys", at / "evaluation", "--input", at / "x.ct", "-o", at / "y.ct")
        agreed = own / "agreed"
        self.assertEqual(self.group("ben", "send", agreed)["rounds"], [])
        state = self.group("ben", "send", at / "y.ct", "--group", agreed)
        self.assertEqual(state["rounds"][0]["missing"], ["anna", "ben"])
        self.group("ben", "send", at / "y.ct.receipt", "--group", agreed)
        for owner in OWNERS:
            own = at / f"results_of_{owner}"
            self.group(owner, "fetch", "--group", agreed, "--into", own)
            [results] = own.glob("results.*")
            self.assertEqual(results.read_bytes(), (at / "y.ct").read_bytes())
            [receipt] = own.glob("receipt.*")
            self.assertEqual(receipt.read_bytes(), (at / "y.ct.receipt").read_bytes())
            command(TACIT, "share", results, "--client", client, "--group", agreed, "--secret", at / f"{owner}.secret", "--for",
                    at / "anna.id", "-o", at / f"{owner}.share")
            [round] = self.group(owner, "send", at / f"{owner}.share", "--group", agreed)["rounds"]
            self.assertEqual((round["receiver"], round["enough"]), ("anna", owner == "ben"))
        own = at / "results_of_anna"
        self.group("anna", "fetch", "--group", agreed, "--into", own)
        command(TACIT, "combine", client, "--group", agreed, *sorted(own.glob("share.*")), "--results", at / "y.ct", "--for", at / "anna.id",
                "-o", at / "z.ct")
        command(TACIT, "decrypt", client, "--key", at / "anna.secret", "--input", at / "z.ct", "--question", at / "x.ct", "-o", at / "z.npy")
        self.assertLess(abs(numpy.load(at / "z.npy") - self.expected[:2]).max(), 0.05)

    def test_nothing_is_shown_to_others(self):
        self.group("anna", "send", self.at / "proposed", "--hours", 1)
        for words in (["state", "--group", self.at / "proposed"], ["fetch", "--group", self.at / "proposed", "--into", self.at / "stolen"]):
            self.assertIn("there is no such group of yours", self.refused("mallory", *words))
        self.assertEqual(self.group("mallory", "state")["groups"], [])
        self.assertIn("owners are clients of the same names", self.refused("mallory", "send", self.at / "proposed"))
        self.assertIn("secret key", self.refused("anna", "send", self.at / "anna.secret", "--group", self.at / "proposed"))
        with open(self.at / "anna.secret", "rb") as secret:  # by another client than ours
            status, body = Caller(self.server, self.tokens["anna"]).ask(
                "POST", "/v1/groups/" + self.group("anna", "state")["groups"][0]["group"] + "/files", secret.read())
        self.assertEqual(status, 400)
        self.assertIn("it was not stored", body.decode())
        self.assertEqual(list((self.folder / "state" / "groups").glob("arriving.*")), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
