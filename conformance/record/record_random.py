"""Records random streams: what PyTorch's CPU generator gives after manual_seed, and what nn.init and layers make of it.

    python conformance/record/record_random.py

A result is stored as its first and last values, its sum and a hash of its bytes, so that large tensors stay small here.
"""

import hashlib
import json
import platform
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "replay")]

import torch  # noqa: E402
from random_cases import ENDS, cases, run  # noqa: E402


def bits(tensor) -> bytes:
    """Little-endian bytes of the values."""
    return tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes()


def described(tensor) -> dict:
    tensor = tensor.detach()
    values = tensor.flatten().tolist()
    few = len(values) <= 2 * ENDS
    return {
        "s": list(tensor.shape),
        "d": str(tensor.dtype).removeprefix("torch."),
        "first": values if few else values[:ENDS],
        "last": [] if few else values[-ENDS:],
        "sha256": hashlib.sha256(bits(tensor)).hexdigest()[:16] if values else "",
    }


def main():
    torch.set_num_threads(1)
    path = HERE.parent / "goldens" / "random.jsonl"
    with open(path, "w") as file:
        print(json.dumps({"torch": torch.__version__, "python": platform.python_version()}), file=file)
        for case in cases():
            print(
                json.dumps({**case, "out": [described(t) for t in run(torch, case)]}, separators=(",", ":")), file=file
            )
    print(f"{sum(1 for _ in open(path)) - 1} cases, {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
