import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SelfSignedCertificate, selfSignedCertificate } from './self-signed-certificate.ts';

/** The certificate of the mail servers for tests in workerd. An environment variable passes it from vitest.config.ts to the servers. */
export async function mailCertificate(): Promise<SelfSignedCertificate> {
  process.env.TEST_MAIL_CERTIFICATE ??= JSON.stringify(
    await selfSignedCertificate('localhost', { names: ['localhost'] }),
  );
  return JSON.parse(process.env.TEST_MAIL_CERTIFICATE) as SelfSignedCertificate;
}

/** Loads the workerd pool. At load time its Miniflare reads NODE_EXTRA_CA_CERTS, and makes workerd trust the certificates in that file. */
export async function trustingMailServers<Pool>(load: () => Promise<Pool>): Promise<Pool> {
  const { NODE_EXTRA_CA_CERTS: before } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'longshore-mail-'));
  try {
    process.env.NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
    await writeFile(process.env.NODE_EXTRA_CA_CERTS, (await mailCertificate()).certificate);
    return await load();
  } finally {
    if (before === undefined) delete process.env.NODE_EXTRA_CA_CERTS;
    else process.env.NODE_EXTRA_CA_CERTS = before;
    await rm(folder, { recursive: true });
  }
}
