"""Runs one Llama over many meshes and compares every result with a single device.

    ./dtorch run examples/llama_parallel.py                 seeded weights
    ./dtorch run examples/llama_parallel.py --weights DIR   a Hugging Face folder
    ./dtorch run examples/llama_parallel.py --json FILE     the table as a file

Exits non-zero when a mesh differs by more than 1e-4.
"""

import argparse
import gc
import hashlib
import json
import statistics
import struct
import sys
import time

import dtorch
from dtorch import Graph
from llama import Llama, LlamaConfig, mesh_from_text

SEED = 0
BATCH, LENGTH = 4, 64
TOLERANCE = 1e-4
REPEATS = 3
MESHES = [
    "dp=2",
    "tp=2",
    "tp=4",
    "pp=2",
    "pp=4",
    "ulysess_cp=2",
    "ring_cp=2",
    "ring_cp=4",
    "dp=2,tp=2",
    "tp=2,pp=2",
    "ulysess_cp=2,ring_cp=2",
    "dp=2,tp=2,pp=2,ulysess_cp=2,ring_cp=2",
]


def example_tokens(vocab_size: int) -> dtorch.Tensor:
    """A batch that needs no generator: the same ids on every machine and in every library."""
    rows = [[(7 * row * row + 13 * column + 5) % vocab_size for column in range(LENGTH)] for row in range(BATCH)]
    return dtorch.tensor(rows, dtype=dtorch.int64)


def build(weights, mesh) -> Llama:
    if weights is not None:
        return Llama.from_pretrained(weights, mesh)
    dtorch.manual_seed(SEED)
    return Llama(LlamaConfig(), mesh)


def device_ids(mesh) -> list:
    return mesh.mesh.flatten().tolist()


def allocated(graph, mesh) -> dict:
    """Bytes held now by every device of the mesh."""
    stats = graph.get_memory_stats(mesh)
    return {device: stats.find(device).memory_allocated for device in device_ids(mesh)}


def logits_hash(logits) -> str:
    values = logits.flatten().tolist()
    return hashlib.sha256(struct.pack(f"<{len(values)}f", *values)).hexdigest()[:16]


@dtorch.no_grad()
def run(weights, text: str, device: str):
    """Builds the model on one mesh, runs it, and returns its logits with what is to be reported."""
    graph = Graph.default_graph()
    mesh = mesh_from_text(text, device)
    gc.collect()
    graph.empty_cache()
    before = allocated(graph, mesh)
    model = build(weights, mesh)
    model.eval()
    tokens = example_tokens(model.config.vocab_size)
    model(tokens)  # the first call also compiles and fills caches
    graph.sync()
    held = {device_id: now - before[device_id] for device_id, now in allocated(graph, mesh).items()}

    graph.clear_communication_record()
    logits = model(tokens)
    graph.sync()
    record = graph.communication_record()

    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        model(tokens)
        graph.sync()
        times.append(1000 * (time.perf_counter() - begin))
    devices = len(held)
    collectives = {}
    for entry in record:
        collectives[entry.op] = collectives.get(entry.op, 0) + 1
    return logits, {
        "mesh": text or "one device",
        "devices": devices,
        "logits_hash": logits_hash(logits),
        "ms": statistics.median(times),
        "bytes_held_per_device": max(held.values()),
        "bytes_moved_per_device": sum(entry.bytes for entry in record) // devices,
        "collectives": collectives,
    }


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", metavar="DIR", help="Hugging Face folder; default: seeded weights")
    parser.add_argument("--mesh", action="append", help="run these meshes instead of the list; may be repeated")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="device kind of the meshes")
    parser.add_argument("--json", metavar="FILE", help="write the table to a file as well")
    args = parser.parse_args(argv)

    reference, row = run(args.weights, "", args.device)
    rows = []
    print(f"{'mesh':<40}{'devices':>8}{'max diff':>11}  {'logits':<18}{'ms':>9}{'KB held':>10}{'KB moved':>10}")
    for text in [""] + (args.mesh or MESHES):
        if text:
            logits, row = run(args.weights, text, args.device)
            row["max_diff"] = (logits - reference).abs().max().item()
        else:
            row["max_diff"] = 0.0
        rows.append(row)
        print(
            f"{row['mesh']:<40}{row['devices']:>8}{row['max_diff']:>11.2e}  {row['logits_hash']:<18}{row['ms']:>9.2f}"
            f"{row['bytes_held_per_device'] / 1024:>10.0f}{row['bytes_moved_per_device'] / 1024:>10.0f}",
            flush=True,
        )
    # "not <=" so that a NaN counts as different.
    different = [row["mesh"] for row in rows if not row["max_diff"] <= TOLERANCE]
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"seed": SEED, "tolerance": TOLERANCE, "weights": args.weights, "rows": rows}, file, indent=1)
    if different:
        print(f"more than {TOLERANCE} away from one device: {', '.join(different)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
