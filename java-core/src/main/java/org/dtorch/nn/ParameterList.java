package org.dtorch.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.dtorch.values.DTorchError;

/** A list of parameters, which are registered as 0, 1, 2, ...; it cannot be called. */
public final class ParameterList extends Module {
    public ParameterList(Parameter... parameters) {
        for (Parameter parameter : parameters) {
            add(parameter);
        }
    }

    public void add(Parameter parameter) {
        registerParameter(Integer.toString(size()), parameter);
    }

    /** The parameter at an index in [-size, size); an error of kind INDEX for one out of range. */
    public Parameter get(int index) {
        return list().get(wrap(index));
    }

    public void set(int index, Parameter parameter) {
        registerParameter(Integer.toString(wrap(index)), parameter);
    }

    public int size() {
        return ownParameters().size();
    }

    /** The parameters in order. */
    public List<Parameter> list() {
        return new ArrayList<>(ownParameters().values());
    }

    private int wrap(int index) {
        if (index < -size() || index >= size()) {
            throw DTorchError.index("index %d is out of range", index);
        }
        return index < 0 ? index + size() : index;
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        throw DTorchError.notImplemented("Module [ParameterList] is missing the required \"forward\" function");
    }

    @Override
    public String extraRepr() {
        return ownParameters().entrySet().stream()
                .map(e -> "  (%s): Parameter containing: [torch.%s of size %s]"
                        .formatted(
                                e.getKey(),
                                e.getValue().dtype().torchName(),
                                e.getValue()
                                        .shape()
                                        .toString()
                                        .replaceAll("[\\[\\] ]", "")
                                        .replace(",", "x")))
                .collect(Collectors.joining("\n"));
    }
}
