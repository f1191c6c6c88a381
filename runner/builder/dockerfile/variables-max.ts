/** Variables that one stage may set. Far above real ones; each stage gets a copy of those of the stage before. */
export const variablesMax = 2_000;
