/**
 * dockerode without the parts that a runner does not use. At import it loads gRPC (for the session of a BuildKit build, which is
 * image-build/build-session.ts here) and an SSH client (for remote daemons), which permanently take 10 MB of memory; here each would be
 * loaded at its first use.
 */
import { createRequire } from 'node:module';
import type Dockerode from 'dockerode';

const require = createRequire(import.meta.url);

for (const module of ['dockerode/lib/session.js', 'docker-modem/lib/ssh.js']) loadAtFirstCall(module);

export const Docker: typeof Dockerode = require('dockerode');
export type Docker = Dockerode;

/** @param module a CommonJS module that exports a function */
function loadAtFirstCall(module: string): void {
  const file = require.resolve(module);
  const late = (...args: unknown[]) => {
    delete require.cache[file];
    return require(file)(...args);
  };
  require.cache[file] = Object.assign(Object.create(null), { exports: late, loaded: true });
}
