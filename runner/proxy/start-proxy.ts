/** The data path of a host: edge and Caddy adopted or started, supervised, and the traffic that uses them. */
import { mkdirSync } from 'node:fs';
import type { RunnerConfig } from '../config.ts';
import { ensureCaddy } from './caddy-process.ts';
import { ensureEdge } from './edge-process.ts';
import { createTraffic } from './local-traffic.ts';
import { proxyPaths } from './proxy-paths.ts';
import { supervise } from './supervise.ts';
import type { Traffic } from './traffic.ts';

export type ProxyConfig = Pick<
  RunnerConfig,
  'httpPort' | 'httpsPort' | 'webPorts' | 'caddyPath' | 'acmeDirectory'
>;

export interface HostProxy {
  traffic: Traffic;
  /** Ends the supervision; edge and Caddy go on serving. */
  stop(): Promise<void>;
  /** Ends edge and Caddy too: every app of this host is then out of reach. */
  stopAll(): Promise<void>;
}

export interface ProxyParts {
  dataDir: string;
  config: ProxyConfig;
  /** Takes one sentence for the runner's log: what was replaced, what does not come back. */
  report?: (sentence: string) => void;
}

/**
 * Brings the data path up; what already serves is adopted and not interrupted.
 * @throws ProxyError whose sentence says what is in the way; what this call has started is ended again
 */
export async function startProxy({ dataDir, config, report = console.info }: ProxyParts): Promise<HostProxy> {
  const paths = proxyPaths(dataDir);
  mkdirSync(paths.edgeDirectory, { recursive: true, mode: 0o700 });
  const edge = await ensureEdge(paths);
  const traffic = createTraffic({ paths, httpPort: config.httpPort, edge });
  const { caddyPath, ...facts } = config;
  const caddy = await ensureCaddy(caddyPath, paths, { ...facts, edgePort: edge.port }).catch(
    async (error: unknown) => {
      if (!edge.adopted) await edge.end();
      throw error;
    },
  );
  const supervisions = [supervise(edge, report), supervise(caddy, report)];
  const stop = async () => {
    await Promise.all(supervisions.map((supervision) => supervision.stop()));
  };
  return {
    traffic,
    stop,
    async stopAll() {
      await stop();
      await Promise.all([caddy.end(), edge.end()]);
    },
  };
}
