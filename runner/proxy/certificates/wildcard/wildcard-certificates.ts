/** Certificates of wildcards that this host has ordered, with their keys, as one file each, which Caddy reads in each handshake. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../base/replace-file.ts';
import { fileNameOf, isServedName, isWildcard, nameOfFile } from '../../route-names.ts';
import type { CertificateStore, StoredCertificate } from '../certificate-store.ts';

const ending = '.pem';

export interface WildcardCertificates extends CertificateStore {
  /**
   * Replaces the certificate of this wildcard. New handshakes get it. A certificate whose order ended after the host lost the name is
   * dropped.
   */
  put(hostname: string, pem: string): void;
  /** Removes the certificates of all other names. */
  keep(hostnames: readonly string[]): void;
}

export function wildcardCertificates(directory: string): WildcardCertificates {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fileOf = (hostname: string) => join(directory, `${fileNameOf(hostname)}${ending}`);
  const stored = new Map<string, StoredCertificate>();
  /** Undefined until the names of this host are known. */
  let kept: ReadonlySet<string> | undefined;
  const read = (hostname: string) => {
    try {
      const { validFromDate, validToDate } = new X509Certificate(readFileSync(fileOf(hostname)));
      stored.set(hostname, { notBefore: validFromDate.getTime(), expiresAt: validToDate.getTime() });
    } catch {
      stored.delete(hostname);
    }
  };
  for (const file of readdirSync(directory)) {
    if (file.endsWith(ending)) read(nameOfFile(file.slice(0, -ending.length)));
    else rmSync(join(directory, file), { force: true });
  }
  return {
    of: (hostname) => stored.get(hostname),
    put(hostname, pem) {
      if (!isWildcard(hostname) || !isServedName(hostname)) throw new Error('This is no wildcard.');
      if (kept && !kept.has(hostname)) return;
      replaceFile(fileOf(hostname), pem);
      read(hostname);
    },
    keep(hostnames) {
      kept = new Set(hostnames);
      for (const hostname of stored.keys()) {
        if (kept.has(hostname)) continue;
        rmSync(fileOf(hostname), { force: true });
        stored.delete(hostname);
      }
    },
  };
}
