/** Time limits of the deployment steps that depend on the user's code or image. */
export interface DeployLimits {
  /** The time limit from the start of a release step to its end. */
  releaseTimeoutMs: number;
  /** The time limit from the start of a new version to its first good answer. */
  healthTimeoutMs: number;
  /** The time limit from the start of a database to its first answer to a query. */
  databaseTimeoutMs: number;
}

export const deployLimits: DeployLimits = {
  // A migration may take minutes, but one that hangs on a lock must not block the service's deployments forever.
  releaseTimeoutMs: 10 * 60_000,
  healthTimeoutMs: 60_000,
  // A first start creates the data files; a start after a crash replays the log.
  databaseTimeoutMs: 180_000,
};
