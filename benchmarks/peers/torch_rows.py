"""The budget rows in PyTorch: eager, and DTensor over gloo with one process per device.

    python benchmarks/peers/torch_rows.py [--quick]              all rows
    python benchmarks/peers/torch_rows.py [--quick] ROW...       some

Prints one JSON line per row. Needs CPython with torch. Processes share the cores: each gets cores/world threads, at
least one.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402
from measure import ROWS, batched, line, median_seconds  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor  # noqa: E402
from torch_llama import build, shard  # noqa: E402

CORES = len(os.sched_getaffinity(0))
QUICK = "--quick" in sys.argv
WARM_UP, SECONDS = (0.3, 0.7) if QUICK else (0.5, 2.0)


def pointwise(mesh):
    x = distribute_tensor(torch.ones(8, 8), mesh, [Shard(0)])
    count = 100
    seconds, calls = median_seconds(batched(lambda: x + x, lambda: None, count), WARM_UP, SECONDS)
    return seconds / count, calls * count, {}


def linear(mesh):
    x = distribute_tensor(torch.ones(8, 64), mesh, [Replicate()])
    weight = distribute_tensor(torch.ones(64, 64), mesh, [Shard(0)])
    count = 100
    work = batched(lambda: torch.nn.functional.linear(x, weight), lambda: None, count)
    seconds, calls = median_seconds(work, WARM_UP, SECONDS)
    return seconds / count, calls * count, {}


def redistribute(size):
    def run(mesh):
        whole = torch.ones(size, size)
        rows = distribute_tensor(whole, mesh, [Shard(0)])
        partial = DTensor.from_local(whole, mesh, [Partial()], run_check=False)
        found, total = {}, 0
        for name, source, target in [
            ("S(0)->R", rows, Replicate()),
            ("P->R", partial, Replicate()),
            ("S(0)->S(1)", rows, Shard(1)),
        ]:
            # A fixed number of calls: all ranks must make the same collectives.
            times = []
            for _ in range(5 if size > 1000 else 50):
                source.redistribute(mesh, [target])
            for _ in range((7 if QUICK else 15) if size > 1000 else (100 if QUICK else 300)):
                dist.barrier()
                begin = time.perf_counter()
                source.redistribute(mesh, [target])
                times.append(time.perf_counter() - begin)
            found[name] = statistics.median(times)
            total += len(times)
        detail = {name: round(1e6 * seconds, 1) for name, seconds in found.items()}
        return statistics.median(found.values()), total, {"transitions": detail}

    return run


def llama(size, world):
    def run(mesh):
        model = build(ROWS["llama"][size])
        if world > 1:
            shard(model, mesh)
        ids = torch.arange(ROWS["tokens"]).reshape(1, -1) % ROWS["llama"][size]["vocab_size"]
        counts = {"260k": (5, 40), "15m": (3, 20), "110m": (2, 8)}[size]
        times = []
        for step in range(sum(counts)):
            begin = time.perf_counter()
            model(ids)
            if step >= counts[0]:
                times.append(time.perf_counter() - begin)
        return statistics.median(times), len(times), {"best": round(1000 * min(times), 2)}

    return run


WORK = {
    "pointwise_python": (pointwise, 2),
    "linear_python": (linear, 2),
    **{f"redistribute_{size}_{world}": (redistribute(size), world) for size in (64, 2048) for world in (2, 4)},
    **{
        f"llama_{size}_{name}": (llama(size, world), world)
        for size in ROWS["llama"]
        for name, world in [("eager", 1), ("tp2", 2)]
    },
}


@torch.no_grad()
def rank_main(rank: int, world: int, rows: list, store: str):
    torch.set_num_threads(max(1, CORES // world))
    mesh = None
    if world > 1:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
        mesh = init_device_mesh("cpu", (world,))
    for row in rows:
        work, _ = WORK[row]
        seconds, calls, more = work(mesh)
        if rank == 0:
            print(line(row, "torch", seconds, calls, version=torch.__version__, world=world, **more), flush=True)
        if world > 1:
            dist.barrier()
    if world > 1:
        dist.destroy_process_group()


def start_hello():
    code = "import torch; print('hello')"
    times = []
    for _ in range(4 if QUICK else 6):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    print(line("start_hello", "torch", statistics.median(times[1:]), len(times) - 1, version=torch.__version__))


def main():
    given = [argument for argument in sys.argv[1:] if argument != "--quick"]
    rows = given or [*WORK, "start_hello"]
    unknown = [row for row in rows if row not in WORK and row != "start_hello"]
    if unknown:
        sys.exit(f"unknown rows {', '.join(unknown)}; known: {', '.join([*WORK, 'start_hello'])}")
    # Rows of one world size share their processes.
    for world in (1, 2, 4):
        mine = [row for row in rows if row in WORK and WORK[row][1] == world]
        if not mine:
            continue
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store")
            if world == 1:
                rank_main(0, 1, mine, store)
            else:
                mp.spawn(rank_main, args=(world, mine, store), nprocs=world)
    if "start_hello" in rows:
        start_hello()


if __name__ == "__main__":
    main()
