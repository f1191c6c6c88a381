/** Certificates that owners of domains provide: their facts and limits. */
import { z } from 'zod';

/** Longer than any chain of a public CA. */
const chainCharsMax = 32_000;
export const chainLengthMax = 10;
const keyCharsMax = 12_000;
/** Only names with certificates count: all certificates are in one message to the host. */
export const ownCertificatesPerService = 20;

/** The content of a certificate in plain text. Times are epoch milliseconds. */
export interface CertificateFacts {
  names: string[];
  /** The issuer's common name, or else its full name. */
  issuer: string;
  notBefore: number;
  expiresAt: number;
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  fingerprint: string;
  keyType: string;
  /** Number of certificates in the chain, including the name's own. */
  chainLength: number;
}

export const ownCertificateBody = z.strictObject({
  certificate: z
    .string()
    .max(chainCharsMax, `is too long: at most ${chainCharsMax} characters`)
    .meta({
      description:
        'PEM: the certificate of the name, then those that lead to its root. The root itself may be left out.',
      examples: ['-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n'],
    }),
  privateKey: z
    .string()
    .max(keyCharsMax, `is too long: at most ${keyCharsMax} characters`)
    .meta({
      description:
        'PEM: its private key, not encrypted: RSA with 2,048 to 4,096 bits, or EC with P-256 or P-384. Never returned.',
      examples: ['-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----\n'],
    }),
});
export type OwnCertificateBody = z.infer<typeof ownCertificateBody>;

/** Whether a name of a certificate covers a host name: a wildcard matches one label (RFC 6125, section 6.4.3). */
export function covers(pattern: string, hostname: string): boolean {
  const name = pattern.toLowerCase();
  if (name === hostname) return true;
  if (!name.startsWith('*.')) return false;
  const dot = hostname.indexOf('.');
  return dot > 0 && hostname.slice(dot) === name.slice(1);
}
