/** Certificates for tests, created in this process: a small Debian has no `openssl`. */
import 'reflect-metadata'; // @peculiar/x509 needs it before itself
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface SelfSignedCertificate {
  /** PEM, as is the key. */
  certificate: string;
  key: string;
}

const p256 = { name: 'ECDSA', namedCurve: 'P-256' };
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const dayMs = 24 * 3_600_000;

/** Creates a certificate that is its own root. @param addresses valid IP addresses @param names valid host names */
export async function selfSignedCertificate(
  name: string,
  { days = 30, addresses = [], names = [] }: { days?: number; addresses?: string[]; names?: string[] } = {},
): Promise<SelfSignedCertificate> {
  const keys = await webcrypto.subtle.generateKey(p256, true, ['sign', 'verify']);
  const notBefore = new Date();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore,
    notAfter: new Date(notBefore.getTime() + days * dayMs),
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      ...(addresses.length + names.length === 0 ? [] : [alternativeNames(addresses, names)]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}

const alternativeNames = (addresses: string[], names: string[]) =>
  new x509.SubjectAlternativeNameExtension([
    ...addresses.map((value) => ({ type: 'ip', value }) as const),
    ...names.map((value) => ({ type: 'dns', value }) as const),
  ]);
