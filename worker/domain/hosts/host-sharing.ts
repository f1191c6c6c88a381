/**
 * The tenants that a host may serve. It belongs to one tenant. The operator can share it with all, but sharing is effective only while
 * the host reports that it isolates tenants (docs/decisions/0021).
 */
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { ApiError } from '../errors.ts';
import { upgradeNeeded } from './minimum-runner.ts';

/** A missing requirement of a shared host. */
export interface SharingFlaw {
  /** Usually the name in the host's facts. It reveals little about the host, so tenants may read it. */
  fact: 'a newer runner' | 'buildFixes' | 'runcFixes' | 'isolation.firewall';
  /** For the operator: the problem and its solution. */
  sentence: string;
}

/** The host where a tenant's service runs or will run. */
export interface SharedPlace {
  name: string;
  tenantId: string;
  shared: boolean;
  facts: RunnerFacts;
  /** A runc version that the operator trusts to have the fixes, whatever its number; it applies only while the host reports exactly this version. */
  trustedRunc: string | null;
}

/** The facts that decide whether a host isolates tenants. */
type Isolation = Pick<SharedPlace, 'facts' | 'trustedRunc'>;

/** Requirements for several tenants that a host lacks; empty if there are none. */
export function sharingFlaws(host: Isolation): SharingFlaw[] {
  const outdated = upgradeNeeded(host.facts);
  // An outdated runner may report incomplete facts.
  if (outdated !== null) return [{ fact: 'a newer runner', sentence: outdated }];
  return [buildFlaw(host.facts), runcFlaw(host), firewallFlaw(host.facts)].filter((flaw) => flaw !== null);
}

function buildFlaw({ buildFixes, dockerVersion }: RunnerFacts): SharingFlaw | null {
  if (buildFixes === true) return null;
  const fact = 'buildFixes';
  if (buildFixes === null) {
    return { fact, sentence: 'buildFixes is unknown because Docker does not answer: start Docker.' };
  }
  return {
    fact,
    sentence: `buildFixes is false because Docker ${dockerVersion} lets a build read and delete files of the host (CVE-2024-23651 to 23653): install Docker 24.0.9, 25.0.2 or newer.`,
  };
}

/** User namespaces replace the fixes: a process that escapes its container is then an ordinary user of the host. */
function runcFlaw({ facts, trustedRunc }: Isolation): SharingFlaw | null {
  const { runcFixes, runcVersion, dockerVersion, isolation } = facts;
  if (runcFixes === true || isolation.userNamespaces) return null;
  const fact = 'runcFixes';
  if (dockerVersion === null) {
    return { fact, sentence: 'runcFixes is unknown because Docker does not answer: start Docker.' };
  }
  const userNamespaces = 'switch on user namespaces ("userns-remap" in /etc/docker/daemon.json)';
  if (!runcVersion) {
    return {
      fact,
      sentence: `runcFixes is unknown because Docker names no runc: make runc its default runtime, or ${userNamespaces}.`,
    };
  }
  if (runcVersion === trustedRunc) return null;
  const changed = trustedRunc === null ? '' : ` "trustedRunc" is "${trustedRunc}", another version.`;
  return {
    fact,
    sentence: `runcFixes is false because runc ${runcVersion} lets a program leave its container (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881): install runc 1.2.8, 1.3.3 or newer, or ${userNamespaces}.${changed} If your distribution has mended this version, set "trustedRunc" of the host to "${runcVersion}".`,
  };
}

/** @throws ApiError `invalid_request` if the host does not report the runc that the operator wants to trust */
export function assertReportsRunc(
  { name, facts }: Pick<SharedPlace, 'name' | 'facts'>,
  trusted: string,
): void {
  if (facts.runcVersion === trusted) return;
  const reported = facts.runcVersion
    ? `reports runc "${facts.runcVersion}": send exactly this, if it is mended`
    : 'reports no version of runc: start Docker';
  throw new ApiError(
    'invalid_request',
    `The field "trustedRunc" is "${trusted}", but the host "${name}" ${reported}.`,
  );
}

function firewallFlaw({ isolation }: RunnerFacts): SharingFlaw | null {
  if (isolation.firewall === 'in-place') return null;
  const fact = 'isolation.firewall';
  const reason = isolation.firewallProblem ?? 'The runner gives no reason.';
  return { fact, sentence: `isolation.firewall is "${isolation.firewall}": ${reason}` };
}

/** @throws ApiError `not_isolated` with all missing requirements, for the operator */
export function assertCanBeShared(host: Pick<SharedPlace, 'name'> & Isolation): void {
  const flaws = sharingFlaws(host);
  if (flaws.length === 0) return;
  throw new ApiError('not_isolated', `The host "${host.name}" can't be shared. ${sentencesOf(flaws)}`);
}

/** Warns the operator of a shared host that lacks something; otherwise null. */
export function sharingWarning(host: Pick<SharedPlace, 'shared'> & Isolation): string | null {
  const flaws = host.shared ? sharingFlaws(host) : [];
  if (flaws.length === 0) return null;
  return `The host is shared, but it does not keep tenants apart. It accepts no services or deployments of other tenants, and none of its owner while other tenants have services on it. ${sentencesOf(flaws)} Running services keep running, and rollbacks still work.`;
}

/**
 * The reason why a host accepts no new work of a tenant, as a sentence for that tenant; null if it accepts work.
 * @param isSharedWithOthers services of other tenants are on the host, deleted ones included until the host has removed their data
 */
export function refusalOf(host: SharedPlace, tenantId: string, isSharedWithOthers: boolean): string | null {
  const isOwner = host.tenantId === tenantId;
  if (isOwner && !isSharedWithOthers) return null;
  if (!isOwner && !host.shared) {
    return `The host "${host.name}" is not shared and belongs to another tenant: set "runnerId" to another host, or ask the operator to share it.`;
  }
  const facts = sharingFlaws(host).map(({ fact }) => fact);
  if (facts.length === 0) return null;
  return `The host "${host.name}" does not keep tenants apart, because it lacks ${facts.join(' and ')}: set "runnerId" to another host, or ask the operator to fix it.`;
}

const sentencesOf = (flaws: readonly SharingFlaw[]) => flaws.map(({ sentence }) => sentence).join(' ');
