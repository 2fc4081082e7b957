package org.dtorch.rule;

import org.dtorch.placement.Layout;

/**
 * What the selector chose.
 *
 * @param inputs the layout that each input must have, null where absent; not to be changed
 * @param outputs the layout of each output; not to be changed
 */
public record Selection(Layout[] inputs, Layout[] outputs) {}
