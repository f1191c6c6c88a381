/** Certificates for this host's databases. The libraries are loaded with the first certificate: few hosts ever need them. */
import { type KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idSchema } from '../../protocol/ids.ts';
import type { Clock } from '../base/clock.ts';
import { sameSpelling } from '../base/own-addresses.ts';
import { RunnerError } from '../base/runner-error.ts';
import type { Authority } from './authority.ts';

/** Certificates of one tenant's databases, from a CA that no other tenant's clients trust. */
export interface DatabaseTls {
  /** The certificate of the CA; `null` if there is no CA yet. @throws Error when its file can't be read */
  authority(): X509Certificate | null;
  /** All names of a database. @param given the control plane's names for it; this host's own names are added */
  namesOf(given: readonly string[]): Promise<string[]>;
  /** A new key with its certificate, both PEM. @throws RunnerError `keys_unusable` */
  issue(serviceId: string, names: readonly string[]): Promise<{ key: string; certificate: string }>;
  /** A new certificate, PEM, for an existing key. @throws RunnerError `keys_unusable` */
  reissue(serviceId: string, names: readonly string[], publicKey: KeyObject): Promise<string>;
}

/** The CAs of this host; the methods themselves use that of the default tenant. */
export interface HostDatabaseTls extends DatabaseTls {
  /** @param tenantId `undefined` or empty for the default tenant @throws RunnerError `keys_unusable` if it is not an id */
  ofTenant(tenantId: string | undefined): DatabaseTls;
}

export interface DatabaseTlsParts {
  dataDirectory: string;
  runnerId: string;
  clock: Clock;
  /** The host's public address; `null` if it is unknown. */
  publicAddress: () => Promise<string | null>;
}

/** The names that clients on the host or in the container use. */
const localNames = ['localhost', '127.0.0.1'];

export function createDatabaseTls(parts: DatabaseTlsParts): HostDatabaseTls {
  const directory = join(parts.dataDirectory, 'database-tls');
  const own = tlsOf(parts, { file: join(directory, 'ca.pem'), title: parts.runnerId });
  const tenants = new Map<string, DatabaseTls>();
  return {
    ...own,
    ofTenant(tenantId) {
      if (!tenantId) return own;
      const known = tenants.get(tenantId);
      if (known) return known;
      // The id becomes a file name.
      if (!idSchema('tenant').safeParse(tenantId).success) {
        throw new RunnerError('keys_unusable', `"${tenantId}" is not the id of a tenant.`);
      }
      const file = join(directory, 'tenants', `${tenantId}.pem`);
      const made = tlsOf(parts, { file, title: `${parts.runnerId} ${tenantId}` });
      tenants.set(tenantId, made);
      return made;
    },
  };
}

/** @param title of the CA, for human readers */
function tlsOf(
  { clock, publicAddress }: DatabaseTlsParts,
  { file, title: authorityTitle }: { file: string; title: string },
): DatabaseTls {
  let opening: Promise<Authority> | undefined;
  const tools = () => import('./authority.ts');
  const opened = async () => {
    const { openAuthority } = await tools();
    opening ??= openAuthority(file, authorityTitle, clock.now());
    opening.catch(() => {
      opening = undefined;
    });
    return await opening;
  };
  const certificateFor = async (
    serviceId: string,
    names: readonly string[],
    publicKey: webcrypto.CryptoKey,
  ) => {
    const { issueCertificate } = await tools();
    return await issueCertificate(await opened(), { title: serviceId, names, publicKey }, clock.now());
  };
  return {
    authority: () => (existsSync(file) ? new X509Certificate(readFileSync(file)) : null),
    async namesOf(given) {
      const own = await publicAddress();
      return [...new Set([...given, ...(own === null ? [] : [own]), ...localNames].map(sameSpelling))];
    },
    async issue(serviceId, names) {
      const { p256, privateKeyPem } = await tools();
      const { publicKey, privateKey } = await webcrypto.subtle.generateKey(p256, true, ['sign', 'verify']);
      return {
        key: await privateKeyPem(privateKey),
        certificate: await certificateFor(serviceId, names, publicKey),
      };
    },
    async reissue(serviceId, names, publicKey) {
      const { p256 } = await tools();
      const der = publicKey.export({ format: 'der', type: 'spki' });
      const imported = await webcrypto.subtle.importKey('spki', der, p256, true, ['verify']);
      return await certificateFor(serviceId, names, imported);
    },
  };
}
