/** How long a deployment waits for the code and the images of others. */
export interface DeployLimits {
  /** From the start of a release step to its end. */
  releaseTimeoutMs: number;
  /** From the start of a new version to its first good answer. */
  healthTimeoutMs: number;
  /** From the start of a database to its first answer to a query. */
  databaseTimeoutMs: number;
}

export const deployLimits: DeployLimits = {
  // A migration may take minutes; one that waits for a lock for ever must not hold up the service's deployments for ever.
  releaseTimeoutMs: 10 * 60_000,
  healthTimeoutMs: 60_000,
  // A first start makes the data files; a start after a crash reads the log of changes again.
  databaseTimeoutMs: 180_000,
};
