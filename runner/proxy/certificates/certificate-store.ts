/**
 * Caddy's stored certificates of one CA, read from its files. Layout: certmagic's storage, https://github.com/caddyserver/certmagic
 * (KeyBuilder, ACMEIssuer.IssuerKey).
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFile } from '../route-names.ts';

/** Times are epoch milliseconds. There is a new object for each new certificate. */
export interface StoredCertificate {
  readonly notBefore: number;
  readonly expiresAt: number;
  /** The owner of the name provided the certificate: it is not renewed. */
  readonly isOwn?: true;
}

export interface CertificateStore {
  /** The certificate of exactly this name; `undefined` without one, or while it is being written. */
  of(hostname: string): StoredCertificate | undefined;
}

/** The directory of a CA's certificates; `undefined` for Caddy's own CA, whose certificates are free and last only hours. */
export function issuerDirectory(storage: string, acmeDirectory: string): string | undefined {
  if (acmeDirectory === 'internal') return undefined;
  const { host, pathname } = new URL(acmeDirectory);
  const path = pathname.replaceAll('/', '-').replace(/^-+|-+$/g, '');
  const key = [host, ...(path ? [path] : [])].join('-').toLowerCase();
  const safe = key.replaceAll('+', '_plus_').replaceAll(':', '-').replaceAll('..', '');
  return join(storage, 'certificates', safe.replace(/[^\w@.-]/g, ''));
}

export function certificateStore(directory: string): CertificateStore {
  const known = new Map<string, { writtenAt: number; certificate: StoredCertificate | undefined }>();
  return {
    of(hostname) {
      const file = certificateFile(directory, hostname);
      const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
      if (writtenAt === undefined) {
        known.delete(hostname);
        return undefined;
      }
      const before = known.get(hostname);
      if (before?.writtenAt === writtenAt && before.certificate) return before.certificate;
      const certificate = readCertificate(file);
      known.set(hostname, { writtenAt, certificate });
      return certificate;
    },
  };
}

/** The first certificate of the chain belongs to the name. */
function readCertificate(file: string): StoredCertificate | undefined {
  try {
    const { validFromDate, validToDate } = new X509Certificate(readFileSync(file));
    return { notBefore: validFromDate.getTime(), expiresAt: validToDate.getTime() };
  } catch {
    // A half-written file: the next read finds it complete.
    return undefined;
  }
}
