"""Scaled dot-product attention on any mesh."""

from dataclasses import dataclass

from dtorch._call import bridge
from dtorch._tensor import Tensor, wrap

_attention = bridge.tensors().attention
_SAGE_TYPES = (None, "", "auto", "qk_int8_pv_fp8", "qk_int8_pv_fp16")


@dataclass
class SdpaOption:
    """The mesh dims, by name or index, that attention exchanges heads (Ulysses) and passes keys and values (ring) over."""

    ulysess_cp_dim: object = "ulysess_cp"
    ring_cp_dim: object = "ring_cp"
    sage_attn_type: str = None

    def check_valid(self):
        assert self.sage_attn_type in _SAGE_TYPES, f"sage_attn_type {self.sage_attn_type!r} is none of {_SAGE_TYPES}"


_DEFAULT = SdpaOption()


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
    sdpa_option=_DEFAULT,
):
    """softmax(query @ key.T * scale + mask) @ value for query [N, H, L, E], key and value [N, H, S, E]."""
    if sdpa_option.sage_attn_type:
        sdpa_option.check_valid()
        raise NotImplementedError(f"scaled_dot_product_attention with sage_attn_type={sdpa_option.sage_attn_type!r}")
    for name, given in (("query", query), ("key", key), ("value", value)):
        if not isinstance(given, Tensor):
            raise TypeError(
                f"scaled_dot_product_attention(): argument '{name}' must be Tensor, not {type(given).__name__}"
            )
    return wrap(
        _attention(
            query._j,
            key._j,
            value._j,
            None if attn_mask is None else attn_mask._j,
            dropout_p,
            is_causal,
            scale,
            enable_gqa,
            sdpa_option.ulysess_cp_dim,
            sdpa_option.ring_cp_dim,
        )
    )
