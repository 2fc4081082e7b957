package org.dtorch.nn;

import java.util.List;

/**
 * What loading one module without its children gave.
 *
 * @param errors what could not be copied, in PyTorch's words
 */
public record OwnLoadResult(List<String> missingKeys, List<String> unexpectedKeys, List<String> errors) {}
