"""Timing that waits for the devices."""

import statistics
import time


class Measurement:
    """Times of one statement in seconds."""

    def __init__(self, times, calls):
        self.times, self.number_per_run = times, calls

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def mean(self):
        return statistics.fmean(self.times)

    def __repr__(self):
        return f"Measurement(median={self.median * 1e6:.2f} us, {len(self.times)} runs of {self.number_per_run} calls)"


class Timer:
    """Times a statement or a callable, as torch.utils.benchmark.Timer."""

    def __init__(self, stmt="pass", setup="pass", globals=None):
        self._scope = dict(globals or {})
        if callable(stmt):
            self._call = stmt
        else:
            exec(setup, self._scope)
            code = compile(stmt, "<benchmark>", "exec")
            self._call = lambda: exec(code, self._scope)

    def timeit(self, number=1000000):
        return Measurement([self._run(number)], number)

    def blocked_autorange(self, min_run_time=0.2):
        calls = 1
        while self._run(calls) * calls < 0.01 and calls < 1_000_000:
            calls *= 10
        times, spent = [], 0.0
        while spent < min_run_time or len(times) < 3:
            times.append(self._run(calls))
            spent += times[-1] * calls
        return Measurement(times, calls)

    def _run(self, calls):
        from dtorch.graph import Graph

        graph = Graph.default_graph()
        graph.sync()
        begin = time.perf_counter()
        for _ in range(calls):
            self._call()
        graph.sync()
        return (time.perf_counter() - begin) / calls


def benchmark(function, *args, warmup=3, repeats=10, **kwargs):
    """The median time of function(*args, **kwargs) in seconds."""
    timer = Timer(lambda: function(*args, **kwargs))
    timer._run(warmup)
    return Measurement([timer._run(1) for _ in range(repeats)], 1)
