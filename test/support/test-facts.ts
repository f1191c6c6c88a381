import type { RunnerFacts } from '../../protocol/runner-facts.ts';

/** The facts of a host that may be shared. */
export const testFacts: RunnerFacts = {
  version: '0.2.0',
  release: '0.2.0-000000000000',
  arch: 'x64',
  cpus: 2,
  memoryMb: 4096,
  dockerVersion: '27.3.1',
  buildFixes: true,
  runcVersion: '1.3.3',
  runcFixes: true,
  initProcess: true,
  appArmor: null,
  takesUpgrades: false,
  liveCommands: true,
  imageDigests: true,
  lastUpgrade: null,
  trouble: null,
  isolation: { firewall: 'in-place', firewallProblem: null, userNamespaces: false, storageLimits: false },
  publicIp: '203.0.113.7',
  httpPort: 80,
  httpsPort: 443,
  webPorts: { first: 41_000, last: 41_999 },
  databasePorts: { first: 45_000, last: 45_999 },
  busyPorts: [],
  foreignPorts: [],
};
