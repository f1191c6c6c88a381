/** Machines that become hosts, by the command that the control plane prints and nothing else. */
import { spawn } from 'node:child_process';
import { StartError } from '../../local/start-error.ts';
import { type ControlPlaneAccess, controlPlaneAccess } from './control-plane.ts';
import { entering, inMachine } from './machine.ts';
import type { MachinePlaces } from './places.ts';

/** On a machine without Docker and git, apt downloads for most of this time. */
const installTimeoutMs = 900_000;

/** @throws StartError when no control plane has run yet */
export function access(): ControlPlaneAccess {
  const found = controlPlaneAccess();
  if (found) return found;
  throw new StartError('option', 'There is no control plane yet: npm run lab -- control-plane');
}

/** The command for a new host of this name, as the operator gets it. */
export async function printedCommand(name: string): Promise<string> {
  const { url, operatorToken } = access();
  const response = await fetch(`${url}/api/system/runners`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const reply = (await response.json()) as { command?: string };
  if (reply.command) return reply.command;
  throw new Error(`the control plane gave no command: ${JSON.stringify(reply)}`);
}

/** @param more arguments after the printed ones, such as `--allow-private git` @returns what it printed */
export async function installHost(machine: MachinePlaces, more: readonly string[] = []): Promise<string> {
  const command = [await printedCommand(machine.name), ...more].join(' ');
  return await inMachine(machine, ['sh', '-c', command], { timeoutMs: installTimeoutMs });
}

/** Copies images of this computer's Docker into the machine's. @throws Error */
export async function loadImages(machine: MachinePlaces, images: readonly string[]): Promise<void> {
  const [file = '', ...args] = await entering(machine, ['docker', 'load', '--quiet']);
  const saved = spawn('docker', ['save', ...images], { stdio: ['ignore', 'pipe', 'inherit'] });
  const loaded = spawn(file, args, { stdio: [saved.stdout, 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => loaded.once('close', resolve));
  if (code !== 0) throw new Error(`docker load in ${machine.name}: exit code ${code}`);
}
