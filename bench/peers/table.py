"""The table of a comparison, as Markdown."""


def time_text(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            value = seconds / size
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def memory_text(size):
    return f"{size / (1 << 30):.1f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.0f} MiB"


def ratio_text(row):
    def digits(value):
        return f"{value:.0f}" if value >= 20 else f"{value:.2g}"

    return f"**{digits(row['ratio'])}** ({digits(row['least'])} to {digits(row['most'])})"


def line(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


HEADER = ["work", "peer", "Tacit", "the peer", "ratio", "quality: Tacit", "quality: the peer", "memory: Tacit; the peer",
          "load"]


def row_cells(row):
    ours, theirs = row["ours"], row["theirs"]
    if not (ours["quality"] and theirs["quality"]):
        raise ValueError(f"{row['title']}: no ratio without its quality")
    begin, end = row["load"]
    return [row["title"], row["peer"], time_text(ours["seconds"]), time_text(theirs["seconds"]), ratio_text(row),
            ours["quality"], theirs["quality"], f"{memory_text(ours['memory'])}; {memory_text(theirs['memory'])}",
            f"{begin:.1f} to {end:.1f}"]


def parameter_rows(rows):
    """Returns cells of works, peer and both sides' parameters. Works of one peer with equal parameters are one row."""
    works = {}
    for row in rows:
        key = (row["peer"], row["ours"]["parameters"], row["theirs"]["parameters"])
        works.setdefault(key, []).append(row["title"])
    return [["; ".join(titles), *key] for key, titles in works.items()]


def listing(header, rows):
    return ["", line(header), line(["---"] * len(header)), *(line(row) for row in rows)]


def markdown(report, never_compared):
    """`report` is the JSON of compare.py. `never_compared` lists the works that it does not try, with reasons."""
    machine = report["machine"]
    parts = [f"{machine['date']}, {machine['processor']}, {machine['cores']} cores of which one is used, Tacit with "
             f"{machine['tacit_instructions']} at {machine['clock_ghz']:.2f} GHz."]
    parts += listing(HEADER, map(row_cells, report["rows"]))
    parts += listing(["peer", "version", "vector instructions in its build"],
                     ([name, peer["version"], peer["instructions"]] for name, peer in report["peers"].items()))
    parts += listing(["works", "peer", "parameters: Tacit", "parameters: the peer"], parameter_rows(report["rows"]))
    parts += listing(["not compared", "why"], (never_compared | report["not_compared"]).items())
    return "\n".join(parts) + "\n"


def joined(reports):
    """Merges reports of one machine. A row comes from the last report that has it, as a report may leave rows out."""
    rows, result = {}, {"machine": reports[-1]["machine"], "peers": {}, "not_compared": {}}
    for report in reports:
        rows.update({(row["title"], row["peer"]): row for row in report["rows"]})
        for key in ("peers", "not_compared"):
            result[key].update(report[key])
    for title, peer in rows:
        result["not_compared"].pop(f"{title} ({peer})", None)
    return {**result, "rows": list(rows.values())}
