import { join } from 'node:path';

/** The directory of a deployment's release. */
export const releaseDirectory = (dataDirectory: string, deploymentId: string) =>
  join(dataDirectory, 'sites', 'releases', deploymentId);
