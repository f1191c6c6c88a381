/** Texts of the log drains of a project. */
import { count } from './count.ts';

const lines = (n: number) => count(n, 'line');

export const drainsText = {
  title: 'Log drains',
  help: 'The hosts send the output of this project’s services to these receivers.',
  add: 'Add log drain',
  none: 'No log drains yet',
  noneHelp: 'A log drain sends the output of services to your own receiver by HTTP, OpenTelemetry or syslog.',
  name: 'Name',
  kind: 'Kind',
  kinds: { http: 'HTTP (NDJSON)', otlp: 'OpenTelemetry', syslog: 'Syslog' },
  url: 'Address',
  urlHelp: {
    http: 'The lines are sent to this address, such as https://logs.example.com/in.',
    otlp: 'With its path, such as https://otlp.example.com/v1/logs.',
  },
  headers: 'Headers',
  headersHelp: 'One on each line, such as authorization: Bearer … They are stored encrypted.',
  noHeader: (text: string) => `“${text}” is no header: write its name, a colon, and its value.`,
  host: 'Host',
  port: 'Port',
  tls: 'Encrypted by TLS',
  ca: 'Certificate of a private CA',
  caHelp: 'PEM. Empty: the receiver has a certificate of a public CA.',
  level: 'Lines',
  allLines: 'All lines',
  from: (level: string) => `${level} and more severe`,
  replace: 'Change the receiver',
  replaceHelp: (target: string) =>
    `Now ${target}. Headers and secrets are not shown: fill in all fields again.`,
  secretTitle: (name: string) => `Signing secret of ${name}`,
  secret: 'Signing secret',
  secretHelp:
    'With this secret, your receiver checks that lines come from this instance (Standard Webhooks). Copy it now: it is shown only once.',
  done: 'Done',
  removeHelp: 'Messages that wait to be sent are discarded.',
  pauseHelp: 'Lines that services print during the pause are never sent.',
  pause: 'Pause',
  resume: 'Resume',
  pauseLabel: (name: string, isOn: boolean) => `${isOn ? 'Pause' : 'Resume'} ${name}`,
  pauseTitle: (name: string) => `Pause ${name}?`,
  paused: 'Paused',
  status: {
    sent: (n: number) => `${lines(n)} sent`,
    dropped: (n: number) => `${lines(n)} dropped`,
    droppedHelp: 'They waited for more than a day, or took more than half of the space of their service.',
    gaps: (n: number) => `${count(n, 'gap')} because of a full disk`,
    gapsHelp:
      'The host needed the space, so it removed lines before they were sent. Their number is unknown.',
    waits: (span: string) => `The oldest line waits for ${span}`,
    nothingWaits: 'Nothing waits',
    host: (id: string) => `Host ${id}`,
    failed: 'Last failure',
    noHosts: 'No host sends lines of this project yet.',
  },
} as const;
