import { join } from 'node:path';

export const releaseDirectory = (dataDirectory: string, deploymentId: string) =>
  join(dataDirectory, 'sites', 'releases', deploymentId);
