/** Serves the requests of the starter: each starts one part of the instance, which this process keeps running until the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runScheduled } from '../control-plane/admin.ts';
import { startWorkerd, type Workerd, type WorkerdGiven } from '../control-plane/workerd.ts';
import { exampleRepository } from '../demo/example-repository.ts';
import { type ExampleGiven, serveGit } from '../demo/git-server.ts';
import type { HeldLock } from '../instance/lock-file.ts';
import type { ProcessIdentity } from '../instance/process-identity.ts';
import { writeLog } from '../instance/rotate-log.ts';
import type { Output } from '../output.ts';
import { startScheduledTimer } from '../scheduled-timer.ts';
import type { Undo } from '../undo.ts';
import type { RequestName, Requests, RunnerGiven } from './requests.ts';
import { startRunner } from './runner-process.ts';

export interface KeeperContext {
  lock: HeldLock;
  output: Output;
  undo: Undo;
}

export type Keeper = {
  [Name in RequestName]: (given: Requests[Name]['given']) => Promise<Requests[Name]['answer']>;
};

/** @returns the requests under their names; each registers the undo of its part. */
export function keeper({ lock, output, undo }: KeeperContext): Keeper {
  let control: Workerd | undefined;
  return {
    async workerd({ logFile, ...given }: WorkerdGiven) {
      const workerd = await startWorkerd({
        ...given,
        log: (line) => writeLog(logFile, line),
        onStart: (identity) => lock.update({ workerd: [identity] }),
      });
      control = workerd;
      undo.add('control plane', () => workerd.stop());
      return workerd.ports();
    },
    async minutes({ adminToken: token }) {
      const admin = { url: () => `http://127.0.0.1:${control?.ports().admin}`, token };
      const run = (minute: number) => runScheduled(admin, minute);
      undo.add(
        'minute timer',
        startScheduledTimer(clock, run, (error) => output.say(String(error))),
      );
      return null;
    },
    async runner(given: RunnerGiven) {
      const onProcess = (identity: ProcessIdentity | null) => lock.update({ runner: identity });
      const runner = startRunner({ ...given, onProcess, say: output.say });
      undo.add('runner', () => runner.stop());
      return null;
    },
    async example({ root, repository, workTree, port }: ExampleGiven) {
      const { sync } = await exampleRepository(repository, workTree);
      await sync();
      const git = await serveGit(root, { port, beforeRead: sync });
      undo.add('git server of the demo', () => git.close());
      return { url: git.url, port: git.port };
    },
  };
}

const clock = {
  now: Date.now,
  wait: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {}),
};
