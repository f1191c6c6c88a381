/** Generated host names, and the URLs of services. */
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';

/** RFC 1035, section 2.3.4. */
const labelMax = 63;
const localZone = 'localhost';
/**
 * Names that programs look up automatically below a machine's domain and trust: proxy settings (wpad, isatap) and mail settings
 * (autoconfig, autodiscover); and `localhost`.
 */
const reservedLabels: ReadonlySet<string> = new Set([
  'autoconfig',
  'autodiscover',
  'isatap',
  'localhost',
  'wpad',
]);

/**
 * Generates `<slug>.<zone>`; if taken or reserved, `<slug>-<project slug>.<zone>`; if that is taken too, adds a number.
 * @param rootDomain null: `localhost`
 */
export function generatedHostname(
  service: { slug: string; projectSlug: string },
  rootDomain: string | null,
  taken: ReadonlySet<string>,
): string {
  const zone = rootDomain ?? localZone;
  const short = `${service.slug}.${zone}`;
  if (!taken.has(short) && !reservedLabels.has(service.slug)) return short;
  const long = `${service.slug}-${service.projectSlug}`;
  let hostname = `${cut(long, labelMax)}.${zone}`;
  for (let number = 2; taken.has(hostname); number++) {
    const suffix = `-${number}`;
    hostname = `${cut(long, labelMax - suffix.length)}${suffix}.${zone}`;
  }
  return hostname;
}

/** Whether programs on machines below this domain look up the name automatically. */
export function isReservedName(hostname: string, rootDomain: string): boolean {
  const [label = '', ...zone] = hostname.split('.');
  return reservedLabels.has(label) && zone.join('.') === rootDomain;
}

/** The range of host names, in byte order, that contains every candidate of `generatedHostname` except `<slug>` itself. */
export function candidateRange(slug: string): { from: string; below: string } {
  // "-" and "." are neighbours in ASCII, "/" comes next.
  return { from: `${slug}-`, below: `${slug}/` };
}

export interface ServiceUrls {
  /** Both are empty for a service without a route. */
  localUrl: string;
  primaryUrl: string;
}

/** The URLs of a service. Names below `localhost` use http, because no public certificate exists for them; all others use https. */
export function serviceUrls(
  service: { isRouted: boolean; hostPort: number; generatedHostname: string | null },
  preferredDomain: string | null,
  ports: Pick<RunnerFacts, 'httpPort' | 'httpsPort'>,
): ServiceUrls {
  if (!service.isRouted) return { localUrl: '', primaryUrl: '' };
  const localUrl = `http://127.0.0.1:${service.hostPort}`;
  if (preferredDomain !== null) return { localUrl, primaryUrl: httpsUrl(preferredDomain, ports) };
  const hostname = service.generatedHostname;
  if (hostname === null) return { localUrl, primaryUrl: localUrl };
  const isLocal = hostname === localZone || hostname.endsWith(`.${localZone}`);
  return { localUrl, primaryUrl: isLocal ? httpUrl(hostname, ports) : httpsUrl(hostname, ports) };
}

function httpUrl(hostname: string, { httpPort }: Pick<RunnerFacts, 'httpPort'>): string {
  return `http://${hostname}${httpPort === 80 ? '' : `:${httpPort}`}`;
}

function httpsUrl(hostname: string, { httpsPort }: Pick<RunnerFacts, 'httpsPort'>): string {
  return `https://${hostname}${httpsPort === 443 ? '' : `:${httpsPort}`}`;
}

function cut(label: string, length: number): string {
  return label.slice(0, length).replace(/-+$/, '');
}
