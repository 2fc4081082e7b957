"""Long runs whose memory must not grow.

    ./dtorch run benchmarks/soak.py llama [--count N]              forwards of the 260K Llama, resident memory
    DTORCH_MEMORY_LIMIT=1GiB ./dtorch run benchmarks/soak.py chain [--count N]    y = x * 2 + 1 on 64 MB
    DTORCH_MEMORY_LIMIT=1GiB ./dtorch run benchmarks/soak.py raises [--count N]   the same, then an operator that raises

Each prints one JSON line at its end; the exit code is 1 where memory grew by 5 % or more after a tenth of the calls
(llama), or a value is wrong (chain, raises). No reference is dropped by hand and no collection asked for.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples")]

import dtorch  # noqa: E402
from dtorch import Graph  # noqa: E402
from llama import Llama, LlamaConfig, mesh_from_text  # noqa: E402
from measure import ROWS  # noqa: E402

GRAPH = Graph.default_graph()
FLOATS_OF_64_MB = 16 * 1024 * 1024
MOST_GROWTH = 0.05


def resident_mib() -> float:
    """Of the whole process, the JVM's heap and native memory with it. Asks ps: GraalPy reads files of /proc as empty."""
    ps = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], check=True, capture_output=True, text=True)
    return int(ps.stdout) / 1024


def progress(step: int, count: int, begin: float):
    if step % (count // 10) == 0:
        GRAPH.sync()
        print(
            f"{step}/{count}: {time.perf_counter() - begin:.1f} s, resident {resident_mib():.0f} MiB, "
            f"reclaiming {GRAPH.reclaim_milliseconds():.0f} ms",
            file=sys.stderr,
            flush=True,
        )


def llama(count: int, mesh_text: str) -> tuple:
    config = LlamaConfig.from_dict(ROWS["llama"]["260k"])
    dtorch.manual_seed(0)
    model = Llama(config, mesh_from_text(mesh_text))
    model.eval()
    ids = dtorch.tensor([[i % config.vocab_size for i in range(ROWS["tokens"])]], dtype=dtorch.int64)
    first = count // 10
    after_first = None
    begin = time.perf_counter()
    with dtorch.no_grad():
        for step in range(1, count + 1):
            model(ids)
            GRAPH.sync()
            if step == first:
                after_first = resident_mib()
            progress(step, count, begin)
    at_end = resident_mib()
    growth = at_end / after_first - 1
    report = {
        "resident_mib_after_first_tenth": round(after_first, 1),
        "resident_mib_at_end": round(at_end, 1),
        "growth": round(growth, 4),
    }
    return report, growth < MOST_GROWTH


def chain(count: int, mesh_text: str, raises: bool = False) -> tuple:
    x = dtorch.ones(FLOATS_OF_64_MB, device_mesh=mesh_from_text(mesh_text))
    caught = 0
    begin = time.perf_counter()
    for step in range(1, count + 1):
        y = x * 2 + 1
        if raises:
            try:
                # Shapes that do not broadcast, with the 64 MB temporary of the same statement in flight.
                (y + 1).reshape(2, FLOATS_OF_64_MB // 2) + x
                raise AssertionError("shapes that do not broadcast were added")
            except RuntimeError:
                caught += 1
        progress(step, count, begin)
    GRAPH.sync()
    last = y[-1].item()
    return {"last": last, **({"raised": caught} if raises else {})}, last == 3.0 and caught == (count if raises else 0)


PARTS = {
    "llama": (llama, 10_000),
    "chain": (chain, 5_000),
    "raises": (lambda count, mesh_text: chain(count, mesh_text, raises=True), 5_000),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--count", type=int, help="how often; 10,000 forwards or 5,000 chains by default")
    parser.add_argument("--mesh", default="", help="as of the examples, such as tp=2; one device by default")
    options = parser.parse_args()
    work, usual = PARTS[options.part]
    count = options.count or usual
    if count < 10:
        parser.error("--count must be at least 10")
    begin = time.perf_counter()
    report, good = work(count, options.mesh)
    summary = {
        "part": options.part,
        "count": count,
        "seconds": round(time.perf_counter() - begin, 1),
        "reclaiming_ms": round(GRAPH.reclaim_milliseconds(), 1),
        "memory_limit": os.environ.get("DTORCH_MEMORY_LIMIT"),
        **report,
        "good": good,
    }
    print(json.dumps(summary), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
