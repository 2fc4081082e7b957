"""CUDA devices and profiling marks."""

from dtorch.cuda import nvtx  # noqa: F401


def is_available():
    """Whether real GPUs are used; without them cuda meshes are simulated on host memory."""
    return False


def device_count():
    return 0


def synchronize(device=None):
    from dtorch.graph import Graph

    Graph.default_graph().sync()


def empty_cache():
    from dtorch.graph import Graph

    Graph.default_graph().empty_cache()
