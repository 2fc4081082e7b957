"""The default graph's generator, as torch.random."""

from dtorch._modes import get_rng_state, initial_seed, manual_seed, seed, set_rng_state  # noqa: F401
