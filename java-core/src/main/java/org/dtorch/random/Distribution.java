package org.dtorch.random;

import org.dtorch.values.DTorchError;

/** What is drawn for each element of a tensor; the values are checked when built, with PyTorch's texts. */
public sealed interface Distribution {

    /** Reals in [from, to), as {@code uniform_}; {@code rand} is {@code Uniform(0, 1)}. */
    record Uniform(double from, double to) implements Distribution {
        public Uniform {
            if (!(from <= to)) {
                throw DTorchError.runtime(
                        "uniform_ expects to return a [from, to) range, but found from=%s > to=%s", from, to);
            }
        }
    }

    /** Reals around {@code mean}, as {@code normal_}; {@code randn} is {@code Normal(0, 1)}. */
    record Normal(double mean, double std) implements Distribution {
        public Normal {
            if (!(std >= 0)) {
                throw DTorchError.runtime("normal expects std >= 0.0, but found std %s", std);
            }
        }
    }

    /** Whole numbers in [low, high), as {@code randint}. */
    record Integers(long low, long high) implements Distribution {
        public Integers {
            if (low >= high) {
                throw DTorchError.runtime(
                        "random_ expects 'from' to be less than 'to', but got from=%d >= to=%d", low, high);
            }
        }
    }

    /** One with probability {@code p}, else zero, as {@code bernoulli_(p)}. */
    record Bernoulli(double p) implements Distribution {
        public Bernoulli {
            if (!(p >= 0 && p <= 1)) {
                throw DTorchError.runtime("bernoulli_ expects p to be in [0, 1], but got p=%s", p);
            }
        }
    }

    /** Reals with density lambda·exp(-lambda·x), as {@code exponential_(lambda)}. */
    record Exponential(double lambda) implements Distribution {
        public Exponential {
            if (!(lambda > 0)) {
                throw DTorchError.runtime("exponential_ expects lambda > 0.0, but found lambda=%s", lambda);
            }
        }
    }
}
