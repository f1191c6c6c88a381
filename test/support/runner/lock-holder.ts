/** The locking part of a start: takes the lock, has a child that outlives it, prints both pids and keeps running. */
import { spawn } from 'node:child_process';
import { takeLock } from '../../../local/instance/instance-lock.ts';
import { mustIdentify } from '../../../local/instance/process-identity.ts';

const lock = await takeLock(process.argv[2] ?? '');
const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
child.unref();
lock.update({ workerd: [mustIdentify(child.pid ?? 0)] });
process.stdout.write(`${JSON.stringify({ orphan: mustIdentify(child.pid ?? 0) })}\n`);
setInterval(() => {}, 1000);
