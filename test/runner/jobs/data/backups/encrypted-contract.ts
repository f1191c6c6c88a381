/** What encrypted backups promise of every engine, with the real server. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { plainBytesOf } from '../../../../../protocol/backup-encryption.ts';
import type { BackupSpec } from '../../../../../protocol/job-spec.ts';
import { answerSendBackup } from '../../../../../runner/storage/answer-send-backup.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import type { Backup, Database } from '../../../../support/docker/use-databases.ts';

export interface EncryptedFixture {
  database: Database;
  /** How the decrypted file begins. */
  magic: string | Buffer;
  /** One value in the database, of which the tests tell old data from new. */
  setAnswer(value: number): Promise<unknown>;
  answer(): Promise<number | string | null>;
}

export interface TestKey {
  identity: string;
  encryption: NonNullable<BackupSpec['encryption']>;
}

export async function newKey(): Promise<TestKey> {
  const identity = await generateX25519Identity();
  return {
    identity,
    encryption: { keyId: testId('backupKey'), recipient: await identityToRecipient(identity) },
  };
}

export async function encryptedBackUp(database: Database, { encryption }: TestKey): Promise<Backup> {
  const spec = { ...database.backupSpec(), encryption };
  const result = await database.run(spec);
  if (!('facts' in result && result.facts.archive)) throw new Error(JSON.stringify(result));
  return { id: spec.backupId, serviceId: spec.serviceId, ...result.facts.archive };
}

const ageBegins = 'age-encryption.org/v1';

/** Run inside a test file of the engine. */
export function encryptedContract({ database, magic, setAnswer, answer }: EncryptedFixture): void {
  const answerNow = () => answer().then(String);
  let key: TestKey;
  const backUp = () => encryptedBackUp(database, key);

  describe('encrypted backup', () => {
    beforeAll(async () => {
      key = await newKey();
    });
    beforeEach(async () => {
      await database.removeOldData();
      await setAnswer(42);
    });

    test('the stored file names its key, the identity alone opens it, and a download sends what is in it', async () => {
      const backup = await backUp();
      expect(backup.encryptedWith).toBe(key.encryption.keyId);
      const stored = await readFile(database.pathOf(backup.id));
      const decrypter = new Decrypter();
      decrypter.addIdentity(key.identity);
      const plain = Buffer.from(await decrypter.decrypt(stored));
      expect(plain.subarray(0, magic.length)).toEqual(Buffer.from(magic));
      expect(stored.subarray(0, ageBegins.length).toString()).toBe(ageBegins);
      expect(stored.includes(plain.subarray(0, 64))).toBe(false);
      const received = await downloaded(database, backup, key.identity);
      expect([received.length, received.equals(plain)]).toEqual([plainBytesOf(backup.sizeBytes), true]);
      const other = await generateX25519Identity();
      await expect(downloaded(database, backup, other)).rejects.toThrow(/another key/);
    });

    test('a drill and a restore read it, and the safety copy is encrypted, too', async () => {
      const backup = await backUp();
      const open = { backupIdentity: key.identity };
      expect(await database.run(database.drillSpec(backup), open)).toMatchObject({ outcome: 'succeeded' });
      await setAnswer(7);
      const spec = { ...database.restoreSpec(backup), encryption: key.encryption };
      const archive = { encryptedWith: key.encryption.keyId };
      expect(await database.run(spec, open)).toMatchObject({ outcome: 'succeeded', facts: { archive } });
      expect(await answerNow()).toBe('42');
      const safety = await readFile(database.pathOf(spec.safetyBackupId));
      expect(safety.subarray(0, ageBegins.length).toString()).toBe(ageBegins);
    });

    test('a restore with another key, or none, is refused by the name of the key, and nothing is changed', async () => {
      const backup = await backUp();
      await setAnswer(7);
      for (const open of [{ backupIdentity: await generateX25519Identity() }, {}]) {
        expect(await database.run(database.restoreSpec(backup), open)).toMatchObject({
          code: 'backup_damaged',
          message: expect.stringMatching(
            new RegExp(`needs the key ${key.encryption.keyId}.*Nothing was changed`),
          ),
        });
      }
      expect(await answerNow()).toBe('7');
      expect(await database.belongings()).toEqual(database.alone());
    });
  });
}

/** What a played control plane receives of a download. @throws what the host answers instead */
async function downloaded(
  { fixture: { host } }: Database,
  { id: backupId, serviceId, sizeBytes }: Backup,
  identity: string,
): Promise<Buffer> {
  const end = plainBytesOf(sizeBytes);
  const received = Promise.withResolvers<Buffer>();
  let bytes = Buffer.alloc(0);
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    bytes = Buffer.concat([bytes, await buffer(request)]);
    response.end(JSON.stringify({ offset: bytes.length }));
    if (bytes.length >= end) received.resolve(bytes);
  };
  const server = createServer((request, response) => void take(request, response).catch(received.reject));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const controlPlaneUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logger = { warn: (text: string) => received.reject(new Error(text)) };
  const parts = { dataDirectory: host.dataDirectory, controlPlaneUrl, openIdentity: () => identity, logger };
  const request = { transferId: testId('transfer'), transferToken: 'token', sealedIdentity: 'sealed' };
  await answerSendBackup(parts, {
    ...{ op: 'send-backup', backupId, serviceId, offset: 0, end },
    ...request,
  });
  return await received.promise;
}
