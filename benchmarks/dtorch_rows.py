"""The budget rows that are measured from Python, in dtorch.

    ./dtorch run benchmarks/dtorch_rows.py [--quick]              all rows
    ./dtorch run benchmarks/dtorch_rows.py [--quick] ROW...       some

Prints one JSON line per row with the ids of rows.json. Warm-up is long because a JIT compiles the script as well, and on few cores beside it.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples")]

import dtorch  # noqa: E402
import dtorch.nn.functional as F  # noqa: E402
from dtorch import Graph, Partial, Replicate, Shard, init_device_mesh  # noqa: E402
from llama import Llama, LlamaConfig, mesh_from_text  # noqa: E402
from measure import ROWS, batched, line, median_seconds  # noqa: E402

GRAPH = Graph.default_graph()
QUICK = "--quick" in sys.argv
WARM_UP, SECONDS = (2.0, 1.0) if QUICK else (5.0, 3.0)


def pointwise():
    mesh = init_device_mesh("cpu", 2)
    x = dtorch.ones(8, 8, device_mesh=mesh, placements=[Shard(0)])
    count = 100
    seconds, calls = median_seconds(batched(lambda: x + x, GRAPH.sync, count), WARM_UP, SECONDS)
    return seconds / count, calls * count, {}


def linear():
    mesh = init_device_mesh("cpu", 2)
    x = dtorch.ones(8, 64, device_mesh=mesh, placements=[Replicate()])
    weight = dtorch.ones(64, 64, device_mesh=mesh, placements=[Shard(0)])
    count = 100
    seconds, calls = median_seconds(batched(lambda: F.linear(x, weight), GRAPH.sync, count), WARM_UP, SECONDS)
    return seconds / count, calls * count, {}


def redistribute(size, world):
    def run():
        mesh = init_device_mesh("cpu", world)
        rows = dtorch.ones(size, size, device_mesh=mesh, placements=[Shard(0)])
        partial = dtorch.ones(size, size, device_mesh=mesh, placements=[Partial()])
        found, total = {}, 0
        for name, source, target in [
            ("S(0)->R", rows, Replicate()),
            ("P->R", partial, Replicate()),
            ("S(0)->S(1)", rows, Shard(1)),
        ]:
            # Each one is waited for, as PyTorch's are.
            work = batched(lambda source=source, to=[target]: source.redistribute(placements=to), GRAPH.sync, 1)
            found[name], calls = median_seconds(work, WARM_UP / 3, SECONDS / 3)
            total += calls
        detail = {name: round(1e6 * seconds, 1) for name, seconds in found.items()}
        return statistics.median(found.values()), total, {"transitions": detail}

    return run


def llama(size, mesh_text):
    @dtorch.no_grad()
    def run():
        config = LlamaConfig.from_dict(ROWS["llama"][size])
        dtorch.manual_seed(0)
        model = Llama(config, mesh_from_text(mesh_text))
        model.eval()
        ids = dtorch.tensor([[i % config.vocab_size for i in range(ROWS["tokens"])]], dtype=dtorch.int64)

        def forward():
            model(ids)
            GRAPH.sync()

        seconds, calls = median_seconds(forward, WARM_UP, SECONDS)
        return seconds, calls, {}

    return run


def start_hello():
    times = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "hello.py"
        script.write_text("import dtorch\nprint('hello')\n")
        for _ in range(4 if QUICK else 6):
            begin = time.perf_counter()
            subprocess.run([str(ROOT / "dtorch"), "run", str(script)], check=True, stdout=subprocess.PIPE)
            times.append(time.perf_counter() - begin)
    return statistics.median(times[1:]), len(times) - 1, {}


WORK = {
    "pointwise_python": pointwise,
    "linear_python": linear,
    **{f"redistribute_{size}_{world}": redistribute(size, world) for size in (64, 2048) for world in (2, 4)},
    **{
        f"llama_{size}_{name}": llama(size, mesh)
        for size in ROWS["llama"]
        for name, mesh in [("eager", ""), ("tp2", "tp=2")]
    },
    "start_hello": start_hello,
}


def main():
    rows = [argument for argument in sys.argv[1:] if argument != "--quick"]
    unknown = [row for row in rows if row not in WORK]
    if unknown:
        print(f"unknown rows {', '.join(unknown)}; known: {', '.join(WORK)}", file=sys.stderr)
        return 2
    for row in rows or WORK:
        seconds, calls, more = WORK[row]()
        print(line(row, "dtorch", seconds, calls, version=dtorch.__version__, **more), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
