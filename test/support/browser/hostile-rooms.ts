/** Fills an instance with texts of hostile users, through its API and its host, and returns which pages of the dashboard show which texts. */
import { expect, vi } from 'vitest';
import { testCa } from '../issued-certificate.ts';
import { scriptCorpus } from '../script-texts.ts';
import {
  actorsMax,
  details,
  headersMax,
  hundred,
  joined,
  keyNames,
  memberNames,
  messages,
  printable,
  projectNames,
  schemes,
  serviceNames,
  short,
} from './hostile-names.ts';
import type { UsedDashboard } from './use-dashboard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test
type Json = any;

export interface TextRoom {
  path: string;
  /** Texts that the page must show unchanged. */
  texts: readonly string[];
  /** A button that shows more of them. */
  opens?: string | RegExp;
  /** Texts that the page must show after that. */
  opened?: readonly string[];
}

/** Number of parallel calls: the control plane answers one after the other anyway. */
const atOnce = 4;
/** Most drains of a project. */
const drainsMax = 5;

let used: UsedDashboard;
const shop = {} as Json;
const web = {} as Json;
const rooms: TextRoom[] = [];
const operatorRooms: TextRoom[] = [];

async function each<T>(items: readonly T[], call: (item: T, at: number) => Promise<unknown>): Promise<void> {
  const rest = [...items.entries()];
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await call(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Writes the texts into every field of users and services. @returns the pages that show them */
export async function seedTexts(dashboard: UsedDashboard) {
  used = dashboard;
  Object.assign(
    shop,
    (await used.ask('POST', '/api/projects', { name: hundred[0], description: joined(2_000)[0] })).project,
  );
  const services = `/api/projects/${shop.id}/services`;
  const source = { repoUrl: 'https://git.example/app.git', repoFullName: null };
  const [installCommand, buildCommand, startCommand] = joined(4_000);
  const env = scriptCorpus.map((value, at) => ({ key: `T_${at}`, value, secret: false }));
  Object.assign(
    web,
    (
      await used.ask('POST', services, {
        ...source,
        name: hundred[0],
        installCommand,
        buildCommand,
        startCommand,
        env,
      })
    ).service,
  );
  await seedDeployments();
  await seedProject(services, source);
  await seedService();
  await seedDatabase(services);
  await seedInstance();
  return { rooms, operatorRooms };
}

const until = (isDone: () => Promise<boolean>) => vi.waitUntil(isDone, { timeout: 60_000, interval: 100 });

async function seedDeployments() {
  const deployed: Json[] = [];
  for (const message of messages) {
    used.commit(message);
    deployed.push(await used.deploy(web.id));
  }
  expect(deployed.map(({ commitMessage }) => commitMessage)).toEqual(messages);
  const newest = deployed.at(-1);
  rooms.push(
    { path: `/services/${web.id}/deployments`, texts: messages },
    { path: `/deployments/${newest.id}`, texts: [messages.at(-1) ?? '', ...scriptCorpus] },
    { path: `/services/${web.id}`, texts: [hundred[0] ?? '', messages.at(-1) ?? ''], opens: 'Delete' },
  );
}

async function seedProject(services: string, source: object) {
  await each(serviceNames, (name) => used.ask('POST', services, { ...source, name }));
  await each(projectNames, (name) => used.ask('POST', '/api/projects', { name, description: name }));
  const gone: Json = (await used.ask('POST', services, { ...source, name: hundred[1] })).service;
  await used.ask('DELETE', `/api/services/${gone.id}`);
  const slack = { url: 'https://hooks.example.com/a' };
  const channels = [...schemes, ...short.slice(0, 10)];
  await each(channels, (name) =>
    used.ask('POST', '/api/notification-channels', { name, projectId: shop.id, events: ['*'], slack }),
  );
  const threshold = { metric: 'cpuPercent', threshold: 80 };
  const rules = [...schemes, ...short.slice(40, 45)];
  await each(rules, (name) =>
    used.ask('POST', `/api/projects/${shop.id}/alert-rules`, { name, ...threshold }),
  );
  const drains = [...schemes, ...short.slice(60, 65)].slice(0, drainsMax);
  const http = { url: 'https://logs.example.com/' };
  await each(drains, (name) => used.ask('POST', `/api/projects/${shop.id}/log-drains`, { name, http }));
  const { services: all } = await used.ask('GET', services);
  used.alert(details.map((detail, at) => ({ rule: 'memory' as const, serviceId: all[at].id, detail })));
  await until(async () => (await used.ask('GET', '/api/alerts')).alerts.length === details.length);
  rooms.push(
    { path: '/', texts: projectNames },
    { path: `/projects/${shop.slug}`, texts: [...serviceNames, joined(2_000)[0] ?? ''] },
    // Only one service, because a search covers a limited number of services. The explorer has only the rows in sight; a log of the whole corpus is above.
    { path: `/projects/${shop.slug}/logs?services=${web.id}`, texts: scriptCorpus.slice(0, 50) },
    { path: `/projects/${shop.slug}/drains`, texts: drains },
    { path: `/projects/${shop.slug}/notifications`, texts: [...channels, ...rules], opens: /^Messages/ },
    { path: `/projects/${shop.slug}/new`, texts: [hundred[0] ?? ''] },
    { path: '/alerts', texts: details },
    { path: '/deleted', texts: [hundred[1] ?? ''] },
  );
}

async function seedService() {
  const path = `/api/services/${web.id}`;
  used.print(web.id, scriptCorpus);
  const schedules = [...schemes, ...short.slice(-10)];
  await each(schedules, (name) =>
    used.ask('POST', `${path}/schedules`, { name, cron: '0 3 * * *', command: name }),
  );
  const commands = joined(3_000).map((texts) => `cat <<'END_OF_TEXTS'\n${texts}\nEND_OF_TEXTS`);
  const runs: Json[] = [];
  for (const command of commands) {
    const { run } = await used.ask('POST', `${path}/run`, { command });
    await until(async () => (await used.ask('GET', `${path}/runs/${run.id}`)).run.status === 'succeeded');
    runs.push(run);
  }
  const headers = (from: number) =>
    printable
      .slice(from, from + headersMax)
      .map((content, n) => ({ change: 'set', header: `X-Text-${n}`, content }));
  await used.ask('PUT', `${path}/traffic-rules`, {
    requestHeaders: headers(0),
    responseHeaders: headers(headersMax),
  });
  await used.ask('PUT', `${path}/files`, { path: '/etc/app/texts', content: scriptCorpus.join('\n') });
  rooms.push(
    // A simulated host follows no container; the page of the project shows its kept lines.
    { path: `/services/${web.id}/logs`, texts: [hundred[0] ?? ''] },
    { path: `/services/${web.id}/metrics`, texts: [hundred[0] ?? ''] },
    { path: `/services/${web.id}/variables`, texts: scriptCorpus },
    { path: `/services/${web.id}/commands`, texts: [...schedules, ...commands], opens: /^Edit / },
    ...runs.map(({ id, command }) => ({ path: `/services/${web.id}/commands/${id}`, texts: [command] })),
    {
      path: `/services/${web.id}/settings`,
      texts: [...joined(4_000), ...printable.slice(0, 2 * headersMax)],
      opens: /^Edit \/etc/,
    },
    { path: `/services/${web.id}/backups`, texts: [hundred[0] ?? ''] },
  );
}

/** Texts about other servers and authorities, and dialogs about a database with such a name. */
async function seedDatabase(services: string) {
  const [name = '', source = '', issuer = ''] = [
    hundred[2],
    short[20],
    printable.find((text) => text.length > 20),
  ];
  const body = { name, repoUrl: 'database', repoFullName: 'database:postgres' };
  const { service } = await used.ask('POST', services, body);
  await used.deploy(service.id);
  const sourceUrl = `postgres://user@db.example.com/${encodeURIComponent(source)}`;
  await used.ask('POST', `/api/services/${service.id}/database/import/postgres-url`, {
    sourceUrl,
    replace: true,
  });
  const hostname = 'texts.example.com';
  const { domain } = await used.ask('POST', `/api/services/${web.id}/domains`, { hostname });
  // Characters with a meaning in X.500 names are escaped.
  const { chain, key } = await (await testCa(issuer.replace(/[^A-Za-z0-9 ]/g, '\\$&'))).issue([hostname]);
  const path = `/api/services/${web.id}/domains/${domain.id}/certificate`;
  const { ownCertificate } = await used.ask('PUT', path, { certificate: chain, privateKey: key });
  expect(ownCertificate.issuer).toBe(issuer);
  rooms.push(
    { path: `/services/${service.id}/backups`, texts: [name, source], opens: 'Import from a server' },
    { path: `/services/${service.id}/settings`, texts: [name], opens: 'Upgrade' },
    { path: `/services/${web.id}`, texts: [hundred[0] ?? ''], opens: `Certificate of ${hostname}` },
  );
}

async function seedInstance() {
  const path = '/api/system/tenants/default/members';
  await each(memberNames, (name, at) =>
    used.operate('POST', path, { name, email: `m${at}@example.com`, role: 'viewer' }),
  );
  const newKey = { access: 'write', projects: 'all' };
  await each(keyNames, (name) => used.operate('POST', '/api/system/keys', { name, ...newKey }));
  const { token: signedIn } = await used.operate('POST', '/api/system/keys', {
    name: 'signed in',
    ...newKey,
  });
  const browsers = [...schemes, ...short.slice(90, 95)];
  await each(browsers, async (name) => {
    const headers = { authorization: `Bearer ${signedIn}` };
    const body = JSON.stringify({ name });
    expect((await fetch(`${used.url}/api/sessions`, { method: 'POST', headers, body })).status).toBe(200);
  });
  // The audit log contains the names of keys, and the events contain the names of deleted things.
  const actors = keyNames.slice(0, actorsMax);
  await each(actors, async (name) => {
    const { token } = await used.operate('POST', '/api/system/keys', { name, ...newKey });
    const call = async (method: string, to: string, body?: object): Promise<Json> => {
      const headers = { authorization: `Bearer ${token}` };
      const reply = await fetch(`${used.url}${to}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(reply.status).toBe(200);
      return await reply.json();
    };
    const { project } = await call('POST', '/api/projects', { name });
    await call('DELETE', `/api/projects/${project.id}`);
  });
  const rules = [...schemes, ...short.slice(80, 90)];
  await each(rules, (name) =>
    used.operate('POST', '/api/system/alert-rules', { name, metric: 'diskPercent', threshold: 80 }),
  );
  operatorRooms.push(
    { path: '/operator/alerts', texts: [...details, ...rules], opens: /^Edit / },
    { path: '/operator/members', texts: memberNames },
    { path: '/operator/deleted', texts: [hundred[1] ?? '', ...actors], opens: /^Remove now/ },
    { path: '/operator/keys', texts: keyNames, opens: 'Browsers of signed in', opened: browsers },
    { path: '/operator/events', texts: actors },
    { path: '/operator/audit', texts: actors, opens: 'Failed sign-ins' },
    { path: '/operator/usage', texts: [] },
    { path: '/operator/settings', texts: [] },
    { path: '/operator/providers', texts: [] },
    { path: '/operator/browsers', texts: [] },
    { path: '/settings', texts: [] },
  );
}
