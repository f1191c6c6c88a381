import { join } from 'node:path';

/** Where the release of a deployment is. */
export const releaseDirectory = (dataDirectory: string, deploymentId: string) =>
  join(dataDirectory, 'sites', 'releases', deploymentId);
