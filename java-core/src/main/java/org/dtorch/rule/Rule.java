package org.dtorch.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;

/**
 * Which placements an operator can compute with, stated for one mesh dimension.
 *
 * <p>Every dimension of every operand carries a <em>letter</em>, as in an einsum equation; a dimension with letter
 * {@link #WHOLE} must not be cut. A letter that all operands which have it are sharded on is a legal combination: the
 * operands without it are replicated, and an output without it is a partial result that {@link #contracted} joins. Beside
 * the letters a rule names the sets of inputs in which the operator is linear: if exactly those are partial sums, the
 * output is one too. Everything replicated is always legal.
 *
 * <p>Source of the form: the single-dimension strategies of PyTorch's DTensor.
 *
 * @param inputs letters of each tensor input, null where an optional one is absent
 * @param outputs letters of each output
 * @param contracted how partial outputs are joined for a letter that an output lacks; null if such a letter cannot be cut
 * @param addends inputs that are added to the output, so that they are partial where the output is
 * @param linear sets of input indices in which the operator is jointly linear
 * @param linearOps the reduce ops that pass through the linear inputs
 * @param onlyPresent whether a letter may be cut only on a mesh dimension that cuts it in some input already, because the
 *     letters were chosen for the sizes of the present shards
 */
public record Rule(
        int[][] inputs,
        int[][] outputs,
        ReduceOp contracted,
        Set<Integer> addends,
        List<Set<Integer>> linear,
        Set<ReduceOp> linearOps,
        boolean onlyPresent) {

    /** The letter of a dimension that every device needs whole. */
    public static final int WHOLE = 0;

    /** The reduce ops that commute with every linear map. */
    public static final Set<ReduceOp> SUMS = EnumSet.of(ReduceOp.SUM, ReduceOp.AVG);

    /** The reduce ops that pass through an operator which only moves elements. */
    public static final Set<ReduceOp> ALL = EnumSet.allOf(ReduceOp.class);

    /** A rule of letters alone. */
    public static Rule letters(int[][] inputs, int[][] outputs) {
        return new Rule(inputs, outputs, null, Set.of(), List.of(), SUMS, false);
    }

    public Rule contracting(ReduceOp op) {
        return new Rule(inputs, outputs, op, addends, linear, linearOps, onlyPresent);
    }

    public Rule adding(Integer... inputIndices) {
        return new Rule(inputs, outputs, contracted, Set.of(inputIndices), linear, linearOps, onlyPresent);
    }

    public Rule linearIn(List<Set<Integer>> sets, Set<ReduceOp> ops) {
        return new Rule(inputs, outputs, contracted, addends, sets, ops, onlyPresent);
    }

    /** This rule for letters that are legal only where they are cut now. */
    public Rule whereCutNow() {
        return new Rule(inputs, outputs, contracted, addends, linear, linearOps, true);
    }

    /**
     * All legal combinations on one mesh dimension, replicated first.
     *
     * @param current the placements that the inputs have on this mesh dimension, null where absent; partial strategies are
     *     listed only for reduce ops that occur among them
     */
    public List<Strategy> strategies(Placement[] current) {
        List<Strategy> result = new ArrayList<>();
        result.add(uniform());
        for (int letter : lettersInUse()) {
            Strategy cut = onlyPresent && !isCut(letter, current) ? null : cut(letter);
            if (cut != null) {
                result.add(cut);
            }
        }
        for (ReduceOp op : linearOps) {
            Placement partial = Placement.partial(op);
            if (Arrays.asList(current).contains(partial)) {
                for (Set<Integer> set : linear) {
                    result.add(partial(set, partial));
                }
            }
        }
        return result;
    }

    private boolean isCut(int letter, Placement[] current) {
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] != null && current[i] != null) {
                int dim = indexOf(inputs[i], letter);
                if (dim >= 0 && current[i].isShard(dim)) {
                    return true;
                }
            }
        }
        return false;
    }

    private Strategy uniform() {
        Placement[] in = new Placement[inputs.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = inputs[i] == null ? null : Placement.replicate();
        }
        Placement[] out = new Placement[outputs.length];
        Arrays.fill(out, Placement.replicate());
        return new Strategy(in, out);
    }

    private Set<Integer> lettersInUse() {
        Set<Integer> letters = new TreeSet<>();
        for (int[] operand : inputs) {
            if (operand != null) {
                Arrays.stream(operand).filter(l -> l != WHOLE).forEach(letters::add);
            }
        }
        for (int[] operand : outputs) {
            Arrays.stream(operand).filter(l -> l != WHOLE).forEach(letters::add);
        }
        return letters;
    }

    private Strategy cut(int letter) {
        Placement[] out = new Placement[outputs.length];
        boolean joins = false;
        for (int o = 0; o < out.length; o++) {
            int dim = indexOf(outputs[o], letter);
            if (dim < 0 && contracted == null) {
                return null;
            }
            joins |= dim < 0;
            out[o] = dim < 0 ? Placement.partial(contracted) : Placement.shard(dim);
        }
        Placement[] in = new Placement[inputs.length];
        for (int i = 0; i < in.length; i++) {
            if (inputs[i] != null) {
                int dim = indexOf(inputs[i], letter);
                boolean added = dim < 0 && joins && addends.contains(i);
                in[i] = added ? Placement.partial(contracted) : dim < 0 ? Placement.replicate() : Placement.shard(dim);
            }
        }
        return new Strategy(in, out);
    }

    private Strategy partial(Set<Integer> set, Placement partial) {
        Placement[] in = new Placement[inputs.length];
        for (int i = 0; i < in.length; i++) {
            if (inputs[i] != null) {
                in[i] = set.contains(i) ? partial : Placement.replicate();
            }
        }
        Placement[] out = new Placement[outputs.length];
        Arrays.fill(out, partial);
        return new Strategy(in, out);
    }

    private static int indexOf(int[] letters, int letter) {
        for (int d = 0; d < letters.length; d++) {
            if (letters[d] == letter) {
                return d;
            }
        }
        return -1;
    }

    /** Whether an input may be a partial sum at all. */
    public boolean acceptsPartial() {
        return !linear.isEmpty();
    }

    /** Fresh letters 1..rank for an operand that can be cut anywhere. */
    public static int[] fresh(int rank) {
        int[] letters = new int[rank];
        for (int d = 0; d < rank; d++) {
            letters[d] = d + 1;
        }
        return letters;
    }

    /** {@code letters} with those of {@code dims} replaced by {@link #WHOLE}. */
    public static int[] whole(int[] letters, int... dims) {
        int[] copy = letters.clone();
        for (int dim : dims) {
            if (copy.length > 0) {
                copy[dim] = WHOLE;
            }
        }
        return copy;
    }

    /** A rule is compared by what it says. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Rule that
                && Arrays.deepEquals(inputs, that.inputs)
                && Arrays.deepEquals(outputs, that.outputs)
                && contracted == that.contracted
                && addends.equals(that.addends)
                && linear.equals(that.linear)
                && linearOps.equals(that.linearOps)
                && onlyPresent == that.onlyPresent;
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(inputs) * 31 + Arrays.deepHashCode(outputs);
    }
}
