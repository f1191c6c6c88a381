/** Host names that the platform generates, and the URLs that services are reached under. */
import type { RunnerFacts } from '../../protocol/runner-facts.ts';

/** RFC 1035, section 2.3.4. */
const labelMax = 63;
const localZone = 'localhost';
/**
 * Names that programs look up below the domain of a machine by themselves, and trust what they find: proxy settings (wpad, isatap) and
 * mail settings (autoconfig, autodiscover); and the one that every machine takes for itself.
 */
const reservedLabels: ReadonlySet<string> = new Set([
  'autoconfig',
  'autodiscover',
  'isatap',
  'localhost',
  'wpad',
]);

/**
 * `<slug>.<zone>`, if taken or reserved `<slug>-<project slug>.<zone>`, then with a number.
 * @param rootDomain null: `localhost`.
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

/** Whether it is one of the names that machines below this domain look up by themselves. */
export function isReservedName(hostname: string, rootDomain: string): boolean {
  const [label = '', ...zone] = hostname.split('.');
  return reservedLabels.has(label) && zone.join('.') === rootDomain;
}

/** The range of host names, in byte order, that holds every candidate of `generatedHostname`: labels `slug` and `slug-...`. */
export function candidateRange(slug: string): { from: string; below: string } {
  // "-" and "." are neighbours in ASCII, "/" comes next.
  return { from: `${slug}-`, below: `${slug}/` };
}

export interface ServiceUrls {
  /** Empty for what has no route. */
  localUrl: string;
  primaryUrl: string;
}

/** Where a service is reached. Names below `localhost` are http (no public certificate exists for them), all others https. */
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
  const isLocal = hostname.endsWith(`.${localZone}`);
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
