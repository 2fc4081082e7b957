"""Tokenizers as Hugging Face's tokenizer.json defines them."""

from dtorch._call import bridge, longs

_f = bridge.files()


class Tokenizer:
    """Text to token ids and back."""

    __slots__ = ("_j",)

    @staticmethod
    def from_file(path):
        """Reads a tokenizer.json, or the one of a folder."""
        made = object.__new__(Tokenizer)
        made._j = _f.tokenizer(str(path))
        return made

    def encode(self, text, add_special_tokens=True):
        return list(_f.encode(self._j, text, add_special_tokens))

    def decode(self, ids, skip_special_tokens=True):
        if hasattr(ids, "tolist"):
            ids = ids.tolist()
        return _f.decode(self._j, longs(*ids), skip_special_tokens)

    @property
    def vocab_size(self):
        return _f.vocabularySize(self._j)

    @property
    def bos_token_id(self):
        return self._boundary(0)

    @property
    def eos_token_id(self):
        return self._boundary(1)

    def _boundary(self, which):
        token = _f.boundaries(self._j)[which]
        return None if token < 0 else token
