/** Checks a certificate that a database offers. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** True if clients that trust this CA accept the certificate now, regardless of the name they use. @param now epoch milliseconds */
export function isTrusted(offered: X509Certificate, authority: X509Certificate | null, now: number): boolean {
  if (authority === null || !offered.verify(authority.publicKey)) return false;
  return offered.validFromDate.getTime() <= now && now < offered.validToDate.getTime();
}

/** True if the certificate has exactly these names. */
export function hasNames(offered: X509Certificate, names: readonly string[]): boolean {
  const count = offered.subjectAltName?.split(', ').length;
  const isFor = (name: string) =>
    (isIP(name) ? offered.checkIP(name) : offered.checkHost(name)) !== undefined;
  return count === names.length && names.every(isFor);
}

/** Epoch milliseconds, after two thirds of its lifetime: that leaves a month for retries. */
export function renewalDueAt({ validFromDate, validToDate }: X509Certificate): number {
  return validFromDate.getTime() + ((validToDate.getTime() - validFromDate.getTime()) * 2) / 3;
}
