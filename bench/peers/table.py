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


def markdown(report):
    """`report`: what compare.py writes as JSON."""
    machine = report["machine"]
    parts = [f"{machine['date']}, {machine['processor']}, {machine['cores']} cores of which one is used, Tacit with "
             f"{machine['tacit_instructions']} at {machine['clock_ghz']:.2f} GHz.", "",
             line(HEADER), line(["---"] * len(HEADER))]
    parts += [line(row_cells(row)) for row in report["rows"]]
    parts += ["", line(["peer", "version", "vector instructions in its build"]), line(["---"] * 3)]
    parts += [line([name, peer["version"], peer["instructions"]]) for name, peer in report["peers"].items()]
    parts += ["", line(["work", "peer", "parameters: Tacit", "parameters: the peer"]), line(["---"] * 4)]
    parts += [line([row["title"], row["peer"], row["ours"]["parameters"], row["theirs"]["parameters"]])
              for row in report["rows"]]
    parts += ["", line(["not compared", "why"]), line(["---"] * 2)]
    parts += [line(pair) for pair in report["not_compared"].items()]
    return "\n".join(parts) + "\n"


def joined(reports):
    """Of runs of one machine, one: rows of the last report that has them. What one left out another may have run."""
    rows, result = {}, {"machine": reports[-1]["machine"], "peers": {}, "not_compared": {}}
    for report in reports:
        rows.update({(row["title"], row["peer"]): row for row in report["rows"]})
        for key in ("peers", "not_compared"):
            result[key].update(report[key])
    for title, peer in rows:
        result["not_compared"].pop(f"{title} ({peer})", None)
    return {**result, "rows": list(rows.values())}
