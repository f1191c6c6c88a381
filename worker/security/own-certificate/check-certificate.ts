/** Checks a certificate from a name's owner before visitors see its problems. */
import 'reflect-metadata'; // must be loaded before @peculiar/x509
import * as x509 from '@peculiar/x509';
import {
  type CertificateFacts,
  chainLengthMax,
  covers,
  type OwnCertificateBody,
} from '../../domain/domains/own-certificate.ts';
import { ApiError } from '../../domain/errors.ts';
import { type PemBlock, pemBlocks, pemOf, pkcs8Of } from './pem.ts';

interface KeyAlgorithm {
  name: string;
  namedCurve?: string;
  modulusLength?: number;
}

const rsaBits = { min: 2_048, max: 4_096 };
const curves = ['P-256', 'P-384'];
const hashes = ['SHA-256', 'SHA-384', 'SHA-512'];
/** Signed and verified to find out whether key and certificate match. */
const probe = new TextEncoder().encode('longshore-own-certificate');

export interface CheckedCertificate {
  /** PEM, without the text around it. */
  certificate: string;
  /** PEM, PKCS #8. */
  privateKey: string;
  facts: CertificateFacts;
}

/**
 * @param now epoch milliseconds
 * @throws ApiError `invalid_request` with the field and a solution
 */
export async function checkOwnCertificate(
  body: OwnCertificateBody,
  hostname: string,
  now: number,
): Promise<CheckedCertificate> {
  const blocks = certificatesOf(body.certificate);
  const chain = blocks.map(({ bytes }) => parsed(bytes));
  const [leaf] = chain;
  if (!leaf) throw invalid('certificate', 'has no certificate: give PEM with "-----BEGIN CERTIFICATE-----".');
  const key = keyOf(body.privateKey);
  const names = namesOf(leaf);
  assertCovers(names, hostname);
  assertValidNow(leaf, now);
  await assertChain(chain);
  assertSignatures(chain);
  const keyType = keyTypeOf(leaf);
  const privateKey = await matchingKey(key, leaf);
  return {
    certificate: blocks.map(pemOf).join(''),
    privateKey,
    facts: {
      names,
      issuer: leaf.issuerName.getField('CN')[0] ?? leaf.issuer,
      notBefore: leaf.notBefore.getTime(),
      expiresAt: leaf.notAfter.getTime(),
      fingerprint: hex(await crypto.subtle.digest('SHA-256', leaf.rawData)),
      keyType,
      chainLength: chain.length,
    },
  };
}

function certificatesOf(text: string): PemBlock[] {
  const blocks = pemBlocks(text);
  if (blocks.some(({ label }) => label.endsWith('PRIVATE KEY')))
    throw invalid('certificate', 'has a private key: give the key in "privateKey" alone.');
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE');
  if (certificates.length > chainLengthMax)
    throw invalid(
      'certificate',
      `has more than ${chainLengthMax} certificates: leave out those that are not of its chain.`,
    );
  return certificates;
}

function parsed(bytes: Uint8Array<ArrayBuffer>): x509.X509Certificate {
  try {
    return new x509.X509Certificate(bytes);
  } catch {
    throw invalid('certificate', 'has a certificate that can not be read: copy the file of your CA again.');
  }
}

function namesOf(leaf: x509.X509Certificate): string[] {
  const names = leaf.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
  return names.flatMap(({ type, value }) => (type === 'dns' ? value.toLowerCase() : []));
}

function assertCovers(names: readonly string[], hostname: string): void {
  if (names.some((name) => covers(name, hostname))) return;
  const shown = names.slice(0, 5).join(', ');
  throw invalid(
    'certificate',
    `is not for ${hostname}: its first certificate is ${names.length > 0 ? `for ${shown}` : 'for no DNS name'}. The certificate of the name must come first.`,
  );
}

function assertValidNow({ notBefore, notAfter }: x509.X509Certificate, now: number): void {
  if (notAfter.getTime() <= now)
    throw invalid('certificate', `ended on ${dayOf(notAfter)}: give one that is still valid.`);
  if (notBefore.getTime() > now)
    throw invalid('certificate', `is valid only from ${dayOf(notBefore)} on: give one that is valid now.`);
}

/** Each certificate must be signed by the next one, the order in which TLS servers send them (RFC 5246, section 7.4.2). */
async function assertChain(chain: readonly x509.X509Certificate[]): Promise<void> {
  for (const [index, issuer] of chain.slice(1).entries()) {
    const issued = chain[index];
    if (!issued) return;
    const isSigned =
      issued.issuer === issuer.subject &&
      (await issued.verify({ publicKey: issuer, signatureOnly: true }).catch(() => false));
    if (isSigned) continue;
    throw invalid(
      'certificate',
      `has a chain in the wrong order: certificate ${index + 2} (${issuer.subject}) did not sign the one before it, whose issuer is ${issued.issuer}.`,
    );
  }
}

/** Browsers refuse signatures with SHA-1 and MD5, except a root's own signature, which nobody checks. */
function assertSignatures(chain: readonly x509.X509Certificate[]): void {
  for (const [index, { subject, issuer, signatureAlgorithm }] of chain.entries()) {
    const hash = signatureAlgorithm.hash?.name ?? 'MD5 or something unknown';
    if (hashes.includes(hash) || (index > 0 && subject === issuer)) continue;
    throw invalid(
      'certificate',
      `has a certificate (${subject}) signed with ${hash}, which browsers refuse: order one signed with SHA-256.`,
    );
  }
}

/** @throws ApiError for keys that browsers or the proxy do not accept */
function keyTypeOf({ publicKey }: x509.X509Certificate): string {
  const algorithm = publicKey.algorithm as KeyAlgorithm;
  const { name, namedCurve = '', modulusLength = 0 } = algorithm;
  const isRsa = name.startsWith('RSA');
  if (isRsa && modulusLength >= rsaBits.min && modulusLength <= rsaBits.max) return `RSA ${modulusLength}`;
  if (name.startsWith('EC') && curves.includes(namedCurve)) return `EC ${namedCurve}`;
  const found = isRsa ? `RSA with ${modulusLength} bits` : `${name} ${namedCurve}`.trim();
  throw invalid(
    'certificate',
    `has a key of the type ${found}: order one with RSA of ${rsaBits.min} to ${rsaBits.max} bits, or EC with P-256 or P-384.`,
  );
}

function keyOf(text: string): PemBlock {
  const [block, ...more] = pemBlocks(text).filter(({ label }) => label.endsWith('PRIVATE KEY'));
  if (!block) throw invalid('privateKey', 'has no private key: give PEM with "-----BEGIN PRIVATE KEY-----".');
  if (more.length > 0)
    throw invalid('privateKey', 'has several private keys: give the one of the certificate.');
  if (block.label.startsWith('ENCRYPTED') || text.includes('Proc-Type: 4,ENCRYPTED'))
    throw invalid('privateKey', 'is encrypted: decrypt it first, such as with "openssl pkey -in key.pem".');
  return block;
}

/** @returns PEM in PKCS #8 @throws ApiError */
async function matchingKey(block: PemBlock, leaf: x509.X509Certificate): Promise<string> {
  const spki = new Uint8Array(leaf.publicKey.rawData);
  const bytes = block.label === 'PRIVATE KEY' ? block.bytes : pkcs8Of(block.bytes, spki);
  if (!(await belongTogether(bytes, leaf)))
    throw invalid(
      'privateKey',
      'does not belong to the certificate: give the key that the certificate was ordered with.',
    );
  return pemOf({ label: 'PRIVATE KEY', bytes });
}

async function belongTogether(pkcs8: Uint8Array<ArrayBuffer>, { publicKey }: x509.X509Certificate) {
  const { name, namedCurve } = publicKey.algorithm as KeyAlgorithm;
  const imported = name.startsWith('RSA')
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: namedCurve ?? '' };
  const used = { name: imported.name, hash: 'SHA-256' };
  try {
    const [secret, open] = await Promise.all([
      crypto.subtle.importKey('pkcs8', pkcs8, imported, false, ['sign']),
      crypto.subtle.importKey('spki', publicKey.rawData, imported, false, ['verify']),
    ]);
    const signature = await crypto.subtle.sign(used, secret, probe);
    return await crypto.subtle.verify(used, open, signature, probe);
  } catch {
    return false;
  }
}

const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const invalid = (field: keyof OwnCertificateBody, what: string) =>
  new ApiError('invalid_request', `The field "${field}" ${what}`);
