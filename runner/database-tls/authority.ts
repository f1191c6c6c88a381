/**
 * A CA of this host for the certificates of its databases, created at first use. Key and certificate are one file of the data
 * directory, mode 0600, so that neither ever exists without the other.
 */
import 'reflect-metadata'; // must be loaded before @peculiar/x509
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import { replaceFile } from '../base/replace-file.ts';
import { RunnerError } from '../base/runner-error.ts';

export interface Authority {
  /** PEM: the certificate that clients receive. */
  certificate: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  key: webcrypto.CryptoKey;
}

export interface Subject {
  /** The title for human readers; clients check only the names. */
  title: string;
  /** Host names and IP addresses. */
  names: readonly string[];
  publicKey: webcrypto.CryptoKey;
}

export const p256 = { name: 'ECDSA', namedCurve: 'P-256' };
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const dayMs = 86_400_000;
/** Clients install the CA certificate by hand, so it has to outlive all of them. */
const authorityDays = 20 * 365;
export const certificateDays = 90;
/** A certificate begins this early, so that a client whose clock is behind accepts it. */
const backdatedMs = 3_600_000;

/**
 * Opens the CA in this file, and creates it if there is none. Not safe to call concurrently.
 * @param title part of its name, at most 42 characters
 * @param now epoch milliseconds
 * @throws RunnerError `keys_unusable`
 */
export async function openAuthority(file: string, title: string, now: number): Promise<Authority> {
  if (!existsSync(file)) replaceFile(file, await makeAuthority(title, now));
  try {
    const text = readFileSync(file, 'utf8');
    const certificate = new X509Certificate(text);
    const key = createPrivateKey(text);
    if (!certificate.checkPrivateKey(key)) throw new Error('its key is not the one of its certificate');
    const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
    return {
      certificate: certificate.toString(),
      expiresAt: certificate.validToDate.getTime(),
      key: await webcrypto.subtle.importKey('pkcs8', pkcs8, p256, false, ['sign']),
    };
  } catch (cause) {
    throw new RunnerError(
      'keys_unusable',
      `${file} can't be used (${cause instanceof Error ? cause.message : cause}): restore it from a backup. If you remove it, the runner makes a new one, and clients of this host's databases need the new CA certificate.`,
      { cause },
    );
  }
}

async function makeAuthority(title: string, now: number): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(p256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, authorityDays),
    serialNumber: newSerial(),
    name: `CN=Longshore database CA ${title}`,
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return `${await privateKeyPem(keys.privateKey)}${certificate.toString('pem')}\n`;
}

/** A server certificate in PEM, valid for 90 days from `now`, but not beyond the CA's own. */
export async function issueCertificate(authority: Authority, subject: Subject, now: number): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const { notBefore, notAfter } = validity(now, certificateDays);
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), authority.expiresAt)),
    serialNumber: newSerial(),
    subject: [{ CN: [subject.title] }],
    issuer: issuer.subject,
    publicKey: subject.publicKey,
    signingKey: authority.key,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        subject.names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(subject.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

export async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - backdatedMs), notAfter: new Date(now + days * dayMs) };
}

/** RFC 5280, section 4.1.2.2: positive, at most 20 octets. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes.readUInt8(0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
