import type { JWTPayload } from 'jose';
import type { IDToken } from 'oauth4webapi';
import type { Guarded } from './guarded-fetch.ts';

/** This instance, as the provider knows it. */
export interface OidcClient extends Guarded {
  issuer: string;
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
}

/** What binds the answer of a provider to one attempt. */
export interface AttemptSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
}

/** Claims about a person, all of the same subject. */
export type Claims = (IDToken | JWTPayload) & { sub: string };
