"""The suite 'search' of tools/measure.py: builds stores of random vectors, and asks them by the commands."""
import pathlib
import statistics
import tempfile

RUNS = 5
MEDIAN = f"median of {RUNS}"


class Parties:
    """A store of random vectors in a folder of its own, and a client with keys."""

    def __init__(self, runner, folder, records, dimensions, payload=0):
        import numpy
        self.runner, self.folder, self.tacit = runner, folder, runner.program("tacit")
        random = numpy.random.default_rng(1)
        self.vectors = numpy.lib.format.open_memmap(folder / "vectors.npy", "w+", "f4", (records, dimensions))
        for first in range(0, records, 1 << 16):
            part = self.vectors[first:first + (1 << 16)]
            part[:] = random.standard_normal(part.shape, dtype="f4")
        self.vectors.flush()
        self.store, self.client, self.key = folder / "store", folder / "store/client.tacit", folder / "secret"
        options = ["--normalise"]
        if payload:
            numpy.save(folder / "payload.npy", random.integers(0, 256, (records, payload), dtype="u1"))
            options += ["--payload", folder / "payload.npy"]
        self.built = self.report("build", folder / "vectors.npy", *options, "-o", self.store)
        self.keys = self.report("keygen", self.client, "--secret", self.key, "--evaluation", folder / "keys")

    def report(self, *words):
        return self.runner.json(self.tacit, "search", *words, "--json")

    def evaluate(self, *question):
        """The report of a query, the median report of its evaluations, and the file of answers."""
        asked = self.report("query", self.client, "--key", self.key, *question, "-o", self.folder / "question")
        runs = [self.report("evaluate", self.store, "--keys", self.folder / "keys", "--input", self.folder / "question", "-o",
                            self.folder / "answer") for _ in range(1 if self.runner.short else RUNS)]
        return asked, sorted(runs, key=lambda run: run["seconds"]["all"])[len(runs) // 2]

    def queries(self, count):
        import numpy
        numpy.save(self.folder / "queries.npy", self.vectors[:count])
        return self.folder / "queries.npy"

    def decrypted(self):
        return self.report("decrypt", self.client, "--key", self.key, "--question", self.folder / "question", "--input",
                           self.folder / "answer")


def recall_at_10(vectors, found):
    """The share of the ten nearest vectors of each query, by exact products, that were found. Query i is vector i."""
    import numpy
    shares = []
    unit = lambda rows: rows / numpy.linalg.norm(rows, axis=1, keepdims=True)  # noqa: E731
    queries = unit(numpy.asarray(vectors[:len(found)]))
    scores = numpy.concatenate([unit(numpy.asarray(vectors[i:i + (1 << 16)])) @ queries.T for i in range(0, len(vectors), 1 << 16)])
    for query, answer in enumerate(found):
        best = numpy.argpartition(-scores[:, query], 10)[:10]
        shares.append(len(set(best.tolist()) & set(answer["ids"])) / 10)
    return statistics.mean(shares)


def rows_of(parties, payload):
    """What was measured of a store: (what, measure, value, unit, quality)."""
    rows = [("build", "time", parties.built["seconds"]["build"], "s", "one run")]
    if payload:
        _, told = parties.evaluate("--records", "1234")
        right = parties.decrypted()["answers"][0]["bytes"] == payload
        return [*rows, ("one record", "time", told["seconds"]["all"], "s", "right" if right else "wrong"),
                ("one record", "memory", told["peak_memory_bytes"], "B", MEDIAN)]
    for count in (1, 8):
        asked, told = parties.evaluate("--input", parties.queries(count), "--top", 10)
        what = "one query" if count == 1 else f"{count} queries"
        recall = f"recall of the best 10: {recall_at_10(parties.vectors, parties.decrypted()['answers']):.3g}"
        rows += [(what, "time", told["seconds"]["all"], "s", recall),
                 (what, "expansion and products", told["seconds"]["expansion"] + told["seconds"]["products"], "s", MEDIAN),
                 (what, "memory", told["peak_memory_bytes"], "B", MEDIAN), (what, "question", asked["bytes"], "B", MEDIAN),
                 (what, "keys", parties.keys["key_bytes"], "B", MEDIAN), (what, "answer", told["bytes"], "B", MEDIAN)]
    return rows


STORES = (("10^6 vectors of 256", 1_000_000, 256, 0), ("4,096 vectors of 128", 4096, 128, 0),
          ("2^20 records of 32 bytes", 1 << 20, 2, 32))


def search(runner, row):
    """Rows of the table 'search'."""
    rows = []
    for name, records, dimensions, payload in STORES:
        if runner.wants(name):
            with tempfile.TemporaryDirectory() as scratch:
                parties = Parties(runner, pathlib.Path(scratch), min(records, 5000) if runner.short else records, dimensions, payload)
                rows += [row("search", f"{name}, {what}", *rest) for what, *rest in rows_of(parties, payload)]
                runner.commands[:] = [command.replace(scratch + "/", "") for command in runner.commands]
    return rows
