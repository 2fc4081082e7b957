package org.dtorch.redistribute;

/** The plain reference that plans are held against. */
public final class GreedyPlan {
    private GreedyPlan() {}

    /** What going mesh dimension by mesh dimension would cost instead of {@code plan}, in microseconds. */
    public static double micros(Plan plan, CostModel costs) {
        return new Plan(
                        plan.from(),
                        plan.to(),
                        plan.shape(),
                        plan.dtype(),
                        GreedyPlanner.plan(plan.from(), plan.to(), plan.dtype()),
                        costs)
                .micros();
    }
}
