/**
 * Who may use a host name on an instance with several tenants. A name of the public DNS has to be verified by a TXT record with the
 * tenant's token. Names below `localhost` and the root domain can't be verified: they go to the tenant that requests them first.
 */
import { getDomain } from 'tldts';
import { ApiError } from '../errors.ts';
import { isLocalName, isWildcard, withoutWildcard } from '../names/hostname.ts';
import { defaultTenantId } from '../tenants/tenant.ts';

/** What the rules need to know about a tenant and its instance. */
export interface NameRules {
  tenantId: string;
  /** The tenant's text for TXT records. */
  token: string;
  /** Whether the instance has more than one tenant. If not, nothing has to be verified. */
  isShared: boolean;
  rootDomain: string | null;
}

/** The record that verifies a name. */
export interface VerificationRecord {
  recordType: 'TXT';
  name: string;
  value: string;
}

/** An underscore label is not a host name (RFC 8552), so no service can get it as its name. */
const verificationLabel = '_longshore';
/** Its own, because the owner of one name may not want to give all names below it. */
const wildcardLabel = '_longshore-wildcard';

export const verificationValue = (token: string) => `longshore=${token}`;

/**
 * Whether the connected DNS accounts are this tenant's. The operator connects them, so they are the default tenant's. Only names of their
 * owner may be verified with an account, by a record in it or by its zone: otherwise a tenant would get every name of the operator's zones
 * by requesting it, and the verification would verify nothing.
 */
export const ownsDnsAccounts = (tenantId: string) => tenantId === defaultTenantId;

/** Whether this name has to be verified by DNS before it is used. */
export function needsVerification(hostname: string, { isShared, rootDomain }: NameRules): boolean {
  return isShared && instanceZone(hostname, rootDomain) === null;
}

/**
 * Names of the TXT records that verify a host name, each sufficient: that of the registrable domain, which covers all names below it, and
 * that of the name itself, for who controls only a part of the domain.
 */
export function verificationNames(hostname: string): string[] {
  const name = withoutWildcard(hostname);
  const domain = getDomain(name, { allowPrivateDomains: true, validateHostname: false });
  return [...new Set([`${verificationLabel}.${domain ?? name}`, ownProofName(hostname)])];
}

/** The name of the record that verifies this host name or wildcard alone. */
export const ownProofName = (hostname: string) =>
  `${isWildcard(hostname) ? wildcardLabel : verificationLabel}.${withoutWildcard(hostname)}`;

/** The record that verifies this name alone: it is in the zone of the name, and needed as long as the name. */
export function ownProofRecord(hostname: string, token: string): VerificationRecord {
  return { recordType: 'TXT', name: ownProofName(hostname), value: verificationValue(token) };
}

/** The record to recommend: one for all names of the domain. */
export function verificationRecord(hostname: string, token: string): VerificationRecord {
  const [name = ''] = verificationNames(hostname);
  return { recordType: 'TXT', name, value: verificationValue(token) };
}

/** Why a name waits, and what to do. */
export function missingVerification(hostname: string, token: string): string {
  const { name, value } = verificationRecord(hostname, token);
  return `${hostname} is not used until you verify that it is yours: create the TXT record ${name} with the value ${value}.`;
}

export const noVerificationAnswer = (hostname: string, reason: string) =>
  `The TXT record for ${hostname} could not be queried (${reason}). The check is repeated.`;

/** The sentence of the later of two tenants that can verify a name. */
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
