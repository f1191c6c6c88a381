/** Writes lines in the formats of drains' receivers. Each line has its id, so that a receiver can recognize one that it got twice. */
import { createHmac } from 'node:crypto';
import type { DrainTarget } from '../../protocol/logs/drains.ts';
import type { FoundLine } from '../../protocol/logs/kept-logs.ts';
import type { LogLevel } from '../../protocol/logs/log-levels.ts';

/** A line with the names that receivers display. */
export interface DrainedLine extends FoundLine {
  service: string;
  project: string;
}

const isoTime = (id: number) => new Date(id / 1_000).toISOString();

/** NDJSON: one JSON object per line. */
export const ndjsonOf = (lines: readonly DrainedLine[]): string =>
  lines
    .map(({ id, serviceId, deploymentId, service, project, stream, level, replica, line }) =>
      JSON.stringify({
        ...{ id, time: isoTime(id), project, service, serviceId, deploymentId, replica, stream, level },
        line: line.toWellFormed(),
      }),
    )
    .join('\n')
    .concat('\n');

/**
 * Headers of the Standard Webhooks specification
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param id the same for each attempt to send the same lines
 * @param now epoch milliseconds
 */
export function signatureHeaders(
  {
    secret,
    former,
    earlier = [],
  }: Pick<Extract<DrainTarget, { kind: 'http' }>, 'secret' | 'former' | 'earlier'>,
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const formerOnes = [...(former ? [former] : []), ...earlier].filter(({ until }) => now < until);
  const secrets = [secret, ...formerOnes.map((one) => one.secret)];
  const signatures = secrets.map((one) => {
    const key = Buffer.from(one.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** SeverityNumber of OpenTelemetry's log data model (https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber). */
const severityNumbers: Record<LogLevel, number> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};

/** The body of an ExportLogsServiceRequest in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export function otlpOf(lines: readonly DrainedLine[]): string {
  const resourceLogs = [...Map.groupBy(lines, ({ serviceId }) => serviceId).values()].map((own) => ({
    resource: {
      attributes: attributesOf({
        'service.name': own[0]?.service ?? '',
        'service.namespace': own[0]?.project ?? '',
        'longshore.service.id': own[0]?.serviceId ?? '',
      }),
    },
    scopeLogs: [{ scope: { name: 'longshore' }, logRecords: own.map(logRecordOf) }],
  }));
  return JSON.stringify({ resourceLogs });
}

const logRecordOf = ({ id, serviceId, stream, level, deploymentId, replica, line }: DrainedLine) => ({
  timeUnixNano: `${id}000`,
  observedTimeUnixNano: `${id}000`,
  ...(level && { severityNumber: severityNumbers[level], severityText: level.toUpperCase() }),
  body: { stringValue: line.toWellFormed() },
  attributes: attributesOf({
    'log.iostream': stream,
    // Receivers may treat two records with the same uid as one. Services have separate ids, and so have their requests.
    'log.record.uid': `${serviceId}-${stream}-${id}`,
    ...(deploymentId ? { 'longshore.deployment.id': deploymentId } : {}),
    ...(replica === undefined ? {} : { 'longshore.replica': String(replica) }),
  }),
});

const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

/** Numerical codes of RFC 5424, table 2. */
const severities: Record<LogLevel, number> = { trace: 7, debug: 7, info: 6, warn: 4, error: 3, fatal: 2 };
/** Facility 16, local use 0. */
const facility = 16;
/** Most characters of the header's fields: RFC 5424, section 6. */
const most = { host: 255, app: 48, process: 128 };

/** Messages of RFC 5424, each after its length (RFC 6587, section 3.4.1). @param host name of this host */
export function syslogOf(lines: readonly DrainedLine[], host: string): string {
  return lines
    .map(({ id, service, project, serviceId, deploymentId, stream, level, replica, line }) => {
      const severity = level ? severities[level] : stream === 'stderr' ? severities.warn : severities.info;
      const head = `<${facility * 8 + severity}>1 ${isoTime(id)} ${word(host, most.host)} ${word(service, most.app)}`;
      // 32473 is the number of no enterprise (RFC 5612).
      const data = `[longshore@32473 project="${quoted(project)}" service="${quoted(serviceId)}" stream="${stream}" id="${id}"${replica === undefined ? '' : ` replica="${replica}"`}]`;
      const process = word(deploymentId ?? '-', most.process);
      const message = `${head} ${process} ${stream} ${data} ${line.toWellFormed()}`;
      return `${Buffer.byteLength(message)} ${message}`;
    })
    .join('');
}

/** Printable US-ASCII without spaces. */
const word = (text: string, charsMax: number) => text.replace(/[^!-~]/g, '_').slice(0, charsMax) || '-';
const quoted = (text: string) => text.replace(/["\\\]]/g, '\\$&');
