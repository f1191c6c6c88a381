/** A port of the block for services that another program has taken before the runner starts, as containerd did at one boot in 28. */
import { setTimeout as pause } from 'node:timers/promises';
import { bootReservationFile } from '../../runner/setup/reserved-ports.ts';
import { api, type Json, upload } from './faults/api.ts';
import { untilRunning } from './faults/scene.ts';
import { inMachine } from './machine.ts';
import { addressOf, type MachinePlaces } from './places.ts';

/** A boot of the runner and its proxy, on a busy computer. */
const backLimitMs = 60_000;
const factsLimitMs = 90_000;
const pollMs = 250;
const caddyProcess = '/var/lib/longshore/runner/caddy/process.json';

/** @param print gets a line for each step @returns whether everything was as it must be */
export async function tryBootPorts(machine: MachinePlaces, print: (line: string) => void): Promise<boolean> {
  const host = await hostOf(machine);
  const { first, last } = host.facts.webPorts;
  const { project } = await api('POST', '/api/projects', { name: 'Boot ports', description: '' });
  const fields = { name: 'web', repoUrl: 'upload', runnerId: host.id, env: [] };
  const { service } = await api('POST', `/api/projects/${project.id}/services`, fields);
  const shell = (line: string) => inMachine(machine, ['sh', '-c', line], { timeoutMs: 120_000 });
  const settings = await shell('cat /proc/sys/net/ipv4/ip_local_port_range');
  try {
    const uploadId = await upload(service.id, {
      Dockerfile: 'FROM node:24-slim\nCOPY server.js .\nCMD ["node", "server.js"]\n',
      'server.js':
        "require('node:http').createServer((_, s) => s.end('ok')).listen(process.env.PORT ?? 3000);\n",
    });
    await untilRunning(
      (await api('POST', `/api/services/${service.id}/deployments`, { uploadId })).deployment,
    );
    // What a boot looked like before the ports were reserved at boot: containerd takes a random port of the range, which is the block.
    await shell(
      `systemctl stop longshore-runner; kill -9 $(grep -o '"pid": *[0-9]*' ${caddyProcess} | grep -o '[0-9]*')`,
    );
    await shell(
      `sysctl -qw net.ipv4.ip_local_reserved_ports= net.ipv4.ip_local_port_range="${first} ${last}" && systemctl restart containerd`,
    );
    await shell(`sysctl -qw net.ipv4.ip_local_port_range="${settings.trim()}"`); // or no port is left for anybody
    const foreign = await shell(`ss -Hltn 'sport >= ${first} and sport <= ${last}'`);
    print(`taken by others: ${foreign.trim().split(/\s+/)[3] ?? 'none'}`);
    const from = performance.now();
    await shell('systemctl start longshore-runner');
    const name = new URL(service.primaryUrl).host;
    const isBack = await within(backLimitMs, async () => {
      const answer = await shell(`curl -s -m 2 -H 'Host: ${name}' http://${addressOf(machine)}/ || true`);
      return answer.trim() === 'ok';
    });
    print(`the app answers ${isBack ? `after ${Math.round(performance.now() - from)} ms` : 'not'}`);
    const isTold = await within(
      factsLimitMs,
      async () => (await hostOf(machine)).facts.foreignPorts.length > 0,
    );
    print(`warning of the host: ${(await hostOf(machine)).warning}`);
    await shell(`sysctl -qp ${bootReservationFile}`);
    const reserved = await shell('cat /proc/sys/net/ipv4/ip_local_reserved_ports');
    print(`reserved for the next boot: ${reserved.trim()}`);
    return isBack && isTold && reserved.includes(`${first}-${last}`) && foreign.trim() !== '';
  } finally {
    await shell(`sysctl -qw net.ipv4.ip_local_port_range="${settings.trim()}"`);
    await api('DELETE', `/api/projects/${project.id}`);
  }
}

async function hostOf(machine: MachinePlaces): Promise<Json> {
  const { runners } = await api('GET', '/api/system/runners');
  const host = runners.findLast((one: Json) => one.name === machine.name && one.connected);
  if (host) return host;
  await pause(1_000);
  return hostOf(machine);
}

async function within(limitMs: number, look: () => Promise<boolean>): Promise<boolean> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    if (await look()) return true;
    await pause(pollMs);
  }
  return false;
}
