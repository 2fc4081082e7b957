"""Continues prompts with a Llama from a Hugging Face folder, on any mesh.

    ./dtorch run examples/generate.py --weights DIR --prompt "Once upon a time" --mesh tp=2,pp=2

Several --prompt form one batch. Greedy unless --temperature is given.
"""

import argparse
import json
import math
import os
import random
import sys

import dtorch
from dtorch.tokenizer import Tokenizer
from llama import Llama, mesh_from_text


def encode(tokenizer: Tokenizer, text: str, bos: int) -> list:
    """Token ids that start with bos, whether or not the tokenizer adds it."""
    ids = tokenizer.encode(text)
    return ids if ids[:1] == [bos] else [bos] + ids


def pick(logits: list, temperature: float, top_p: float, rng: random.Random) -> int:
    """Draws a token from one row of logits; temperature 0 takes the largest."""
    if temperature == 0:
        return max(range(len(logits)), key=logits.__getitem__)
    largest = max(logits)
    weights = [math.exp((x - largest) / temperature) for x in logits]
    order = sorted(range(len(weights)), key=weights.__getitem__, reverse=True)
    # The nucleus: the fewest most likely tokens that hold top_p of the mass.
    room, nucleus = top_p * sum(weights), []
    for token in order:
        nucleus.append(token)
        room -= weights[token]
        if room <= 0:
            break
    return rng.choices(nucleus, [weights[token] for token in nucleus])[0]


@dtorch.no_grad()
def generate(model: Llama, prompts: list, lengths: list, stop: set, choose) -> list:
    """Token ids of every prompt and its continuation, up to lengths[i] in all or the first token in stop.

    The batch runs in step: the shortest prompt goes in as a whole, then one token at a time, and a longer prompt
    supplies its own next token instead of the chosen one. So no row needs padding or a mask.
    """
    rows = [list(prompt) for prompt in prompts]
    done = [len(row) >= length for row, length in zip(rows, lengths)]
    shortest = min(len(row) for row in rows)
    cache = model.new_cache(max(lengths))
    start, end = 0, shortest
    while not all(done):
        step = [row[start:end] if end <= len(row) else [row[-1]] * (end - start) for row in rows]
        logits = model(dtorch.tensor(step, dtype=dtorch.int64), start=start, cache=cache)
        last = logits[:, -1].tolist()
        for i, row in enumerate(rows):
            if done[i] or len(row) > end:
                continue
            token = choose(last[i])
            row.append(token)
            done[i] = token in stop or len(row) >= lengths[i]
        start, end = end, end + 1
    return rows


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, metavar="DIR", help="config.json, tokenizer.json, *.safetensors")
    parser.add_argument("--prompt", action="append", metavar="TEXT", help="may be repeated: one batch")
    parser.add_argument("--mesh", default="", help="e.g. dp=2,tp=2,pp=2,ulysess_cp=2,ring_cp=2; default one device")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="device kind of the mesh")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="new tokens per prompt (default 100)")
    parser.add_argument("--max-length", type=int, metavar="N", help="tokens in all per prompt, bos and prompt included")
    parser.add_argument("--temperature", type=float, default=0.0, help="0 is greedy (the default)")
    parser.add_argument("--top-p", type=float, default=1.0, help="draw from the most likely tokens of this total")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object per prompt: prompt, ids, text")
    args = parser.parse_args(argv)
    if args.temperature < 0:
        parser.error(f"--temperature {args.temperature}: must not be negative")
    if not 0 < args.top_p <= 1:
        parser.error(f"--top-p {args.top_p}: must be in (0, 1]")
    if args.max_tokens is not None and args.max_length is not None:
        parser.error("--max-tokens and --max-length exclude each other")

    mesh = mesh_from_text(args.mesh, args.device)
    tokenizer = Tokenizer.from_file(os.path.join(args.weights, "tokenizer.json"))
    model = Llama.from_pretrained(args.weights, mesh)
    model.eval()
    config = model.config
    texts = args.prompt or [""]
    prompts = [encode(tokenizer, text, config.bos_token_id) for text in texts]
    limit = config.max_position_embeddings
    for text, ids in zip(texts, prompts):
        if len(ids) > limit:
            parser.error(f"prompt {text[:40]!r} has {len(ids)} tokens, max_position_embeddings is {limit}")
    new_tokens = 100 if args.max_tokens is None else args.max_tokens
    lengths = [min(limit, len(ids) + new_tokens if args.max_length is None else args.max_length) for ids in prompts]

    rng = random.Random(args.seed)
    rows = generate(
        model,
        prompts,
        lengths,
        {config.bos_token_id, config.eos_token_id},
        lambda logits: pick(logits, args.temperature, args.top_p, rng),
    )
    for text, row in zip(texts, rows):
        spoken = [token for token in row if token not in (config.bos_token_id, config.eos_token_id)]
        result = tokenizer.decode(spoken)
        print(json.dumps({"prompt": text, "ids": row, "text": result}) if args.json else result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
