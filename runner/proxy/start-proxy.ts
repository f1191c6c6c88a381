/** The data path of a host: adopts or starts edge and Caddy, supervises them, and sets up traffic and certificates. */
import { mkdirSync } from 'node:fs';
import { type Clock, pause, systemClock } from '../base/clock.ts';
import type { RunnerConfig } from '../setup/config.ts';
import { type CaddyProcess, ensureCaddy } from './caddy/caddy-process.ts';
import { failureFile } from './certificates/certificate-failures.ts';
import { certificateStore, issuerDirectory } from './certificates/certificate-store.ts';
import { Certificates, type CertificateWatch } from './certificates/certificates.ts';
import { followIssuerLog } from './certificates/issuer-log.ts';
import { orderBudget } from './certificates/order-budget.ts';
import { orderCertificate } from './certificates/order-certificate.ts';
import { keptSecret, OwnCertificates } from './certificates/own-certificates.ts';
import { type ChallengeBoard, challengeBoard } from './certificates/wildcard/challenge-board.ts';
import { type DnsAsk, realDns } from './certificates/wildcard/served-txt.ts';
import {
  type WildcardCertificates,
  wildcardCertificates,
} from './certificates/wildcard/wildcard-certificates.ts';
import { ensureEdge } from './edge-process.ts';
import { createTraffic } from './local-traffic.ts';
import { nameFiles } from './name-files.ts';
import { type ProxyPaths, proxyPaths } from './proxy-paths.ts';
import { isLocalName, isWildcard } from './route-names.ts';
import { supervise } from './supervise.ts';
import type { Traffic } from './traffic.ts';

/** The interval of checks for ports that other programs have released, and for changed files. */
export const proxyCheckMs = 30_000;

export type ProxyConfig = Pick<
  RunnerConfig,
  | 'httpPort'
  | 'httpsPort'
  | 'webPorts'
  | 'trustedProxies'
  | 'caddyPath'
  | 'acmeDirectory'
  | 'acmeEmail'
  | 'acmeCaRoot'
>;

export interface HostProxy {
  traffic: Traffic;
  certificates: CertificateWatch;
  ownCertificates: OwnCertificates;
  /** Certificates that this host ordered for wildcards. */
  wildcards: WildcardCertificates;
  challenges: ChallengeBoard;
  /** Host ports that another program uses: their services are not reachable there. */
  foreignPorts(): readonly number[];
  /** The reason why edge or Caddy is down and can't be started: then no app is reachable. `null` if both run. */
  trouble(): string | null;
  /** Stops the supervision; edge and Caddy keep running. */
  stop(): Promise<void>;
  /** Also stops edge and Caddy, for a revoked host, unless an app or site is still routed. @returns true if they were stopped */
  retire(): Promise<boolean>;
  /** Also stops edge and Caddy: then no app of this host is reachable. */
  stopAll(): Promise<void>;
}

export interface ProxyParts {
  dataDir: string;
  config: ProxyConfig;
  /** Receives one sentence for the runner's log about a restart, or a failed one. */
  report?: (sentence: string) => void;
  /** Called when `trouble` may have changed. */
  changed?: () => void;
  clock?: Clock;
  /** The interval of certificate checks; shorter for a CA whose certificates live for minutes. */
  certificateCheckMs?: number;
  /** The DNS in which TXT records for wildcards are checked. */
  dns?: DnsAsk;
}

/**
 * Starts the data path; running programs are adopted and not interrupted.
 * @throws ProxyError with the reason against the start; all programs started by this call are stopped again
 */
export async function startProxy(parts: ProxyParts): Promise<HostProxy> {
  const { dataDir, config, report = console.info, changed, clock = systemClock } = parts;
  const paths = proxyPaths(dataDir);
  mkdirSync(paths.edgeDirectory, { recursive: true, mode: 0o700 });
  mkdirSync(paths.wakes, { recursive: true, mode: 0o700 });
  const issued = issuerDirectory(paths.caddyStorage, config.acmeDirectory);
  const edge = await ensureEdge(paths, issued);
  const traffic = createTraffic({ paths, httpPort: config.httpPort, httpsPort: config.httpsPort, edge });
  const { caddyPath, ...facts } = config;
  const ownCertificatesSecret = keptSecret(paths.ownCertificatesSecret);
  const caddyFacts = { ...facts, edgePort: edge.port, ownCertificatesSecret };
  const caddy = await ensureCaddy(caddyPath, paths, caddyFacts).catch(async (error: unknown) => {
    if (!edge.adopted) await edge.end();
    throw error;
  });
  const ownCertificates = new OwnCertificates({
    directory: paths.ownCertificates,
    httpsPort: config.httpsPort,
    reload: () => caddy.reload(),
    report,
  });
  const wildcards = wildcardCertificates(paths.wildcardCertificates);
  const challenges = challengeBoard();
  const programs = [supervise(edge, report, changed), supervise(caddy, report, changed)];
  const repair = async () => [...(await traffic.repair()), ...caddy.repair()];
  const supervisions = [...programs, watchPortsAndFiles({ caddy, traffic, repair, clock, report })];
  // Clears the names that had certificates of a CA before it was removed from the settings.
  if (issued === undefined) nameFiles(paths.httpsNames).set([]);
  const certificates = watchCertificates(parts, paths, {
    ...{ issued, ownCertificates, wildcards, challenges },
    edgePort: edge.port,
  });
  const stop = async () => {
    certificates.stop();
    await Promise.all(supervisions.map((supervision) => supervision.stop()));
  };
  const stopAll = async () => {
    await stop();
    await Promise.all([caddy.end(), edge.end()]);
  };
  return {
    traffic,
    certificates,
    ownCertificates,
    wildcards,
    challenges,
    foreignPorts: () => caddy.foreignPorts(),
    trouble: () => programs.flatMap((program) => program.trouble() ?? [])[0] ?? null,
    stop,
    async retire() {
      const isUnused = traffic.all().length === 0;
      await (isUnused ? stopAll() : stop());
      return isUnused;
    },
    stopAll,
  };
}

/** Reports the ports that other programs use, and listens on those of services again once they are free. Repairs the files of edge and Caddy. */
function watchPortsAndFiles({
  caddy,
  traffic,
  repair,
  clock,
  report,
}: {
  caddy: CaddyProcess;
  traffic: Pick<Traffic, 'all'>;
  repair: () => Promise<string[]>;
  clock: Clock;
  report: (sentence: string) => void;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const unrepaired = (error: unknown): string[] => {
    report(`The files of the proxy could not be repaired: ${error}`);
    return [];
  };
  const watch = async () => {
    let said = '';
    while (!signal.aborted) {
      const ports = caddy.foreignPorts().join(', ');
      if (ports !== said && ports !== '')
        report(
          `Other programs have these ports of the block for services: ${ports}. The proxy leaves them out.`,
        );
      said = ports;
      await pause(clock, proxyCheckMs, signal);
      if (signal.aborted) return;
      for (const path of await repair().catch(unrepaired))
        report(`${path} was changed or removed by something else; it is written again`);
      const needed = traffic.all().map(({ hostPort }) => hostPort);
      if (!signal.aborted && ports !== '')
        await caddy.takeBack(needed).catch((error: unknown) => report(`A port could not be taken: ${error}`));
    }
  };
  const ended = watch();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** @param made.issued directory of the CA's certificates; `undefined` if all are from Caddy's own CA, except those of owners */
function watchCertificates(
  { config, clock = systemClock, certificateCheckMs, dns = realDns }: ProxyParts,
  paths: ProxyPaths,
  {
    issued,
    ownCertificates,
    wildcards,
    challenges,
    edgePort,
  }: Pick<HostProxy, 'ownCertificates' | 'wildcards' | 'challenges'> & {
    issued: string | undefined;
    edgePort: number;
  },
): Certificates {
  const automatic = issued === undefined ? undefined : certificateStore(issued);
  const store = {
    of: (hostname: string) =>
      ownCertificates.of(hostname) ?? (isWildcard(hostname) ? wildcards : automatic)?.of(hostname),
  };
  const log = followIssuerLog(paths.caddyCertificateLog);
  const parts = { store, log, edgePort, httpsPort: config.httpsPort };
  const orderWildcard = async (hostname: string, signal: AbortSignal) => {
    // Loaded on demand: most hosts serve no wildcard.
    const order = await import('./certificates/wildcard/order-wildcard.ts');
    const wildcardParts = {
      ...{ settings: config, accountFile: paths.acmeAccount, challenges, dns },
      store: (pem: string) => wildcards.put(hostname, pem),
      pause: (ms: number, stop: AbortSignal) => pause(clock, ms, stop),
    };
    return await order.orderWildcard(hostname, wildcardParts, signal);
  };
  return new Certificates(
    {
      store,
      isFree: (hostname) => issued === undefined || isLocalName(hostname),
      isMissing: (hostname) => ownCertificates.isMissing(hostname),
      order: async (hostname, signal) =>
        isWildcard(hostname)
          ? await orderWildcard(hostname, signal)
          : await orderCertificate(hostname, parts, signal),
      failures: failureFile(paths.certificateFailures),
      budget: orderBudget(paths.certificateOrders, clock),
      httpsNames: nameFiles(paths.httpsNames),
      clock,
      random: Math.random,
    },
    certificateCheckMs,
  );
}
