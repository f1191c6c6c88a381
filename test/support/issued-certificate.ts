/** Certificates of a CA with an intermediate CA, as public CAs issue them; works in Node and in workerd. */
import 'reflect-metadata'; // @peculiar/x509 needs it before itself
import * as x509 from '@peculiar/x509';

export interface TestCa {
  /** PEM. */
  root: string;
  intermediate: string;
  issue(names: string[], options?: IssueOptions): Promise<{ leaf: string; chain: string; key: string }>;
}

export interface IssueOptions {
  key?: 'P-256' | 'P-384' | 'P-521' | 'RSA 2048' | 'RSA 1024';
  /** Hash of the signature; SHA-256 by default. */
  hash?: 'SHA-1' | 'SHA-384';
  /** Days from now. */
  from?: number;
  until?: number;
}

const dayMs = 86_400_000;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const authorityKeys = () => keyPair('P-256');
const isCa = () => [new x509.BasicConstraintsExtension(true, undefined, true)];
const valid = (from = -1, until = 30) => ({
  notBefore: new Date(Date.now() + from * dayMs),
  notAfter: new Date(Date.now() + until * dayMs),
});

export async function testCa(name = 'Test CA'): Promise<TestCa> {
  const [rootKeys, keys] = [await authorityKeys(), await authorityKeys()];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${name} Root`, keys: rootKeys, signingAlgorithm, extensions: isCa() },
    ...valid(-2, 365),
  });
  const intermediate = await x509.X509CertificateGenerator.create({
    ...{ subject: `CN=${name}`, issuer: root.subject, publicKey: keys.publicKey },
    ...{ signingKey: rootKeys.privateKey, signingAlgorithm, extensions: isCa() },
    ...valid(-2, 300),
  });
  const pem = (certificate: x509.X509Certificate) => `${certificate.toString('pem')}\n`;
  return {
    root: pem(root),
    intermediate: pem(intermediate),
    async issue(names, { key = 'P-256', hash = 'SHA-256', from, until } = {}) {
      const own = await keyPair(key);
      const certificate = await x509.X509CertificateGenerator.create({
        ...{ subject: 'CN=leaf', issuer: intermediate.subject, publicKey: own.publicKey },
        ...{ signingKey: keys.privateKey, signingAlgorithm: { ...signingAlgorithm, hash } },
        ...valid(from, until),
        extensions: [
          new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }) as const)),
        ],
      });
      const pkcs8 = await crypto.subtle.exportKey('pkcs8', own.privateKey);
      const leaf = pem(certificate);
      return {
        leaf,
        chain: leaf + pem(intermediate),
        key: `${x509.PemConverter.encode(pkcs8 as ArrayBuffer, 'PRIVATE KEY')}\n`,
      };
    },
  };
}

type Key = Parameters<typeof crypto.subtle.exportKey>[1];

async function keyPair(key: NonNullable<IssueOptions['key']>): Promise<{ publicKey: Key; privateKey: Key }> {
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: Uint8Array.of(1, 0, 1) };
  const algorithm = key.startsWith('RSA')
    ? { ...rsa, modulusLength: Number(key.slice(4)) }
    : { name: 'ECDSA', namedCurve: key };
  const made = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  if (!('privateKey' in made)) throw new Error('this is one key');
  return made;
}
