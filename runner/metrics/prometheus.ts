/**
 * The latest values as Prometheus text (https://prometheus.io/docs/instrumenting/exposition_formats/), on the host's own loopback address.
 * Containers have another loopback, and the firewall lets them reach no other port of the host.
 */
import type { Server } from 'node:http';
import { metricSeries, type SeriesName, seriesNames } from '../../protocol/metrics/series.ts';
import { createServer } from '../base/node-http.ts';
import { hostKey } from './columns.ts';
import type { LatestMetrics } from './take-samples.ts';

const mediaType = 'text/plain; version=0.0.4; charset=utf-8';
/** The allowed Host headers: a browser on the host that was tricked into a request sends another site's name. */
const ownNames = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const requestTimeoutMs = 5_000;

const names: Record<SeriesName, string> = {
  cpu: 'cpu_cores',
  memory: 'memory_bytes',
  networkIn: 'network_receive_bytes_per_second',
  networkOut: 'network_transmit_bytes_per_second',
  diskRead: 'disk_read_bytes_per_second',
  diskWrite: 'disk_write_bytes_per_second',
  diskUsed: 'disk_used_bytes',
  requests: 'requests_per_second',
  errors: 'request_errors_per_second',
  status2xx: 'responses_2xx_per_second',
  status3xx: 'responses_3xx_per_second',
  status4xx: 'responses_4xx_per_second',
  latencyP50: 'request_latency_p50_milliseconds',
  latencyP95: 'request_latency_p95_milliseconds',
  latencyP99: 'request_latency_p99_milliseconds',
  connections: 'database_connections',
  restarts: 'restarts',
  outOfMemory: 'out_of_memory_kills',
};

/** @param latest `undefined` before the first measurement */
export function prometheusText(latest: LatestMetrics | undefined): string {
  if (!latest) return '';
  const projects = new Map(latest.containers.map(({ serviceId, projectId }) => [serviceId, projectId]));
  const lines = seriesNames.flatMap((name) => {
    const values = [...latest.samples].flatMap(([key, { values }]) => {
      const value = values[name];
      if (value === null || value === undefined) return [];
      const metric = `longshore_${key === hostKey ? 'host' : 'service'}_${names[name]}`;
      return [{ metric, line: `${metric}${labelsOf(key, projects.get(key))} ${value}` }];
    });
    const metrics = [...new Set(values.map(({ metric }) => metric))].sort();
    return metrics.flatMap((metric) => [
      `# HELP ${metric} ${name} of the last 10 s, in ${metricSeries[name].unit}.`,
      `# TYPE ${metric} gauge`,
      ...values.filter((one) => one.metric === metric).map(({ line }) => line),
    ]);
  });
  return `${lines.join('\n')}\n# TYPE longshore_measured_timestamp_seconds gauge\nlongshore_measured_timestamp_seconds ${latest.at / 1_000}\n`;
}

/** Ids have no character that Prometheus would need escaped, but labels of containers can be anything. */
const escaped = (text: string) => text.replace(/[^\w.-]/g, '_').slice(0, 64);

const labelsOf = (key: string, project: string | undefined) =>
  key === hostKey ? '' : `{service="${escaped(key)}"${project ? `,project="${escaped(project)}"` : ''}}`;

/** @param failed called with a sentence when the port can't be used */
export function servePrometheus(
  port: number,
  latest: () => LatestMetrics | undefined,
  failed: (sentence: string) => void,
): Server {
  const server = createServer(
    { requestTimeout: requestTimeoutMs, maxHeaderSize: 8_192 },
    (request, response) => {
      const isAsked =
        request.method === 'GET' && request.url === '/metrics' && ownNames.test(request.headers.host ?? '');
      response.writeHead(isAsked ? 200 : 404, { 'content-type': isAsked ? mediaType : 'text/plain' });
      response.end(isAsked ? prometheusText(latest()) : 'Only GET /metrics.\n');
    },
  );
  server.on('error', (error) =>
    failed(`Prometheus can't read metrics at 127.0.0.1:${port}: ${error.message}`),
  );
  return server.listen(port, '127.0.0.1').unref();
}
