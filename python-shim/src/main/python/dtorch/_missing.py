"""Names of the documented surface that are not there yet: calling one raises NotImplementedError with its name."""

FUNCTIONS = (
    "conv2d", "batch_norm", "interpolate", "pad", "apply_rotary_emb", "from_numpy", "autocast", "enable_grad", "vmap",
    "save", "load", "compile", "bincount", "histc", "cdist", "fft", "stft", "nonzero_static", "unique", "searchsorted",
    "bucketize", "isin", "kron", "meshgrid", "cross", "cov", "corrcoef", "multinomial", "bernoulli", "poisson", "normal",
)  # fmt: skip
METHODS = (
    "backward", "register_hook", "retain_grad", "stride", "storage_offset", "untyped_storage", "data_ptr",
    "register_post_accumulate_grad_hook", "exponential_", "geometric_", "log_normal_", "cauchy_", "random_",
    "to_local", "unfold", "as_strided", "multinomial", "bernoulli", "bernoulli_", "unique", "share_memory_", "pin_memory", "to_sparse",
)  # fmt: skip
FUNCTIONAL = (
    "conv1d", "conv2d", "conv3d", "conv_transpose2d", "batch_norm", "instance_norm", "interpolate", "pad", "max_pool2d",
    "avg_pool2d", "adaptive_avg_pool2d", "unfold", "fold", "grid_sample", "cross_entropy", "nll_loss", "mse_loss",
    "l1_loss", "smooth_l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "one_hot",
    "normalize", "cosine_similarity", "pixel_shuffle", "_pooling2d", "_global_pooling2d", "_silu_linear_chunk",
    "_layer_norm_mul_add", "_apply_rotary_emb",
)  # fmt: skip
CLASSES = ("MainNode", "GlobalOption")


def missing_function(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"{name} is not implemented")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Not implemented."
    return function
