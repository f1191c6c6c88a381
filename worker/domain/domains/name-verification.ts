/**
 * The right to use a host name on an instance with several tenants. A name of the public DNS has to be verified by a TXT record
 * with the tenant's token. Names below `localhost` and the root domain can't be verified: the first tenant that requests one gets
 * it.
 */
import { getDomain } from 'tldts';
import { ApiError } from '../errors.ts';
import { isLocalName, isWildcard, withoutWildcard } from '../names/hostname.ts';
import { defaultTenantId } from '../tenants/tenant-limits.ts';

/** Facts about a tenant and its instance that the rules need. */
export interface NameRules {
  tenantId: string;
  /** The tenant's token for TXT records. */
  token: string;
  /** Whether the instance has more than one tenant; otherwise nothing has to be verified. */
  isShared: boolean;
  rootDomain: string | null;
}

export interface VerificationRecord {
  recordType: 'TXT';
  name: string;
  value: string;
}

/** An underscore label is not a host name (RFC 8552), so no service can have it as its name. */
const verificationLabel = '_longshore';
/** A separate label, because the owner of one name may not want to give away all names below it. */
const wildcardLabel = '_longshore-wildcard';

export const verificationValue = (token: string) => `longshore=${token}`;

/**
 * Whether the connected DNS accounts belong to this tenant. The operator connects them, so they belong to the default tenant. An account
 * may verify only names of its owner, by a record or by its zone: otherwise any tenant could get every name of the operator's zones.
 */
export const ownsDnsAccounts = (tenantId: string) => tenantId === defaultTenantId;

/** Whether this name has to be verified by DNS before it is used. */
export function needsVerification(hostname: string, { isShared, rootDomain }: NameRules): boolean {
  return isShared && instanceZone(hostname, rootDomain) === null;
}

/**
 * Names of the TXT records that verify a host name, each sufficient: the record of the registrable domain, which covers all names below
 * it, and the record of the name itself, for people who control only a part of the domain.
 */
export function verificationNames(hostname: string): string[] {
  const name = withoutWildcard(hostname);
  const domain = getDomain(name, { allowPrivateDomains: true, validateHostname: false });
  return [...new Set([`${verificationLabel}.${domain ?? name}`, ownProofName(hostname)])];
}

/** The name of the record that verifies this host name or wildcard alone. */
export const ownProofName = (hostname: string) =>
  `${isWildcard(hostname) ? wildcardLabel : verificationLabel}.${withoutWildcard(hostname)}`;

/** The record that verifies this name alone: it is in the zone of the name, and needed while the name is used. */
export function ownProofRecord(hostname: string, token: string): VerificationRecord {
  return { recordType: 'TXT', name: ownProofName(hostname), value: verificationValue(token) };
}

/** The recommended record: one for all names of the domain. */
export function verificationRecord(hostname: string, token: string): VerificationRecord {
  const [name = ''] = verificationNames(hostname);
  return { recordType: 'TXT', name, value: verificationValue(token) };
}

/** The reason why a name waits, and the action to take. */
export function missingVerification(hostname: string, token: string): string {
  const { name, value } = verificationRecord(hostname, token);
  return `${hostname} is not used until you verify that it is yours: create the TXT record ${name} with the value ${value}.`;
}

export const noVerificationAnswer = (hostname: string, reason: string) =>
  `The TXT record for ${hostname} could not be queried (${reason}). The check is repeated.`;

/** The error for the second of two tenants that can verify a name. */
export const verifiedByOther = (hostname: string) =>
  `${hostname} is in use in this instance, and the TXT record of its user still exists. Remove that record if the name is yours alone.`;

/**
 * Names below another tenant's name would share its cookies, so tenants get only one label below the zones of the instance.
 * @throws ApiError `unsupported`
 */
export function assertOneLabel(hostname: string, { isShared, rootDomain }: NameRules): void {
  const zone = instanceZone(hostname, rootDomain);
  if (!isShared || zone === null || hostname === zone) return;
  const label = hostname.slice(0, -zone.length - 1);
  if (!label.includes('.')) return;
  if (isWildcard(hostname)) {
    throw new ApiError(
      'unsupported',
      `The name in "hostname" is a wildcard below ${zone}, where other tenants have names: add each name separately.`,
    );
  }
  throw new ApiError(
    'unsupported',
    `The name in "hostname" has more than one label below ${zone}: choose one such as "${label.replaceAll('.', '-')}.${zone}".`,
  );
}

/** `localhost` or the root domain, if the name belongs to it. */
function instanceZone(hostname: string, rootDomain: string | null): string | null {
  if (isLocalName(hostname)) return 'localhost';
  return rootDomain !== null && (hostname === rootDomain || hostname.endsWith(`.${rootDomain}`))
    ? rootDomain
    : null;
}
