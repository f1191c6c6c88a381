import type { HostWork } from '../../../runner/host/host-work.ts';

/** A host without containers. */
export const noContainerLogs: HostWork['containerLogs'] = {
  loggedContainers: async () => [],
  async *readLog() {},
};
