/** Problems of a host, for the operator. */
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { type SharedPlace, sharingWarning } from './host-sharing.ts';
import { upgradeNeeded } from './minimum-runner.ts';

/** @returns sentences; null if there are no problems */
export function hostWarning(
  host: Pick<SharedPlace, 'shared' | 'facts' | 'trustedRunc'> & {
    clockAheadMs: number | null;
    copied: boolean;
  },
): string | null {
  const { facts } = host;
  const outdated = upgradeNeeded(facts);
  // An outdated runner may report incomplete facts.
  if (outdated !== null) return `This host does no work: ${outdated} Jobs wait until then.`;
  const sentences = [
    troubleWarning(facts),
    host.copied ? copiedSentence : null,
    dockerWarning(facts),
    sharingWarning(host),
    host.shared ? null : firewallWarning(facts),
    portsWarning(facts),
    clockWarning(host.clockAheadMs),
    initWarning(facts),
    appArmorWarning(facts),
  ].filter((one) => one !== null);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** How long the warning is shown. Nothing reports that the copied machine is gone. */
export const copiedShownMs = 24 * 60 * 60 * 1_000;

export const copiedSentence =
  'Two machines have connected as this host in the last 24 hours. The one whose runner started later is it now; the runner of the other has stopped, and its apps go on as they were. If one is a copy of the other: on the copy, stop the containers, move /var/lib/longshore/runner away and add it as a host of its own; then, on the other, systemctl restart longshore-runner.';

function troubleWarning({ trouble }: RunnerFacts): string | null {
  if (!trouble) return null;
  return `This host does no work: ${trouble} Jobs wait until that is mended; the runner tries again every few seconds.`;
}

/** While the runner can't start, Docker's version is unknown. */
function dockerWarning({ trouble, dockerVersion }: RunnerFacts): string | null {
  if (trouble || dockerVersion !== null) return null;
  return 'Docker does not answer on this host, so jobs wait and apps may be away: start it again (systemctl restart docker).';
}

/** For a shared host this is one of its flaws. */
function firewallWarning({ trouble, isolation }: RunnerFacts): string | null {
  if (trouble || isolation.firewall !== 'missing') return null;
  return `Firewall rules are missing, so apps may reach what they must not: ${isolation.firewallProblem ?? 'the runner gives no reason.'}`;
}

function portsWarning({ foreignPorts }: RunnerFacts): string | null {
  if (foreignPorts.length === 0) return null;
  return `Other programs have these ports of the block for apps: ${foreignPorts.join(', ')}. New services get other ports; one that has such a port is not reachable there: stop the program, or give the service another port.`;
}

const minuteMs = 60_000;

/** Smaller differences cause no warning, because some seconds may be network delay to the control plane. */
export const wrongClockMs = minuteMs / 2;

function clockWarning(aheadMs: number | null): string | null {
  const minutes = Math.round(Math.abs(aheadMs ?? 0) / minuteMs);
  if (aheadMs === null || Math.abs(aheadMs) < wrongClockMs) return null;
  const amount = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return `The clock of this host is ${amount} ${aheadMs > 0 ? 'ahead' : 'behind'}, so times in its logs and metrics are wrong, and certificates may be refused or not renewed: switch on its time synchronisation (timedatectl set-ntp true).`;
}

function appArmorWarning({ appArmor }: RunnerFacts): string | null {
  if (appArmor !== false) return null;
  return 'Docker reports AppArmor, but containers run without a profile (appArmor is false), because its tools are missing: install the package apparmor, restart Docker, then restart the services.';
}

function initWarning({ initProcess }: RunnerFacts): string | null {
  if (initProcess !== false) return null;
  return 'initProcess is false because Docker has no docker-init. So a Node app that does not handle SIGTERM is killed when it is stopped, and zombie processes stay. Install it: the packages docker.io (with tini) and docker-ce have it. Then deploy or restart the services.';
}
