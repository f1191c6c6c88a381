/** Sets up the watch over this host's custom domains. */
import type { Clock } from '../../base/clock.ts';
import { ownAddresses } from '../../base/own-addresses.ts';
import type { CertificateWatch } from '../../proxy/certificates/certificates.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import type { RunnerConfig } from '../../setup/config.ts';
import { publicAddress } from '../host-facts.ts';
import { DomainWatch } from './domain-watch.ts';
import { createLookUp, type LookUp } from './look-up.ts';

export interface WatchedHost {
  traffic: Traffic;
  certificates: CertificateWatch;
  config: Pick<RunnerConfig, 'publicIp'>;
  clock: Clock;
  /** DNS look-ups; the host's name servers by default. */
  lookUp?: LookUp;
}

/** The address of a host without a public one; the control plane uses the same (worker/domain/settings). */
const unknownPublicIp = '127.0.0.1';

/** Starts at once; requests certificates whenever the names change. */
export function watchDomains({
  traffic,
  certificates,
  config,
  clock,
  lookUp = createLookUp(),
}: WatchedHost): DomainWatch {
  const watch = new DomainWatch({
    traffic,
    certificates,
    lookUp,
    ownAddresses: async (publicIp) =>
      ownAddresses(publicIp ?? (await publicAddress(config)) ?? unknownPublicIp),
    clock,
    random: Math.random,
  });
  const requestCertificates = () =>
    certificates.want(traffic.all().flatMap((route) => route.tlsNames ?? route.hostnames));
  traffic.onNames(() => {
    requestCertificates();
    watch.namesChanged();
  });
  certificates.onChange((hostname) => watch.certificateChanged(hostname));
  requestCertificates();
  watch.start();
  return watch;
}
