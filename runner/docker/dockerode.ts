/**
 * dockerode, without what a runner that waits for work never uses. It loads gRPC (for the session of a BuildKit build) and an
 * SSH client (for daemons of other machines) at its start, 10 MB that stay; here each is loaded at its first call.
 */
import { createRequire } from 'node:module';
import type Dockerode from 'dockerode';

const require = createRequire(import.meta.url);

for (const module of ['dockerode/lib/session.js', 'docker-modem/lib/ssh.js']) loadAtFirstCall(module);

export const Docker: typeof Dockerode = require('dockerode');
export type Docker = Dockerode;

/** @param module CommonJS, and its export a function */
function loadAtFirstCall(module: string): void {
  const file = require.resolve(module);
  const late = (...args: unknown[]) => {
    delete require.cache[file];
    return require(file)(...args);
  };
  require.cache[file] = Object.assign(Object.create(null), { exports: late, loaded: true });
}
