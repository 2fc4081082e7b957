"""One way of measuring for both sides: warm up until it gets no faster, then the median of equal batches. Pure Python."""

import json
import math
import statistics
import time
from pathlib import Path

ROWS = json.loads((Path(__file__).resolve().parent / "rows.json").read_text())
UNITS = {row["row"]: row["unit"] for row in ROWS["rows"]}
PER_SECOND = {"us": 1e6, "ms": 1e3}
MOST_WARM_UPS = 6


def median_seconds(work, warm_up_seconds: float, seconds: float, least: int = 5) -> tuple:
    """(median seconds of one call of work, number of calls measured); at least `least` calls of each phase.

    Warm-ups are repeated while each makes it a tenth faster: a JIT may still be compiling after the first.
    """

    def calls(limit):
        times, end = [], time.perf_counter() + limit
        while len(times) < least or time.perf_counter() < end:
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
        return times

    before = math.inf
    for _ in range(MOST_WARM_UPS):
        now = statistics.median(calls(warm_up_seconds))
        if now > 0.9 * before:
            break
        before = now
    times = calls(seconds)
    return statistics.median(times), len(times)


def batched(operator, finish, count: int):
    """Work of `count` operators with one wait at the end, as scripts issue them; divide the time by count."""

    def work():
        for _ in range(count):
            operator()
        finish()

    return work


def line(row: str, side: str, seconds: float, calls: int, **more) -> str:
    """One result as a JSON line."""
    unit = UNITS[row]
    value = round(seconds * PER_SECOND[unit], 3)
    return json.dumps({"row": row, "side": side, "median": value, "unit": unit, "calls": calls, **more})
