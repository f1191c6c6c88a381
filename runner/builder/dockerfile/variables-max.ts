/** How many variables one stage may set: far more than any real stage does. Each stage copies the variables of the stage it builds on. */
export const variablesMax = 2_000;
