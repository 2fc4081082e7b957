"""Records a small byte-fallback tokenizer and what Hugging Face's library makes of texts with it.

python tokenizer_cases.py OUT_DIRECTORY
"""

import json
import pathlib
import sys

import tokenizers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

MERGES = ["▁ t", "h e", "▁t he", "i n", "e r", "▁ a", "▁a n", "▁an d", "o n", "▁ c", "▁c at", "a t", "s at", "r e d"]
TEXTS = [
    "", " ", "the cat and the cat sat", "  two  spaces ", "line\nbreak\ttab", "<s>the</s> end", "café naïve", "日本語 テスト",
    "emoji 😀👩‍👩‍👧 done", "nul\u0000inside", "\ufeffmark", "e\u0301 combining", "𝔘𝔫𝔦", "ﬁ ligature", "x" * 40,
    "the cat and " * 400,
]


def build():
    merges = [tuple(m.split(" ")) for m in MERGES if len(m.split(" ")) == 2]
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2}
    for byte in range(256):
        vocab[f"<0x{byte:02X}>"] = len(vocab)
    for char in "▁abcdefghijklmnopqrstuvwxyz,.é":
        vocab[char] = len(vocab)
    kept = []
    for left, right in merges:
        if left in vocab and right in vocab:
            vocab.setdefault(left + right, len(vocab))
            kept.append((left, right))
    tokenizer = Tokenizer(models.BPE(vocab, kept, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in ("<unk>", "<s>", "</s>")])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return tokenizer


def main(directory):
    folder = pathlib.Path(directory) / "tokenizer"
    folder.mkdir(exist_ok=True)
    tokenizer = build()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"bos_token": "<s>", "eos_token": {"content": "</s>"}}\n')
    cases = []
    for text in TEXTS + ["call <tool> now"]:
        ids = tokenizer.encode(text, add_special_tokens=True).ids
        cases.append({
            "text": text, "ids": ids, "ids_plain": tokenizer.encode(text, add_special_tokens=False).ids,
            "decoded": tokenizer.decode(ids, skip_special_tokens=True),
            "decoded_special": tokenizer.decode(ids, skip_special_tokens=False),
        })
    data = {"versions": {"tokenizers": tokenizers.__version__}, "vocabulary_size": tokenizer.get_vocab_size(), "cases": cases}
    (folder / "expected.json").write_text(json.dumps(data) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
