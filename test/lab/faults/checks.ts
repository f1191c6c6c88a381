/** What must hold after each round. */
import { inMachine } from '../machine.ts';
import { api, type Json } from './api.ts';
import { answerOf, readData, type Scene } from './scene.ts';

/** Jobs that have not ended. */
export async function unfinished(scene: Scene): Promise<string[]> {
  const found: string[] = [];
  const { runners } = await api('GET', '/api/system/runners');
  for (const id of [scene.runnerId, ...(scene.other ? [scene.other.runnerId] : [])])
    if (!runners.find((one: Json) => one.id === id)?.connected) found.push(`the host ${id} is not connected`);
  for (const service of [scene.web, scene.files, scene.database]) {
    const { deployments } = await api('GET', `/api/services/${service.id}/deployments`);
    for (const one of deployments)
      if (['queued', 'building'].includes(one.status)) found.push(`deployment ${one.id} is ${one.status}`);
  }
  const { backups } = await api('GET', `/api/services/${scene.database.id}/database/backups`);
  const { backups: copies } = await api('GET', `/api/services/${scene.files.id}/volume-backups`);
  const { runs } = await api('GET', `/api/services/${scene.web.id}/runs`);
  for (const one of [...backups, ...copies, ...runs]) {
    const states = [one.status ?? one.state, one.restore?.status, one.restore?.state];
    if (states.some((state) => ['queued', 'pending', 'running'].includes(state)))
      found.push(`${one.id} is ${states.filter(Boolean).join(', ')}`);
  }
  return found;
}

/** What is shown and what is so, where they differ. */
export async function untrue(scene: Scene): Promise<string[]> {
  const { deployments } = await api('GET', `/api/services/${scene.web.id}/deployments`);
  const shown = scene.versions.get(deployments.find((one: Json) => one.status === 'running')?.id);
  const served = await answerOf(scene);
  const found = shown === served ? [] : [`shown is "${shown}", served "${served}"`];
  for (const service of [scene.web, scene.files, scene.database]) {
    const { service: seen } = await api('GET', `/api/services/${service.id}`);
    if (!seen.reachable) found.push(`${service.name} is shown as not reachable`);
  }
  return found;
}

export async function damaged(scene: Scene): Promise<string[]> {
  const now = await readData(scene);
  return (['files', 'rows'] as const).flatMap((name) =>
    now[name] === scene.data[name] ? [] : [`${name} differ: ${now[name]}, not ${scene.data[name]}`],
  );
}

/** Everything on the machine that a job could leave behind, as lines. Two of them without faults between are equal. */
export async function remains(scene: Scene): Promise<string[]> {
  const script = `
docker ps -a --format '{{.Label "longshore.service"}} {{.State}}' | sed 's/^/container /'
docker network ls --format 'network {{.Name}}'
docker volume ls --format 'volume {{.Name}}'
nft list tables
find /var/lib/longshore/runner /opt/longshore \\( -name '*.new' -o -name '*.part' -o -name '*.unfinished' -o -name '.unpacking-*' -o -name '.installing-*' -o -name '.caddy-*' \\)
find /var/lib/longshore/runner/work -mindepth 1 -maxdepth 1 2>/dev/null
true`;
  const lines: string[] = [];
  for (const machine of machinesOf(scene)) {
    const printed = await inMachine(machine, ['sh', '-c', script]);
    lines.push(
      ...printed
        .trim()
        .split('\n')
        .map((line) => `${machine.name}: ${line}`),
    );
  }
  return lines.sort();
}

export const machinesOf = ({ machine, other }: Scene) => [machine, ...(other ? [other.machine] : [])];

/** Lines that are only in one of both. */
export function differences(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...after.filter((line) => !before.includes(line)).map((line) => `left over: ${line}`),
    ...before.filter((line) => !after.includes(line)).map((line) => `gone: ${line}`),
    ...(before.length === after.length ? [] : [`${after.length} things, ${before.length} before`]),
  ];
}
