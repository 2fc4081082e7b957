"""Prints the budget table from JSON lines of both sides: python benchmarks/table.py FILE...

Any Python. A row without one side shows a dash; the last column says what the goal is and whether it is met.
"""

import json
import sys

from measure import ROWS


def read(paths: list) -> dict:
    """(row, side) to its last result; lines that are not JSON objects are passed over."""
    found = {}
    for path in paths:
        with open(path) as file:
            for text in file:
                if text.startswith("{"):
                    result = json.loads(text)
                    found[result["row"], result["side"]] = result["median"]
    return found


def table(found: dict) -> list:
    rows = [f"{'row':<22}{'dtorch':>12}{'PyTorch':>12}{'ratio':>9}   goal"]
    for row in ROWS["rows"]:
        ours, theirs = found.get((row["row"], "dtorch")), found.get((row["row"], "torch"))
        cells = [f"{value:,.1f} {row['unit']}" if value is not None else "-" for value in (ours, theirs)]
        ratio = f"{theirs / ours:.1f}x" if ours and theirs else "-"
        goal = f"{row['budget']:,.1f} {row['unit']}"
        verdict = (
            "" if ours is None else " met" if ours <= row["budget"] else f" missed by {ours / row['budget'] - 1:.0%}"
        )
        rows.append(f"{row['row']:<22}{cells[0]:>12}{cells[1]:>12}{ratio:>9}   {goal}{verdict}")
    return rows


if __name__ == "__main__":
    print("\n".join(table(read(sys.argv[1:]))))
