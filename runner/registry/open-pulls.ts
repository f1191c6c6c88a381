/** The names under which pulls are open. Separate from the endpoint itself, whose server only a job needs in memory. */

/** The names of all pulls of one runner begin with this, after the port. */
export const pullsPath = (instance: string) => `longshore-pulls/${instance.toLowerCase()}`;

/** Repositories of this process's open endpoints. */
export const openPulls = new Set<string>();
