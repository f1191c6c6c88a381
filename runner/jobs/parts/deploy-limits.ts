/** Time limits of the deployment steps that depend on the user's code or image. */
export interface DeployLimits {
  /** From the start of a release step to its end. */
  releaseTimeoutMs: number;
  /** From the start of a new version to its first good answer. */
  healthTimeoutMs: number;
  /** From the start of a database to its first answer to a query. */
  databaseTimeoutMs: number;
}

export const deployLimits: DeployLimits = {
  // A migration may take minutes, but one that hangs on a lock must not block the service's deployments for ever.
  releaseTimeoutMs: 10 * 60_000,
  healthTimeoutMs: 60_000,
  // A first start creates the data files; a start after a crash replays the log.
  databaseTimeoutMs: 180_000,
};
