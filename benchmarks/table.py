"""Prints the budget table from JSON lines of both sides: python benchmarks/table.py [--rows A,B] [--no-peer] FILE...

Any Python. A row without one side shows a dash; the last column says what the goal is and whether it is met.
"""

import argparse
import json

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


def table(found: dict, rows: list, without: str = "-") -> list:
    lines = [f"{'row':<26}{'dtorch':>14}{'PyTorch':>14}{'ratio':>9}   goal"]
    for row in rows:
        ours, theirs = found.get((row["row"], "dtorch")), found.get((row.get("peer"), "torch"))
        unit, budget = row["unit"], row["budget"]
        left = f"{ours:,.1f} {unit}" if ours is not None else "failed"
        right = f"{theirs:,.1f} {unit}" if theirs is not None else without if "peer" in row else "-"
        ratio = f"{theirs / ours:.2f}x" if ours and theirs else "-"
        verdict = "" if ours is None else " met" if ours <= budget else f" missed: {ours / budget:.1f} times it"
        lines.append(f"{row['row']:<26}{left:>14}{right:>14}{ratio:>9}   {budget:,.1f} {unit}{verdict}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", help="ids of rows.json, with commas between; all by default")
    parser.add_argument("--no-peer", action="store_true", help="PyTorch could not be measured")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    wanted = options.rows.split(",") if options.rows else [row["row"] for row in ROWS["rows"]]
    rows = [row for row in ROWS["rows"] if row["row"] in wanted]
    print("\n".join(table(read(options.files), rows, "no peer" if options.no_peer else "failed")))
    print("Medians. ratio: PyTorch's time by ours, above 1 we are faster.")


if __name__ == "__main__":
    main()
