package org.dtorch.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/**
 * Einstein sums, written in views, sums and batched matrix products.
 *
 * <p>Operands are contracted from left to right. A label that only one operand of the rest has is summed out of it first;
 * what remains of a pair is a product over batch labels (in both and still needed), contracted labels (in both and
 * needed no more) and the labels of either side.
 */
final class Einsum {
    /** Labels of the dimensions that {@code ...} stands for count down from here. */
    private static final int ELLIPSIS = 1 << 16;

    private final Calls calls;
    private final String equation;
    private final Map<Integer, Long> sizes = new LinkedHashMap<>();

    private Einsum(Calls calls, String equation) {
        this.calls = calls;
        this.equation = equation;
    }

    /** A tensor and the label of each of its dimensions. */
    private record Term(Value value, int[] labels) {
        boolean has(int label) {
            return Arrays.stream(labels).anyMatch(l -> l == label);
        }
    }

    static Value evaluate(Calls calls, String equation, Value[] operands) {
        if (operands.length == 0) {
            throw DTorchError.runtime("einsum(): must provide at least one operand");
        }
        return new Einsum(calls, equation.replace(" ", "")).run(operands);
    }

    private Value run(Value[] operands) {
        int arrow = equation.indexOf("->");
        String[] lists = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        if (lists.length != operands.length) {
            throw DTorchError.runtime(
                    "einsum(): %s operands were provided than specified in the equation",
                    lists.length < operands.length ? "more" : "fewer");
        }
        int dotted = 0;
        for (int i = 0; i < lists.length; i++) {
            if (lists[i].contains("...")) {
                dotted = Math.max(dotted, operands[i].shape().rank() - (lists[i].length() - 3));
            }
        }
        List<Term> terms = new ArrayList<>();
        for (int i = 0; i < lists.length; i++) {
            terms.add(term(i, lists[i], operands[i]));
        }
        int[] output = arrow < 0 ? implicitOutput(lists, dotted) : labels(equation.substring(arrow + 2), dotted);
        checkOutput(output);
        Term result = terms.getFirst();
        for (int i = 1; i < terms.size(); i++) {
            List<Term> rest = terms.subList(i + 1, terms.size());
            result = contract(
                    without(result, needed(output, rest, terms.get(i))),
                    without(terms.get(i), needed(output, rest, result)),
                    needed(output, rest, null));
        }
        return arranged(without(result, output), output);
    }

    private Term term(int operand, String list, Value value) {
        int rank = value.shape().rank();
        int named = list.replace("...", "").length();
        int covered = list.contains("...") ? rank - named : 0;
        if (covered < 0 || (!list.contains("...") && named != rank)) {
            throw DTorchError.layout(
                    "einsum(): the number of subscripts in the equation (%d) does not match the number of dimensions (%d) for"
                            + " operand %d",
                    named, rank, operand);
        }
        int[] labels = labels(list, covered);
        Value result = value;
        for (int d = 0; d < labels.length; d++) {
            long size = value.shape().size(d);
            Long before = sizes.get(labels[d]);
            if (before != null && before != size && before != 1 && size != 1) {
                throw DTorchError.layout(
                        "einsum(): subscript %s has size %d for operand %d which does not broadcast with previously seen size"
                                + " %d",
                        labels[d] >= ELLIPSIS ? "..." : String.valueOf((char) labels[d]), size, operand, before);
            }
            sizes.merge(labels[d], size, Math::max);
        }
        // A label that occurs twice is a diagonal, whose dimension is the last.
        for (int d = 0; d < labels.length; d++) {
            for (int e = d + 1; e < labels.length; e++) {
                if (labels[d] == labels[e]) {
                    int label = labels[d];
                    result = calls.call(ViewOps.DIAGONAL, result, 0L, (long) d, (long) e);
                    int[] fewer = new int[labels.length - 1];
                    int n = 0;
                    for (int i = 0; i < labels.length; i++) {
                        if (i != d && i != e) {
                            fewer[n++] = labels[i];
                        }
                    }
                    fewer[n] = label;
                    labels = fewer;
                    d = -1;
                    break;
                }
            }
        }
        return new Term(result, labels);
    }

    /** The labels of a list in which {@code ...} covers that many dimensions, aligned at the right. */
    private int[] labels(String list, int covered) {
        List<Integer> labels = new ArrayList<>();
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            if (list.startsWith("...", i)) {
                for (int d = covered; d > 0; d--) {
                    labels.add(ELLIPSIS + d);
                }
                i += 2;
            } else if (Character.isLetter(c)) {
                labels.add((int) c);
            } else {
                throw DTorchError.runtime(
                        "einsum(): invalid subscript given at index %d in the equation string, subscripts must be in [a-zA-Z]",
                        i);
            }
        }
        return labels.stream().mapToInt(l -> l).toArray();
    }

    /** Dimensions of the ellipsis, then the labels that occur once, in the order of the alphabet. */
    private int[] implicitOutput(String[] lists, int dotted) {
        Map<Character, Integer> count = new java.util.TreeMap<>();
        for (String list : lists) {
            for (char c : list.replace("...", "").toCharArray()) {
                count.merge(c, 1, Integer::sum);
            }
        }
        List<Integer> output = new ArrayList<>();
        for (int d = dotted; d > 0; d--) {
            output.add(ELLIPSIS + d);
        }
        count.forEach((c, n) -> {
            if (n == 1) {
                output.add((int) c);
            }
        });
        return output.stream().mapToInt(l -> l).toArray();
    }

    private void checkOutput(int[] output) {
        for (int i = 0; i < output.length; i++) {
            if (!sizes.containsKey(output[i])) {
                throw DTorchError.runtime(
                        "einsum(): output subscript %s does not appear in the equation for any input operand",
                        (char) output[i]);
            }
            for (int j = 0; j < i; j++) {
                if (output[i] == output[j]) {
                    throw DTorchError.runtime(
                            "einsum(): output subscript %s appears more than once in the output", (char) output[i]);
                }
            }
        }
    }

    /** The labels that are still needed: those of the output, of the rest, and of one more term. */
    private static int[] needed(int[] output, List<Term> rest, Term other) {
        var all = Arrays.stream(output);
        for (Term term : rest) {
            all = java.util.stream.IntStream.concat(all, Arrays.stream(term.labels));
        }
        if (other != null) {
            all = java.util.stream.IntStream.concat(all, Arrays.stream(other.labels));
        }
        return all.distinct().toArray();
    }

    /** The term with all labels summed out that are not among {@code kept}. */
    private Term without(Term term, int[] kept) {
        List<Long> dims = new ArrayList<>();
        List<Integer> labels = new ArrayList<>();
        for (int d = 0; d < term.labels.length; d++) {
            int label = term.labels[d];
            if (Arrays.stream(kept).anyMatch(l -> l == label)) {
                labels.add(label);
            } else {
                dims.add((long) d);
            }
        }
        if (dims.isEmpty()) {
            return term;
        }
        long[] list = dims.stream().mapToLong(l -> l).toArray();
        Value sum = calls.call(ReductionOps.SUM, term.value, list, false, term.value.dtype());
        return new Term(sum, labels.stream().mapToInt(l -> l).toArray());
    }

    private Term contract(Term a, Term b, int[] needed) {
        List<Integer> batch = new ArrayList<>();
        List<Integer> inner = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        List<Integer> right = new ArrayList<>();
        for (int label : a.labels) {
            boolean later = Arrays.stream(needed).anyMatch(l -> l == label);
            (b.has(label) ? later ? batch : inner : left).add(label);
        }
        for (int label : b.labels) {
            if (!a.has(label)) {
                right.add(label);
            }
        }
        // A batch label with size 1 on one side is broadcast; a contracted one is summed on the other side alone.
        Value x = grouped(a, batch, left, inner);
        Value y = grouped(b, batch, inner, right);
        Value product = inner.isEmpty() ? calls.call(PointwiseOps.MUL, x, y) : ContractionOps.matmul(calls, x, y);
        List<Integer> order = new ArrayList<>(batch);
        order.addAll(left);
        order.addAll(right);
        int[] labels = order.stream().mapToInt(l -> l).toArray();
        long[] shape = Arrays.stream(labels).mapToLong(sizes::get).toArray();
        return new Term(reshaped(product, shape), labels);
    }

    /** The term as [batch..., first joined, second joined]. */
    private Value grouped(Term term, List<Integer> batch, List<Integer> first, List<Integer> second) {
        List<Integer> order = new ArrayList<>(batch);
        order.addAll(first);
        order.addAll(second);
        int[] labels = order.stream().mapToInt(l -> l).toArray();
        Value x = arranged(term, labels);
        long[] shape = new long[batch.size() + 2];
        for (int i = 0; i < batch.size(); i++) {
            shape[i] = x.shape().size(i);
        }
        boolean broadcasts = false;
        for (int i = batch.size(); i < labels.length; i++) {
            broadcasts |= x.shape().size(i) != sizes.get(labels[i]);
        }
        if (broadcasts) {
            long[] full = Arrays.copyOf(shape, labels.length);
            for (int i = batch.size(); i < labels.length; i++) {
                full[i] = sizes.get(labels[i]);
            }
            x = calls.call(ViewOps.EXPAND, x, full);
        }
        shape[batch.size()] = product(first);
        shape[batch.size() + 1] = product(second);
        return reshaped(x, shape);
    }

    private long product(List<Integer> labels) {
        long product = 1;
        for (int label : labels) {
            product *= sizes.get(label);
        }
        return product;
    }

    private Value reshaped(Value x, long[] shape) {
        return x.shape().equals(Shape.of(shape)) ? x : calls.call(ViewOps.RESHAPE, x, shape);
    }

    /** The term's dimensions in the order of {@code labels}, all of which it has. */
    private Value arranged(Term term, int[] labels) {
        long[] dims = new long[labels.length];
        boolean inOrder = true;
        for (int i = 0; i < labels.length; i++) {
            for (int d = 0; d < term.labels.length; d++) {
                if (term.labels[d] == labels[i]) {
                    dims[i] = d;
                }
            }
            inOrder &= dims[i] == i;
        }
        return inOrder ? term.value : calls.call(ViewOps.PERMUTE, term.value, dims);
    }
}
