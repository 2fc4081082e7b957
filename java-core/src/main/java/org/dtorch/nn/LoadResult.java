package org.dtorch.nn;

import java.util.List;

/**
 * What did not match when a state dict was loaded.
 *
 * @param missingKeys what the module has and the state dict has not
 * @param unexpectedKeys what the state dict has and the module has not
 */
public record LoadResult(List<String> missingKeys, List<String> unexpectedKeys) {}
