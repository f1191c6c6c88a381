/** Answers requests of the control plane for a waiting client. */
import type { HostRequest, HostRequestOf } from '../../protocol/host-request.ts';
import type { Clock } from '../base/clock.ts';
import type { HostDatabaseTls } from '../database-tls/database-tls.ts';
import type { DatabaseAnswers } from '../databases/database-answers.ts';
import type { DockerHost } from '../docker/client.ts';
import { readDiskSpace } from '../docker/disk-space.ts';
import type { HostMetrics } from '../metrics/metrics.ts';
import type { ChallengeBoard } from '../proxy/certificates/wildcard/challenge-board.ts';
import type { Traffic } from '../proxy/traffic.ts';
import { Shells } from '../shells/shells.ts';
import type { SendBackupParts } from '../storage/answer-send-backup.ts';
import { lookUpTxt } from './domains/look-up.ts';
import type { HostLogs } from './keep-logs.ts';
import type { SourceReader } from './read-source.ts';

/** One function per request; a missing function does not compile. */
type AnswerByOp = { [Op in HostRequest['op']]: (ask: HostRequestOf<Op>) => Promise<unknown> };

export interface HostAnswers {
  byOp: AnswerByOp;
  /** Closes the sessions with databases, and the shells. Never rejects. */
  stop(): Promise<void>;
}

export interface HostAnswerParts {
  traffic: Traffic;
  challenges: Pick<ChallengeBoard, 'answered'>;
  docker: DockerHost;
  clock: Clock;
  databaseTls: Pick<HostDatabaseTls, 'ofTenant'>;
  /** Decrypts a request of this kind. @throws Error when it was encrypted for another purpose */
  openRequest(op: string, sealed: string): string;
  backups: Omit<SendBackupParts, 'openIdentity'>;
  metrics: Pick<HostMetrics, 'answer' | 'answerMany'>;
  logs: Pick<HostLogs, 'search' | 'drainStatus' | 'testDrain'>;
  /** True if registries may have private addresses. */
  allowPrivateSources: boolean;
}

export function createHostAnswers(parts: HostAnswerParts): HostAnswers {
  const { traffic, challenges, docker, clock, databaseTls, openRequest, backups, metrics, logs } = parts;
  const allowPrivate = parts.allowPrivateSources;
  let databases: Promise<DatabaseAnswers> | undefined;
  let reader: Promise<SourceReader> | undefined;
  const shells = new Shells({ docker, clock, controlPlaneUrl: backups.controlPlaneUrl });
  return {
    byOp: {
      'probe-route': ({ hostname }) => traffic.probe(hostname),
      // Loaded on demand: few hosts ever need it.
      namecheap: async ({ op, sealed }) => {
        const { answerNamecheap } = await import('./namecheap/answer-namecheap.ts');
        return answerNamecheap(openRequest(op, sealed));
      },
      'send-backup': async (ask) => {
        const { answerSendBackup } = await import('../storage/answer-send-backup.ts');
        const openIdentity = (sealed: string) => openRequest(ask.op, sealed);
        return answerSendBackup({ ...backups, openIdentity }, ask);
      },
      // Loaded on demand: the drivers take megabytes.
      database: async (ask) => {
        databases ??= import('../databases/database-answers.ts').then(({ createDatabaseAnswers }) =>
          createDatabaseAnswers({ docker, clock }),
        );
        return (await databases).answer(ask);
      },
      'database-tls': async (ask) => {
        const { answerDatabaseTls } = await import('../database-tls/answer-database-tls.ts');
        return await answerDatabaseTls({ docker, clock, tls: databaseTls }, ask);
      },
      'look-up-txt': ({ name }) => lookUpTxt(name),
      'challenge-answer': async ({ hostname, value, ok, detail }) =>
        challenges.answered(hostname, value, { ok, detail }),
      // Loaded on demand: only needed after the control plane's database was restored.
      inventory: async () => {
        const { takeInventory } = await import('./take-inventory.ts');
        return takeInventory({ docker, traffic, dataDirectory: backups.dataDirectory });
      },
      'open-shell': (ask) => shells.open(ask),
      metrics: async (ask) => metrics.answer(ask),
      'many-metrics': async (ask) => metrics.answerMany(ask),
      'search-logs': ({ search }) => logs.search(search),
      'drain-status': async ({ drainId }) => logs.drainStatus(drainId),
      'test-drain': async ({ op, sealed }) => logs.testDrain(openRequest(op, sealed)),
      'measure-volumes': async (ask) => {
        const { measureVolumes } = await import('./measure-volumes.ts');
        return measureVolumes({ docker, clock }, ask);
      },
      'image-digest': async ({ op, imageRef, sealed }) => {
        const { answerImageDigest } = await import('./answer-image-digest.ts');
        return answerImageDigest({ docker, clock, allowPrivate }, imageRef, openRequest(op, sealed));
      },
      // Loaded on demand: the analyzer and its detectors take megabytes.
      'read-source': async ({ op, source, sealed }) => {
        reader ??= import('./read-source.ts').then(
          ({ SourceReader }) =>
            new SourceReader({
              docker,
              clock,
              allowPrivate,
              readDiskSpace,
              dataDirectory: backups.dataDirectory,
            }),
        );
        return (await reader).read({ source, secrets: openRequest(op, sealed) });
      },
      // Loaded on demand, like all functions for rare requests.
      upgrade: async () => {
        const { startUpgrade } = await import('./upgrade-host.ts');
        return startUpgrade(backups.dataDirectory);
      },
    },
    stop: async () => {
      await Promise.all([shells.stop(), databases?.then((opened) => opened.close())]);
    },
  };
}

/** Answers a request by its kind. @throws Error, EngineError or DockerError with the reason why there is no answer */
export function answerHostRequest({ byOp }: HostAnswers, ask: HostRequest): Promise<unknown> {
  // Each name maps to the function for requests of that name; TypeScript can't derive this from key and value.
  const answer = byOp[ask.op] as (ask: HostRequest) => Promise<unknown>;
  return answer(ask);
}
