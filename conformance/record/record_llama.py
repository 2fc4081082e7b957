"""Records the logits of the seeded Llama of examples/llama_parallel.py, computed by Hugging Face's model in PyTorch.

    python conformance/record/record_llama.py

The parameters are drawn here in the order in which examples/llama.py creates its layers, with PyTorch's own
initialisation, so that only the seed travels. Needs CPython with torch and transformers.
"""

import hashlib
import json
import platform
from pathlib import Path

import torch
import transformers
from torch import nn

SEED, BATCH, LENGTH = 0, 4, 64
CONFIG = {
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 176,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}
# Which logits are kept: these positions of every sequence, the first values of each.
POSITIONS, KEPT = (0, 1, 2, 17, 40, 63), 24


def parameters() -> dict:
    """The seeded weights by their names in a Hugging Face checkpoint."""
    hidden, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    queries = CONFIG["num_attention_heads"] * CONFIG["head_dim"]
    keys = CONFIG["num_key_value_heads"] * CONFIG["head_dim"]
    torch.manual_seed(SEED)
    state = {"model.embed_tokens.weight": nn.Embedding(CONFIG["vocab_size"], hidden).weight}
    for layer in range(CONFIG["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        state[prefix + "input_layernorm.weight"] = torch.ones(hidden)
        for name, size in [("q_proj", queries), ("k_proj", keys), ("v_proj", keys)]:
            state[f"{prefix}self_attn.{name}.weight"] = nn.Linear(hidden, size, bias=False).weight
        state[prefix + "self_attn.o_proj.weight"] = nn.Linear(queries, hidden, bias=False).weight
        state[prefix + "post_attention_layernorm.weight"] = torch.ones(hidden)
        state[prefix + "mlp.gate_proj.weight"] = nn.Linear(hidden, inner, bias=False).weight
        state[prefix + "mlp.up_proj.weight"] = nn.Linear(hidden, inner, bias=False).weight
        state[prefix + "mlp.down_proj.weight"] = nn.Linear(inner, hidden, bias=False).weight
    state["model.norm.weight"] = torch.ones(hidden)
    state["lm_head.weight"] = nn.Linear(hidden, CONFIG["vocab_size"], bias=False).weight
    return state


def tokens() -> torch.Tensor:
    """The batch of llama_parallel.example_tokens."""
    rows = [
        [(7 * row * row + 13 * column + 5) % CONFIG["vocab_size"] for column in range(LENGTH)] for row in range(BATCH)
    ]
    return torch.tensor(rows)


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    state = parameters()
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**CONFIG)).eval()
    model.load_state_dict(state)
    logits = model(tokens()).logits
    golden = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "python": platform.python_version(),
        "seed": SEED,
        "config": CONFIG,
        "shape": list(logits.shape),
        "parameters": {
            name.removeprefix("model."): {"sum": value.double().sum().item(), "first": value.flatten()[:3].tolist()}
            for name, value in state.items()
            if "norm" not in name
        },
        "positions": list(POSITIONS),
        "logits": [[logits[row, position, :KEPT].tolist() for position in POSITIONS] for row in range(BATCH)],
        "row_sums": logits.double().sum(-1).tolist(),
        "row_square_sums": logits.double().square().sum(-1).tolist(),
        "argmax": logits.argmax(-1).tolist(),
        "sha256": hashlib.sha256(logits.contiguous().numpy().tobytes()).hexdigest(),
    }
    path = Path(__file__).resolve().parent.parent / "goldens" / "llama.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    print(f"{path.name}: {path.stat().st_size // 1024} KiB, largest logit {logits.abs().max().item():.4f}")


if __name__ == "__main__":
    main()
