"""Llama as ordinary dtorch user code: one model definition for any mesh.

The code below is the model of a single device. What makes it parallel is named dimensions of the mesh:

    dp           the batch is split            tokens Shard(0)
    tp           heads and hidden features     Column/RowParallelLinear, EmbeddingWithReplicateOutput
    pp           layers, stage by stage        device_mesh.unbind("pp"), device_mesh_guard, redistribute
    ulysess_cp   the sequence, attention exchanges heads (all-to-all)
    ring_cp      the sequence, attention passes keys and values around a ring

A mesh may have any subset of them in any order. All shapes below are global: N batch, L tokens, H heads, E head size.
"""

from dataclasses import dataclass, fields

import dtorch
import dtorch.nn.functional as F
from dtorch import (
    DeviceMesh,
    Graph,
    Replicate,
    SdpaOption,
    Shard,
    assign_layers_to_stages,
    init_device_mesh,
    nn,
)
from dtorch.checkpoint import load_config, load_state_dict

MESH_DIMS = ("dp", "tp", "pp", "ulysess_cp", "ring_cp")
# Where the activations live: the batch over dp, the sequence over both context dimensions, whole on every other one.
ACTIVATION_PLACEMENTS = {"dp": Shard(0), "ulysess_cp": Shard(1), "ring_cp": Shard(1)}
WHOLE_SEQUENCE = {"ulysess_cp": Replicate(), "ring_cp": Replicate()}
NO_CONTEXT_PARALLEL = SdpaOption(ulysess_cp_dim=None, ring_cp_dim=None)


@dataclass
class LlamaConfig:
    """The fields of a Hugging Face config.json that decide the computation."""

    vocab_size: int = 512
    hidden_size: int = 64
    intermediate_size: int = 176
    num_hidden_layers: int = 4
    num_attention_heads: int = 8
    num_key_value_heads: int = 4
    head_dim: int = None
    max_position_embeddings: int = 512
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    tie_word_embeddings: bool = False
    bos_token_id: int = 1
    eos_token_id: int = 2

    def __post_init__(self):
        if self.head_dim is None:
            self.head_dim = self.hidden_size // self.num_attention_heads

    @staticmethod
    def from_dict(values: dict) -> "LlamaConfig":
        known = {field.name for field in fields(LlamaConfig)}
        return LlamaConfig(**{name: value for name, value in values.items() if name in known})


def mesh_from_text(text: str, device_type: str = "cpu") -> DeviceMesh:
    """Turns "dp=2,tp=4" into a mesh of eight devices with two named dimensions; an empty text is one device."""
    if not text:
        return DeviceMesh(device_type)
    names, sizes = [], []
    for part in text.split(","):
        name, equals, size = part.strip().partition("=")
        if name not in MESH_DIMS or not equals or not size.isdigit() or int(size) < 1:
            raise ValueError(f"mesh {text!r}: {part!r} is not NAME=SIZE with a name out of {', '.join(MESH_DIMS)}")
        names.append(name)
        sizes.append(int(size))
    return init_device_mesh(device_type, tuple(sizes), mesh_dim_names=names)


def mesh_dim_size(device_mesh: DeviceMesh, name: str) -> int:
    """The number of devices along a named mesh dimension, 1 where the mesh does not have it."""
    index = device_mesh.dim_name_index(name)
    return 1 if index is None else device_mesh.shape[index]


def check_heads(config: LlamaConfig, device_mesh: DeviceMesh):
    """Heads are what tp splits, so both kinds must divide; attention would fail later with a less helpful message."""
    tp = mesh_dim_size(device_mesh, "tp")
    for field in ("num_attention_heads", "num_key_value_heads"):
        heads = getattr(config, field)
        if heads % tp != 0:
            raise ValueError(
                f"cannot build Llama: {field}={heads} heads cannot be split over tp={tp} devices of {device_mesh}; "
                f"tp must divide {heads}"
            )


class RotaryEmbedding(nn.Module):
    """Cosines and sines of every position, [max_position_embeddings, E], in the half-split order of Hugging Face."""

    def __init__(self, config: LlamaConfig):
        super().__init__()
        exponents = dtorch.arange(0, config.head_dim, 2, dtype=dtorch.float32) / config.head_dim
        frequencies = (config.rope_theta**exponents).reciprocal()
        positions = dtorch.arange(0, config.max_position_embeddings, dtype=dtorch.float32)
        angles = dtorch.outer(positions, frequencies)
        angles = dtorch.cat([angles, angles], dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, start: int, length: int):
        return self.cos[start : start + length], self.sin[start : start + length]


def apply_rotary(x: dtorch.Tensor, cos: dtorch.Tensor, sin: dtorch.Tensor) -> dtorch.Tensor:
    """Rotates the pairs (x[i], x[i + E/2]) of x [N, H, L, E]."""
    half = x.shape[-1] // 2
    rotated = dtorch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos + rotated * sin


class KeyValueCache:
    """Keys and values of one layer, [N, H, max_length, E], sharded like the heads; whole along the sequence."""

    def __init__(self, max_length: int):
        self.max_length = max_length
        self.keys = None
        self.values = None

    def append(self, keys: dtorch.Tensor, values: dtorch.Tensor, start: int):
        """Stores keys and values [N, H, L, E] at position start and returns everything up to the last of them."""
        keys = keys.redistribute_by_dict(placements_dict=WHOLE_SEQUENCE, default_placement_mode="keep")
        values = values.redistribute_by_dict(placements_dict=WHOLE_SEQUENCE, default_placement_mode="keep")
        if self.keys is None:
            self.keys = self._room_for(keys)
            self.values = self._room_for(values)
        end = start + keys.shape[2]
        self.keys[:, :, start:end] = keys
        self.values[:, :, start:end] = values
        return self.keys[:, :, :end], self.values[:, :, :end]

    def _room_for(self, x: dtorch.Tensor) -> dtorch.Tensor:
        n, h, _, e = x.shape
        shape = (n, h, self.max_length, e)
        return dtorch.zeros(shape, dtype=x.dtype, device_mesh=x.device_mesh, placements=x.placements)


class Attention(nn.Module):
    """Grouped-query attention with rotary positions."""

    def __init__(self, config: LlamaConfig):
        super().__init__()
        self.head_dim = config.head_dim
        self.num_heads = config.num_attention_heads
        self.num_kv_heads = config.num_key_value_heads
        self.wq = nn.ColumnParallelLinear(config.hidden_size, self.num_heads * self.head_dim, bias=False)
        self.wk = nn.ColumnParallelLinear(config.hidden_size, self.num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.ColumnParallelLinear(config.hidden_size, self.num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.RowParallelLinearWithReplicateOutput(
            self.num_heads * self.head_dim, config.hidden_size, bias=False
        )

    def forward(self, x, cos, sin, start=0, cache=None):
        n, length, _ = x.shape
        q = self.wq(x).view(n, length, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(n, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(n, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        q = apply_rotary(q, cos, sin)
        k = apply_rotary(k, cos, sin)
        if cache is not None:
            cached_k, cached_v = cache.append(k, v, start)
            if start > 0:
                k, v = cached_k, cached_v
        # A single token sees all keys there are and has no sequence that could be split.
        out = F.scaled_dot_product_attention(
            q,
            k,
            v,
            is_causal=length > 1,
            enable_gqa=self.num_kv_heads != self.num_heads,
            sdpa_option=SdpaOption() if length > 1 else NO_CONTEXT_PARALLEL,
        )
        return self.wo(out.transpose(1, 2).reshape(n, length, self.num_heads * self.head_dim))


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, config: LlamaConfig):
        super().__init__()
        self.w1 = nn.ColumnParallelLinear(config.hidden_size, config.intermediate_size, bias=False)
        self.w3 = nn.ColumnParallelLinear(config.hidden_size, config.intermediate_size, bias=False)
        self.w2 = nn.RowParallelLinearWithReplicateOutput(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class TransformerBlock(nn.Module):
    def __init__(self, config: LlamaConfig):
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.attention = Attention(config)
        self.ffn_norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.feed_forward = FeedForward(config)

    def forward(self, x, cos, sin, start=0, cache=None):
        x = x + self.attention(self.attention_norm(x), cos, sin, start, cache)
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    """Token ids [N, L] on any mesh to logits [N, L, vocab_size] on the same mesh with the same placements."""

    def __init__(self, config: LlamaConfig, device_mesh: DeviceMesh):
        super().__init__()
        check_heads(config, device_mesh)
        self.config = config

        # 1. One mesh per pipeline stage, and the stage of every layer.
        self.stage_meshes = device_mesh.unbind("pp")
        self.layer_stage_ids = assign_layers_to_stages(config.num_hidden_layers, len(self.stage_meshes))
        graph = Graph.default_graph()

        # 2. Every module is built on the devices of its stage.
        with graph.device_mesh_guard(self.stage_meshes[0]):
            self.tok_embeddings = nn.EmbeddingWithReplicateOutput(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList()
        for stage_id in self.layer_stage_ids:
            with graph.device_mesh_guard(self.stage_meshes[stage_id]):
                self.layers.append(TransformerBlock(config))
        with graph.device_mesh_guard(self.stage_meshes[-1]):
            self.norm = nn.RMSNorm(config.hidden_size, eps=config.rms_norm_eps)
            self.output = nn.ColumnParallelLinearWithReplicateOutput(config.hidden_size, config.vocab_size, bias=False)
        self.rotary = nn.ModuleList()
        for stage_mesh in self.stage_meshes:
            with graph.device_mesh_guard(stage_mesh):
                self.rotary.append(RotaryEmbedding(config))
        if config.tie_word_embeddings:
            self.output.weight.copy_(self.tok_embeddings.weight)

    @staticmethod
    def from_pretrained(folder: str, device_mesh: DeviceMesh) -> "Llama":
        """Loads a Hugging Face folder: config.json and safetensors. Each device reads only its own shards."""
        config = LlamaConfig.from_dict(load_config(folder))
        model = Llama(config, device_mesh)
        state = {our_name(name): tensor for name, tensor in load_state_dict(folder).items()}
        if config.tie_word_embeddings:
            state["output.weight"] = state["tok_embeddings.weight"]
        model.load_state_dict(state)
        return model

    def new_cache(self, max_length: int):
        """An empty cache for one batch of sequences of at most max_length tokens."""
        limit = self.config.max_position_embeddings
        if max_length > limit:
            raise ValueError(f"a cache of {max_length} tokens exceeds max_position_embeddings={limit}")
        return [KeyValueCache(max_length) for _ in self.layers]

    def redistribute_input(self, tokens, start=0, cache=None):
        # Remember how the caller holds the batch; the model wants it on the first stage.
        self.caller_mesh, self.caller_placements = tokens.device_mesh, tokens.placements
        tokens = tokens.redistribute_by_dict(
            self.stage_meshes[0], ACTIVATION_PLACEMENTS, default_placement_mode="replicate"
        )
        return [tokens], {"start": start, "cache": cache}

    def redistribute_output(self, logits):
        return logits.redistribute(self.caller_mesh, self.caller_placements)

    def forward(self, tokens, start=0, cache=None):
        length = tokens.shape[1]
        if start > 0 and length > 1:
            raise ValueError(f"after the prompt the cache takes one token at a time, not {length}")
        if start + length > self.config.max_position_embeddings:
            limit = self.config.max_position_embeddings
            raise ValueError(f"position {start + length} exceeds max_position_embeddings={limit}")
        positions = [rotary(start, length) for rotary in self.rotary]
        h = self.tok_embeddings(tokens)
        for layer_id, layer in enumerate(self.layers):
            stage_id = self.layer_stage_ids[layer_id]
            h = h.redistribute(device_mesh=self.stage_meshes[stage_id])  # moves only where the stage changes
            cos, sin = positions[stage_id]
            h = layer(h, cos, sin, start, None if cache is None else cache[layer_id])
        return self.output(self.norm(h)).float()


HUGGING_FACE_NAMES = {
    "model.": "",
    "embed_tokens": "tok_embeddings",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn": "attention",
    "q_proj": "wq",
    "k_proj": "wk",
    "v_proj": "wv",
    "o_proj": "wo",
    "mlp": "feed_forward",
    "gate_proj": "w1",
    "down_proj": "w2",
    "up_proj": "w3",
    "lm_head": "output",
}


def our_name(name: str) -> str:
    """Turns model.layers.0.self_attn.q_proj.weight into layers.0.attention.wq.weight."""
    for theirs, ours in HUGGING_FACE_NAMES.items():
        name = name.replace(theirs, ours)
    return name
