/** Sets up the watch over this host's custom domains. */
import type { Clock } from '../../base/clock.ts';
import { ownAddresses } from '../../base/own-addresses.ts';
import type { CertificateWatch } from '../../proxy/certificates/certificates.ts';
import type { LimitedName } from '../../proxy/certificates/order-budget.ts';
import type { OwnCertificates } from '../../proxy/certificates/own-certificates.ts';
import type { ChallengeBoard } from '../../proxy/certificates/wildcard/challenge-board.ts';
import type { WildcardCertificates } from '../../proxy/certificates/wildcard/wildcard-certificates.ts';
import type { KnownNames, Traffic } from '../../proxy/traffic.ts';
import type { RunnerConfig } from '../../setup/config.ts';
import { publicAddress } from '../host-facts.ts';
import { DomainWatch } from './domain-watch.ts';
import { createLookUp, type LookUp } from './look-up.ts';

export interface WatchedHost {
  traffic: Traffic;
  certificates: CertificateWatch;
  ownCertificates: Pick<OwnCertificates, 'set'>;
  wildcards: Pick<WildcardCertificates, 'keep'>;
  challenges: Pick<ChallengeBoard, 'wanted' | 'onChange'>;
  /** Decrypts texts that were sealed for this host. */
  openRequest(op: string, sealed: string): string;
  config: Pick<RunnerConfig, 'publicIp'>;
  clock: Clock;
  /** DNS look-ups; the host's name servers by default. */
  lookUp?: LookUp;
}

/** The address of a host without a public one; the control plane uses the same (worker/domain/instance/settings). */
const unknownPublicIp = '127.0.0.1';

/** Starts at once; requests certificates whenever the names change. */
export function watchDomains({
  traffic,
  certificates,
  ownCertificates,
  wildcards,
  challenges,
  openRequest,
  config,
  clock,
  lookUp = createLookUp(),
}: WatchedHost): DomainWatch {
  const watch = new DomainWatch({
    traffic,
    certificates,
    challenges,
    lookUp,
    ownAddresses: async (publicIp) =>
      ownAddresses(publicIp ?? (await publicAddress(config)) ?? unknownPublicIp),
    clock,
    random: Math.random,
  });
  let suffixes: PublicSuffixes | undefined;
  const requestCertificates = () => {
    const names = traffic.all().flatMap((route) => route.tlsNames ?? route.hostnames);
    const ofTenants = tenantNames(traffic.names());
    if (ofTenants.length === 0) return certificates.want(names);
    if (suffixes) return certificates.want(names, limitedNames(ofTenants, suffixes));
    // Loaded on demand: the list takes megabytes, and most hosts serve one tenant.
    import('tldts')
      .then((loaded) => {
        suffixes = loaded;
        requestCertificates();
      })
      .catch((error: unknown) => console.error('The public suffix list could not be loaded:', error));
  };
  /** Owners' certificates first, so that no automatic one is ordered for the same names. */
  const setCertificates = () => {
    const known = traffic.names().flatMap(({ names }) => names);
    ownCertificates.set(known, openRequest);
    wildcards.keep(known.map(({ hostname }) => hostname));
    requestCertificates();
  };
  traffic.onNames(() => {
    setCertificates();
    watch.namesChanged();
  });
  certificates.onChange((hostname) => watch.certificateChanged(hostname));
  challenges.onChange((hostname) => watch.certificateChanged(hostname));
  setCertificates();
  watch.start();
  return watch;
}

type PublicSuffixes = Pick<typeof import('tldts'), 'getDomain'>;

/** Names of services of tenants whose orders are limited. */
function tenantNames(known: readonly KnownNames[]): Omit<LimitedName, 'domain'>[] {
  return known.flatMap(({ tenantId, names }) =>
    tenantId === undefined ? [] : names.map(({ hostname }) => ({ hostname, tenantId })),
  );
}

function limitedNames(
  names: readonly Omit<LimitedName, 'domain'>[],
  { getDomain }: PublicSuffixes,
): LimitedName[] {
  return names.map((name) => ({
    ...name,
    domain: getDomain(name.hostname, { validateHostname: false }) ?? name.hostname,
  }));
}
