/** `npm run lab`: machines with real systemd on this computer (docs/design/lab.md). Needs root. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createOutput, processTarget } from '../../local/output.ts';
import { StartError } from '../../local/start-error.ts';
import { tryBootPorts } from './boot-ports.ts';
import { controlPlanePort, startLabControlPlane } from './control-plane.ts';
import { runRounds, tableOf } from './faults/rounds.ts';
import { installHost, loadImages } from './hosts.ts';
import { ensureImage } from './image.ts';
import {
  copyMachine,
  cutPower,
  entering,
  inMachine,
  isOn,
  makeMachine,
  removeMachine,
  setLink,
  startMachine,
  stopMachine,
  untilBooted,
} from './machine.ts';
import { networkDown } from './network.ts';
import { addressOf, labDirectory, machinePlaces, network } from './places.ts';
import { trySwitches } from './switches.ts';
import { tryTenants } from './tenants.ts';

const help = `npm run lab -- COMMAND

  image RELEASE            make the image of bookworm, trixie or forky, unless it exists
  make RELEASE NAME        a machine from that image
  copy FROM NAME           a machine with a copy of another one's disk, which must be off
  start NAME               boot it, and wait until the boot is over
  in NAME COMMAND ...      run a program in it, as root
  stop NAME                end it without a shutdown; its files stay
  reboot NAME              a reboot by its own systemd
  power-cut NAME           end it, and lose what was not on its disk yet
  link NAME on|off         plug in or pull its network cable
  control-plane            run a control plane that the machines reach, until Ctrl-C
  add-host NAME            install the host by the command that the control plane prints
  images NAME IMAGE ...    give it images of this computer's Docker, as there may be no registry
  faults --machine NAME [--other NAME] --seed N --rounds M [--fault F] [--operation O]
                           random faults in the middle of operations, and what then must hold; with a
                           second host also moves between the two
  switches NAME            what is open at deployments and restarts of this host goes on to its end
  boot-ports NAME          a port of the services is taken before the runner starts; apps must come back
  tenants NAME             two tenants on this host: what one reaches of the other and of the host
  list                     all machines
  remove NAME              end it and remove its disk
  down                     remove the network of the lab, when no machine is on

LONGSHORE_LAB: the directory of images and machines (${labDirectory}).`;

const output = createOutput(processTarget());
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  output.fail(error);
  process.exitCode = error instanceof StartError && error.code === 'option' ? 2 : 1;
}

async function main([command, ...args]: string[]): Promise<number> {
  if (command === undefined || command === '--help' || command === 'help') {
    output.print(help);
    return command === undefined ? 2 : 0;
  }
  if (process.getuid?.() !== 0) throw new StartError('option', 'The lab needs root: use sudo.');
  const [first = '', second = ''] = args;
  switch (command) {
    case 'image':
      await output.step(`image of ${first}`, () => ensureImage(first));
      return 0;
    case 'make':
      await output.step(`${second} from ${first}`, () => makeMachine(first, second));
      return 0;
    case 'copy':
      await output.step(`${second} from ${first}`, () => copyMachine(first, second));
      return 0;
    case 'control-plane':
      return await serve();
    case 'faults':
      return await strike(args);
    case 'list':
      return await list();
    case 'down':
      await networkDown();
      return 0;
  }
  const machine = machinePlaces(first);
  addressOf(machine);
  switch (command) {
    case 'start':
      await output.step(`boot of ${first}`, async () => {
        await startMachine(machine);
        await untilBooted(machine);
      });
      output.print(`${first}: ${addressOf(machine)}`);
      return 0;
    case 'in':
      return await run(await entering(machine, args.slice(1)));
    case 'stop':
      await stopMachine(machine);
      return 0;
    case 'reboot':
      await inMachine(machine, ['systemctl', 'reboot']);
      return 0;
    case 'power-cut':
      await cutPower(machine);
      return 0;
    case 'link':
      if (second !== 'on' && second !== 'off')
        throw new StartError('option', 'link NAME on, or link NAME off.');
      await setLink(machine, second === 'on');
      return 0;
    case 'add-host':
      await output.step(`installation of ${first}`, () => installHost(machine, args.slice(1)));
      return 0;
    case 'images':
      await output.step(`images for ${first}`, () => loadImages(machine, args.slice(1)));
      return 0;
    case 'switches':
      return (await trySwitches(machine, (line) => output.print(line))) ? 0 : 1;
    case 'boot-ports':
      return (await tryBootPorts(machine, (line) => output.print(line))) ? 0 : 1;
    case 'tenants':
      return (await tryTenants(machine, (line) => output.print(line))) ? 0 : 1;
    case 'remove':
      await removeMachine(machine);
      return 0;
    default:
      throw new StartError('option', `There is no command "${command}".\n${help}`);
  }
}

async function list(): Promise<number> {
  for (const name of await readdir(join(labDirectory, 'machines')).catch(() => [])) {
    const machine = machinePlaces(name);
    output.print(`${name}  ${addressOf(machine)}  ${(await isOn(machine)) ? 'on' : 'off'}`);
  }
  return 0;
}

async function strike(args: string[]): Promise<number> {
  const text = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({
    args,
    options: {
      machine: { type: 'string' },
      other: { type: 'string' },
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '10' },
      fault: text,
      operation: text,
    },
  });
  if (!values.machine)
    throw new StartError('option', 'faults needs --machine NAME, a host of the control plane.');
  const rounds = await runRounds({
    machine: values.machine,
    other: values.other,
    seed: Number(values.seed),
    rounds: Number(values.rounds),
    faults: values.fault,
    operations: values.operation,
    print: (line) => output.print(line),
  });
  output.print(tableOf(rounds));
  return rounds.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

async function serve(): Promise<number> {
  const controlPlane = await startLabControlPlane();
  output.print(
    `control plane: ${controlPlane.url}, for machines http://${network.gateway}:${controlPlanePort}`,
  );
  output.print(`keys: ${join(labDirectory, 'control-plane/access.json')}`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  await controlPlane.stop();
  return 0;
}

function run([file = '', ...args]: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    spawn(file, args, { stdio: 'inherit' })
      .once('error', reject)
      .once('close', (code) => resolve(code ?? 1));
  });
}
