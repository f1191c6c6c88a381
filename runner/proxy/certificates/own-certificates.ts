/**
 * Certificates provided by owners of names, one file each, which Caddy serves instead of automatic ones. The names in the state file
 * decide: each start updates the files to match them.
 */
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { ServiceNames } from '../../../protocol/service-names.ts';
import { ownCertificateOperation, ownCertificateSchema } from '../../../protocol/traffic/own-certificate.ts';
import { messageOf } from '../../base/logger.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { fileNameOf, isServedName, nameOfFile, sampleOf } from '../route-names.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';

export interface OwnCertificatesParts {
  directory: string;
  httpsPort: number;
  /** Makes Caddy forget the certificates in its memory. */
  reload: () => Promise<void>;
  /** Receives one sentence for the runner's log. */
  report: (sentence: string) => void;
}

interface Stored extends StoredCertificate {
  fingerprint: string;
}

const ending = '.pem';
const handshakeTimeoutMs = 10_000;

export class OwnCertificates implements CertificateStore {
  readonly #parts: OwnCertificatesParts;
  readonly #stored = new Map<string, Stored>();
  #missing: ReadonlySet<string> = new Set();
  #checks: Promise<void> = Promise.resolve();
  #isFirst = true;

  constructor(parts: OwnCertificatesParts) {
    this.#parts = parts;
    mkdirSync(parts.directory, { recursive: true, mode: 0o700 });
    for (const file of readdirSync(parts.directory)) {
      const hostname = nameOfFile(file.slice(0, -ending.length));
      const stored = file.endsWith(ending) ? this.#read(hostname) : undefined;
      if (stored) this.#stored.set(hostname, stored);
      else rmSync(join(parts.directory, file), { force: true });
    }
  }

  /** The certificate provided for exactly this name. */
  of(hostname: string): StoredCertificate | undefined {
    return this.#stored.get(hostname);
  }

  /** True if this host does not have a certificate that was provided for the name: the control plane could not decrypt it, or it is damaged. */
  isMissing(hostname: string): boolean {
    return this.#missing.has(hostname);
  }

  /**
   * Replaces all certificates by those of these names. After that, new handshakes use them, except for names with an automatic certificate
   * in Caddy's memory, which follow.
   * @param open opens a sealed certificate; throws
   */
  set(names: ServiceNames['names'], open: (operation: string, sealed: string) => string): void {
    const wanted = new Map(
      names.flatMap(({ hostname, certificate }) => (certificate ? [[hostname, certificate]] : [])),
    );
    for (const hostname of this.#stored.keys()) {
      if (!wanted.has(hostname)) this.#remove(hostname);
    }
    const changed = [...wanted].flatMap(([hostname, { fingerprint, sealed }]) => {
      if (this.#stored.get(hostname)?.fingerprint === fingerprint || !sealed) return [];
      return this.#write(hostname, () => open(ownCertificateOperation(hostname), sealed)) ? [hostname] : [];
    });
    this.#missing = new Set([...wanted.keys()].filter((hostname) => !this.#stored.has(hostname)));
    // The runner may have stopped before Caddy had forgotten an automatic certificate.
    const unchecked = this.#isFirst ? [...this.#stored.keys()] : changed;
    this.#isFirst = false;
    if (unchecked.length === 0) return;
    this.#checks = this.#checks
      .then(() => this.#ensureServed(unchecked))
      .catch((error: unknown) => {
        this.#parts.report(`The proxy could not be asked for new certificates: ${messageOf(error)}`);
      });
  }

  /** Resolves when all certificates are served, or were reported as not served. */
  settled(): Promise<void> {
    return this.#checks;
  }

  #write(hostname: string, open: () => string): boolean {
    try {
      if (!isServedName(hostname)) throw new Error('this is no host name');
      const { certificate, privateKey } = ownCertificateSchema.parse(JSON.parse(open()));
      replaceFile(this.#file(hostname), certificate + privateKey);
      const stored = this.#read(hostname);
      if (!stored) throw new Error('it can not be read');
      this.#stored.set(hostname, stored);
      return true;
    } catch (error) {
      // The error's message could quote the unreadable content.
      const why = error instanceof SyntaxError ? 'it is damaged' : messageOf(error).slice(0, 200);
      this.#parts.report(`The certificate that was given for ${hostname} could not be stored: ${why}`);
      return false;
    }
  }

  #remove(hostname: string): void {
    rmSync(this.#file(hostname), { force: true });
    this.#stored.delete(hostname);
  }

  #read(hostname: string): Stored | undefined {
    try {
      const certificate = new X509Certificate(readFileSync(this.#file(hostname)));
      return {
        isOwn: true,
        notBefore: certificate.validFromDate.getTime(),
        expiresAt: certificate.validToDate.getTime(),
        fingerprint: plain(certificate.fingerprint256),
      };
    } catch {
      return undefined;
    }
  }

  #file(hostname: string): string {
    return join(this.#parts.directory, `${fileNameOf(hostname)}${ending}`);
  }

  /** Caddy keeps an automatic certificate in memory until its config is loaded again: only names that had one need that. */
  async #ensureServed(names: readonly string[]): Promise<void> {
    if ((await this.#unserved(names)).length === 0) return;
    await this.#parts.reload();
    const left = await this.#unserved(names);
    if (left.length === 0) return;
    this.#parts.report(`The proxy does not serve the certificates that were given for ${left.join(', ')}.`);
  }

  async #unserved(names: readonly string[]): Promise<string[]> {
    const unserved: string[] = [];
    for (const hostname of names) {
      const stored = this.#stored.get(hostname);
      if (!stored) continue;
      const served = await servedFingerprint(sampleOf(hostname), this.#parts.httpsPort);
      if (served !== stored.fingerprint) unserved.push(hostname);
    }
    return unserved;
  }
}

/** The content of this file, which is created at first use: 256 random bits in hexadecimal. */
export function keptSecret(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8');
    if (/^[0-9a-f]{64}$/.test(kept)) return kept;
  } catch {
    // The file does not exist yet.
  }
  const made = randomBytes(32).toString('hex');
  replaceFile(file, made);
  return made;
}

function servedFingerprint(hostname: string, httpsPort: number): Promise<string | undefined> {
  const to = { host: '127.0.0.1', port: httpsPort, servername: hostname, timeout: handshakeTimeoutMs };
  return new Promise((resolve) => {
    const socket = connect({ ...to, rejectUnauthorized: false }, () => {
      resolve(plain(socket.getPeerCertificate().fingerprint256));
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve(undefined));
  });
}

const plain = (fingerprint: string) => fingerprint.replaceAll(':', '').toLowerCase();
