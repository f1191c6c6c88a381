/** Identity providers of the instance: members sign in with them, and may become members by them. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { isPrivateHost } from '../names/private-host.ts';

/**
 * `oidc`: any OpenID Connect provider. `cloudflare-access`: the application of Cloudflare Access in front of this instance, which signs each
 * request (https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/).
 */
export const identityProviderKinds = ['oidc', 'cloudflare-access'] as const;
export type IdentityProviderKind = (typeof identityProviderKinds)[number];

/** The operator chooses the id. */
export const identityProviderIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits and dashes');

/** The page to which providers send the browser back. Those with an address of their own get one below it. */
export const sharedCallbackPath = '/sign-in/callback';

/**
 * The address to which a provider sends the browser back. An address for each provider shows which one answered, even if it does not send
 * `iss` (RFC 9207): against mix-up (RFC 9700, section 4.4.2.2).
 */
export const callbackPathOf = ({ id, ownCallback }: { id: string; ownCallback: boolean }): string =>
  ownCallback ? `${sharedCallbackPath}/${id}` : sharedCallbackPath;

/** Providers of the instance. */
export const identityProvidersMax = 20;

/** The roles that a provider may give without an invitation. An owner needs an invitation. */
export const joiningRoles = ['viewer', 'deployer', 'developer'] as const;
export type JoiningRole = (typeof joiningRoles)[number];

const emailDomainsMax = 50;

/** Domains such as `example.com`, in lower case, without their subdomains. */
export const emailDomainsSchema = z
  .array(
    z
      .string()
      .max(253)
      .regex(
        /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)+$/,
        'must be a domain such as example.com',
      )
      .transform((text) => text.toLowerCase()),
  )
  .max(emailDomainsMax, `has more than ${emailDomainsMax} domains`);

/** The content of the sealed column. */
export const clientSecretSchema = z.object({ clientSecret: z.string().nullable() });

/** Accepted signatures. None of them uses a secret that both sides know. */
export const signatureAlgorithms = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];

/** The time for a sign-in at a provider: a password, a second factor, and a cup of coffee. */
export const signInAttemptMinutes = 10;
/** The time between the end of a sign-in and the session, which the page opens at once. */
export const signInCodeMinutes = 2;

/** A person as a provider describes them. */
export interface ProvenIdentity {
  /** Identifies the person, together with the issuer: unlike an address, it is never given to another person. */
  subject: string;
  /** In lower case; `null` if the provider sends none or does not vouch for it. */
  verifiedEmail: string | null;
  name: string | null;
}

/**
 * Checks an address of a provider. Only public https is allowed, unless the operator allows plain http and private addresses (setting
 * `allowPrivateSignInProviders`). The address is checked when it is set and at each request. Host names are checked as written: the Worker
 * can't resolve them.
 * @param field its name for the error
 * @throws ApiError `invalid_request`
 */
export function checkedProviderUrl(text: string, field: string, allowsPrivate: boolean): URL {
  const url = URL.parse(text);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal(field, 'must be an https URL');
  if (url.username || url.password || url.hash)
    throw refusal(field, 'must be a URL without user, password and fragment');
  const wayOut = 'unless the setting "allowPrivateSignInProviders" is true';
  if (!allowsPrivate) {
    if (url.protocol === 'http:') throw refusal(field, `must start with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(field, `must not point to a private address, ${wayOut}`);
  }
  return url;
}

/**
 * The issuer as it appears in tokens, so it is stored as written. For Cloudflare Access it is the team's address.
 * @throws ApiError `invalid_request`
 */
export function checkedIssuer(kind: IdentityProviderKind, text: string, allowsPrivate: boolean): string {
  const url = checkedProviderUrl(text, 'issuer', allowsPrivate);
  if (url.search) throw refusal('issuer', 'must be a URL without a query');
  if (kind === 'oidc') return text;
  if (url.pathname !== '/')
    throw refusal('issuer', 'must be the address of the team, such as https://team.cloudflareaccess.com');
  return url.origin;
}

/** Whether the address is in one of these domains. Without domains, any address is. */
export const isOfDomains = (email: string, domains: readonly string[]): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1));

function refusal(field: string, predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "${field}" ${predicate}.`);
}
