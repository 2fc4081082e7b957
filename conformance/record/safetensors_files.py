"""Records a small file of the safetensors project's writer: python safetensors_files.py OUT_DIRECTORY"""

import pathlib
import sys

import torch
from safetensors.torch import save_file


def main(directory):
    tensors = {
        "layer.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3) / 4,
        "layer.bias": torch.tensor([-1.5, 2.0, 0.25], dtype=torch.bfloat16),
        "half": torch.tensor([[1.0], [-2.0]], dtype=torch.float16),
        "double": torch.tensor(2.5, dtype=torch.float64),
        "ids": torch.tensor([1, -2, 2**40]),
        "int": torch.tensor([7, -8], dtype=torch.int32),
        "short": torch.tensor([9, -10], dtype=torch.int16),
        "byte": torch.tensor([-1, 1, 2], dtype=torch.int8),
        "unsigned": torch.tensor([255, 0], dtype=torch.uint8),
        "mask": torch.tensor([True, False, True]),
        "empty": torch.zeros(0, 3),
        'näme "quoted"': torch.ones(1),
    }
    save_file(tensors, pathlib.Path(directory) / "small.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main(sys.argv[1])
