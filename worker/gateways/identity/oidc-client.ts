import type { JWTPayload } from 'jose';
import type { IDToken } from 'oauth4webapi';
import type { Guarded } from './guarded-fetch.ts';

/** This instance as a client of the provider. */
export interface OidcClient extends Guarded {
  issuer: string;
  clientId: string;
  /** `null` for a public client. */
  clientSecret: string | null;
}

/** Secrets that bind a provider's answer to one attempt. */
export interface AttemptSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
}

/** Claims about a person, all of the same subject. */
export type Claims = (IDToken | JWTPayload) & { sub: string };
