/** Nine programs of Debian. Some write their data only when they are stopped, and lose it if they are killed. */
import { createHash } from 'node:crypto';
import { basic, data, http, json, type Program } from './program.ts';

const blob = 'a layer of the test';
const digest = `sha256:${createHash('sha256').update(blob).digest('hex')}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const event =
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nSUMMARY:Regatta\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
const ada = basic('ada', 'any');

/** Transmission returns a session id with the first, refused request. */
async function transmission(url: string, method: string, args: object): Promise<string> {
  const refused = await fetch(`${url}/transmission/rpc`, { method: 'POST' });
  const id = refused.headers.get('x-transmission-session-id') ?? '';
  const body = { method, arguments: args };
  return await json('POST', `${url}/transmission/rpc`, body, { 'x-transmission-session-id': id });
}

const guest = basic('guest', 'guest');

export const radicale: Program = {
  name: 'radicale',
  port: 5232,
  entrypoint: ['radicale', '--config', '/etc/app/radicale'],
  files: {
    '/etc/app/radicale': `[server]\nhosts = 0.0.0.0:5232\n[storage]\nfilesystem_folder = ${data}\n[auth]\ntype = none\n`,
  },
  async write(url) {
    await http('MKCALENDAR', `${url}/ada/regattas/`, undefined, ada);
    await http('PUT', `${url}/ada/regattas/1.ics`, event, { ...ada, 'content-type': 'text/calendar' });
  },
  read: (url) => http('GET', `${url}/ada/regattas/1.ics`, undefined, ada),
  kept: 'SUMMARY:Regatta',
};

export const programs: readonly Program[] = [
  radicale,
  {
    name: 'registry',
    port: 5000,
    entrypoint: ['docker-registry', 'serve'],
    command: ['/etc/app/registry.yml'],
    files: {
      '/etc/app/registry.yml': `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: ${data}\nhttp:\n  addr: :5000\n`,
    },
    more: { healthCheckPath: '/v2/' },
    async write(url) {
      const { headers } = await fetch(`${url}/v2/app/blobs/uploads/`, { method: 'POST' });
      const place = new URL(headers.get('location') ?? '', url);
      place.searchParams.set('digest', digest);
      await http('PUT', `${url}${place.pathname}${place.search}`, blob);
    },
    read: (url) => http('GET', `${url}/v2/app/blobs/${digest}`),
    kept: blob,
  },
  {
    name: 'etcd',
    port: 2379,
    entrypoint: ['etcd'],
    command: [
      ...['--data-dir', `${data}/etcd`, '--listen-client-urls', 'http://0.0.0.0:2379'],
      ...['--advertise-client-urls', 'http://etcd:2379'],
    ],
    more: { healthCheckPath: '/health' },
    write: (url) => json('POST', `${url}/v3/kv/put`, { key: base64('port'), value: base64('Lisbon') }),
    read: (url) => json('POST', `${url}/v3/kv/range`, { key: base64('port') }),
    kept: base64('Lisbon'),
  },
  {
    name: 'influxdb',
    port: 8086,
    entrypoint: ['influxd'],
    env: {
      INFLUXDB_DATA_DIR: `${data}/data`,
      INFLUXDB_META_DIR: `${data}/meta`,
      INFLUXDB_DATA_WAL_DIR: `${data}/wal`,
    },
    more: { healthCheckPath: '/ping' },
    async write(url) {
      await http('POST', `${url}/query?q=CREATE%20DATABASE%20harbour`);
      await http('POST', `${url}/write?db=harbour`, 'ships,berth=north tonnage=4711');
    },
    read: (url) => http('GET', `${url}/query?db=harbour&q=SELECT%20tonnage%20FROM%20ships`),
    kept: '4711',
  },
  {
    name: 'alertmanager',
    port: 9093,
    entrypoint: ['prometheus-alertmanager'],
    command: [`--storage.path=${data}`, '--config.file=/etc/app/am.yml', '--cluster.listen-address='],
    files: { '/etc/app/am.yml': 'route:\n  receiver: none\nreceivers:\n  - name: none\n' },
    more: { healthCheckPath: '/-/ready' },
    write: (url) =>
      json('POST', `${url}/api/v2/silences`, {
        matchers: [{ name: 'berth', value: 'north', isRegex: false }],
        ...{ startsAt: '2020-01-01T00:00:00Z', endsAt: '2099-01-01T00:00:00Z' },
        ...{ createdBy: 'ada', comment: 'dredging' },
      }),
    read: (url) => http('GET', `${url}/api/v2/silences`),
    kept: 'dredging',
  },
  {
    name: 'pushgateway',
    port: 9091,
    entrypoint: ['prometheus-pushgateway', `--persistence.file=${data}/metrics`],
    more: { healthCheckPath: '/-/healthy' },
    write: (url) => http('POST', `${url}/metrics/job/dredger`, 'depth_metres 14.25\n'),
    read: (url) => http('GET', `${url}/metrics`),
    kept: 'depth_metres{instance="",job="dredger"} 14.25',
  },
  {
    name: 'transmission',
    port: 9091,
    entrypoint: ['transmission-daemon', '--foreground', '--no-auth'],
    command: ['--config-dir', data, '--allowed', '*.*.*.*'],
    write: (url) => transmission(url, 'session-set', { 'alt-speed-down': 4711 }),
    read: (url) => transmission(url, 'session-get', {}),
    kept: '"alt-speed-down":4711',
  },
  {
    name: 'victoria-metrics',
    port: 8428,
    entrypoint: ['victoria-metrics', `-storageDataPath=${data}`],
    more: { healthCheckPath: '/health' },
    write: (url) => http('POST', `${url}/api/v1/import/prometheus`, 'ships_total 4711\n'),
    read: (url) => http('GET', `${url}/api/v1/export?match[]=ships_total`),
    kept: '4711',
  },
  {
    name: 'rabbitmq',
    port: 15672,
    // The shell ignores SIGTERM. The broker below it loses the queue if it is killed.
    entrypoint: ['/bin/sh', '-c', '/usr/lib/rabbitmq/bin/rabbitmq-server; exit $?'],
    env: {
      RABBITMQ_MNESIA_BASE: data,
      RABBITMQ_LOGS: '-',
      RABBITMQ_CONFIG_FILE: '/etc/app/rabbitmq.conf',
      RABBITMQ_ENABLED_PLUGINS_FILE: '/etc/app/enabled_plugins',
    },
    files: {
      '/etc/app/rabbitmq.conf': 'loopback_users = none\n',
      '/etc/app/enabled_plugins': '[rabbitmq_management].\n',
    },
    more: { healthCheckStartPeriodSeconds: 300 },
    async write(url) {
      await json('PUT', `${url}/api/queues/%2F/berths`, { durable: true }, guest);
      const message = { routing_key: 'berths', payload: 'north is free', payload_encoding: 'string' };
      const persistent = { ...message, properties: { delivery_mode: 2 } };
      await json('POST', `${url}/api/exchanges/%2F/amq.default/publish`, persistent, guest);
    },
    read: (url) =>
      json(
        'POST',
        `${url}/api/queues/%2F/berths/get`,
        { count: 1, ackmode: 'ack_requeue_true', encoding: 'auto' },
        guest,
      ),
    kept: 'north is free',
  },
];
