/** The watch over this host's custom domains, with what it looks at them by. */
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
  /** Asks DNS; by default the name servers of the host. */
  lookUp?: LookUp;
}

/** The address that a host without any is reached under: the control plane names the same (worker/domain/settings). */
const unknownPublicIp = '127.0.0.1';

/** Begins at once; certificates are wished for as names come and go. */
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
  const wish = () => certificates.want(traffic.all().flatMap((route) => route.tlsNames ?? route.hostnames));
  traffic.onNames(() => {
    wish();
    watch.namesChanged();
  });
  certificates.onChange((hostname) => watch.certificateChanged(hostname));
  wish();
  watch.start();
  return watch;
}
