/** What is open at a switch of an installed host: `deploy-open.docker.test.ts` asks the same of this computer's Docker. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Door } from '../support/real-world/exchange.ts';
import { callingApp, type Seen } from '../support/real-world/internal-caller.ts';
import { realApp } from '../support/real-world/real-app.ts';
import {
  eventsClient,
  pollClient,
  slowClient,
  socketClient,
  uploadClient,
} from '../support/real-world/strange-clients.ts';
import { api, type Json, upload } from './faults/api.ts';
import { untilRunning } from './faults/scene.ts';
import { inMachine } from './machine.ts';
import { addressOf, type MachinePlaces } from './places.ts';

/** Connections that stay open between two services of the project. */
const callers = 4;
const silentMaxMs = 1_000;
/** Beside what the app itself takes. */
const laterMaxMs = 1_500;
/** New connections of the two callers until the switch: a build and a start. */
const oldAnswersMax = 150;
/** Until slow requests, which have no first byte, have reached the app. */
const reachedMs = 500;

/** @param print gets a line for each client @returns whether everything was as it must be */
export async function trySwitches(machine: MachinePlaces, print: (line: string) => void): Promise<boolean> {
  const { runners } = await api('GET', '/api/system/runners');
  const host = runners.findLast((one: Json) => one.name === machine.name && one.connected);
  if (!host) throw new Error(`${machine.name} is not connected.`);
  print(`Docker ${host.facts.dockerVersion}`);
  const { project } = await api('POST', '/api/projects', { name: 'Switches', description: '' });
  const made = async (name: string) => {
    const fields = { name, repoUrl: 'upload', runnerId: host.id, internalPort: 3000, env: [] };
    return (await api('POST', `/api/projects/${project.id}/services`, fields)).service;
  };
  const deploy = async (service: Json, files: Record<string, string>) => {
    const uploadId = await upload(service.id, files);
    const path = `/api/services/${service.id}/deployments`;
    await untilRunning((await api('POST', path, { uploadId })).deployment);
  };
  const restart = async (service: Json) =>
    untilRunning((await api('POST', `/api/services/${service.id}/restart`)).deployment);
  let isRight = true;
  try {
    const web = await made('web');
    await deploy(web, realApp('one'));
    const caller = await made('caller');
    await deploy(caller, callingApp('http://web:3000/', callers, 2));
    const seen = async (): Promise<Seen> =>
      JSON.parse(await inMachine(machine, ['curl', '-sS', `http://127.0.0.1:${caller.hostPort}/`]));
    const switches = [
      ['deployment', () => deploy(web, realApp('two'))],
      ['restart', () => restart(web)],
    ] as const;
    for (const [kind, change] of switches) {
      await seen();
      const wrong = await clientsOver(machine, web, change, (line) => print(`${kind}: ${line}`));
      const { kept, fresh, slowestMs } = await seen();
      // The end of the drain ends what a caller asks at that moment over a connection to the old version.
      const ended = kept.ECONNRESET ?? 0;
      const texts = Object.keys({ ...kept, ...fresh }).filter(
        (text) => !['one', 'two', ...(ended <= callers ? ['ECONNRESET'] : [])].includes(text),
      );
      print(
        `${kind}: internal callers: kept ${JSON.stringify(kept)}, new ${JSON.stringify(fresh)}, slowest ${slowestMs} ms`,
      );
      isRight &&= !wrong && texts.length === 0 && fresh.ECONNRESET === undefined && slowestMs <= laterMaxMs;
      // The old version serves for as long as the drain lasts, but nobody new is led to it.
      const left = kind === 'deployment' ? (fresh.one ?? 0) : 0;
      if (left > oldAnswersMax) print(`WRONG: ${left} new connections were led to the old version`);
      isRight &&= left <= oldAnswersMax;
    }
  } finally {
    await api('DELETE', `/api/projects/${project.id}`);
  }
  return isRight;
}

async function clientsOver(
  machine: MachinePlaces,
  service: Json,
  change: () => Promise<void>,
  print: (line: string) => void,
): Promise<boolean> {
  const name = new URL(service.primaryUrl).hostname;
  const doors: Door[] = [
    { host: addressOf(machine), port: 80, name },
    { host: addressOf(machine), port: 443, name, over: 'tls' },
    { host: addressOf(machine), port: 443, name, over: 'http2' },
  ];
  const clients = doors.flatMap((door) => [
    { client: slowClient(door, 6_000), ms: 6_000 },
    { client: pollClient(door, 12_000), ms: 12_000 },
    { client: uploadClient(door, 8_000), ms: 8_000 },
    { client: eventsClient(door, 10_000), ms: 10_000 },
    ...(door.over === 'http2' ? [] : [{ client: socketClient(door), ms: 0 }]),
  ]);
  await Promise.all(clients.map(({ client }) => client.begun));
  await delay(reachedMs);
  await change();
  let isWrong = false;
  for (const { client, ms } of clients) {
    const { kind, how, tookMs, silentMs } = await client.ending;
    const isAsWanted =
      silentMs <= silentMaxMs &&
      (ms === 0 ? how === 'ended' : how === 'answered' && tookMs <= ms + laterMaxMs);
    isWrong ||= !isAsWanted;
    print(
      `${isAsWanted ? 'as required' : 'WRONG'}: ${kind} ${how} after ${tookMs} ms, silent ${silentMs} ms`,
    );
  }
  return isWrong;
}
