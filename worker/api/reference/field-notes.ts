// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/** What the fields of resources and bodies mean, with an example each. A description in the schema itself comes first. */
import { type FieldNotes, instanceFieldNotes } from './instance-field-notes.ts';
import { shellFieldNotes } from './shell-field-notes.ts';
import { systemFieldNotes } from './system-field-notes.ts';
import { trafficFieldNotes } from './traffic-field-notes.ts';

const time = '2026-11-23T09:30:00.000Z';
const sha = '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c';

const serviceNotes: FieldNotes = {
  id: ['Identifier: a prefix of its kind and 16 characters. It never changes.', 'svc_3kq9x7m2v5c8b1n4'],
  projectId: ['The project that it belongs to.', 'prj_8d2k5f7h1j4l6q9w'],
  serviceId: ['The service that it belongs to.', 'svc_3kq9x7m2v5c8b1n4'],
  deploymentId: ['The deployment that it belongs to.', 'dep_5t8r2y6u1i4o7p9a'],
  targetProjectId: ['The project to which the service moves.', 'prj_8d2k5f7h1j4l6q9w'],
  project: ['The project.', undefined],
  projects: ['The projects that the key can see.', undefined],
  service: ['The service.', undefined],
  services: ['The services, in order of creation.', undefined],
  name: ['Name, for people. It can be changed.', 'web'],
  slug: ['Name in addresses, made from the first name. It never changes.', 'web'],
  description: ['Free text, for people.', 'The shop and its database.'],
  serviceCount: ['How many services the project has.', 2],
  lastUpdatedAt: ['When the project or one of its services last changed.', time],
  createdAt: ['When it was created.', time],
  updatedAt: ['When it last changed.', time],
  status: ['State, one of a closed set.', 'active'],
  repoFullName: [
    '`<owner>/<repo>`, `image:<reference>` or `database:<engine>`: postgres, timescale, mysql, redis, mongodb, clickhouse.',
    'database:postgres',
  ],
  repoUrl: ['Git URL, or `container-image`, `database` or `upload`.', 'https://github.com/owner/repo.git'],
  imageRef: [
    'Reference of a container image; of a database, the image instead of the default one.',
    'nginx:1.29',
  ],
  branch: ['Branch that is deployed.', 'main'],
  rootDir: ['Directory of the service in its repository; null: the root.', 'apps/web'],
  gitToken: [
    'Access token or SSH private key for the repository. Stored encrypted, never returned.',
    'github_pat_...',
  ],
  hasGitHostToken: ['Whether a repository access token is stored.', false],
  installCommand: ['Command instead of the detected one; not used with a Dockerfile.', 'npm ci'],
  buildCommand: ['Command instead of the detected one; not used with a Dockerfile.', 'npm run build'],
  startCommand: ['Command instead of the detected one; not used with a Dockerfile.', 'node server.js'],
  staticOutput: ['Directory whose files are served after the build, for a static site.', 'dist'],
  buildMethod: ['`auto` uses a Dockerfile if there is one, else the analyzer.', 'auto'],
  detectedBuildMethod: ['What the newest deployment used; null until then.', 'analyzer'],
  dockerfilePath: ['Path of the Dockerfile below `rootDir`; null: `Dockerfile`.', 'docker/Dockerfile'],
  runtimeMode: ['`web` answers HTTP, `worker` has no port, `static` serves files.', 'web'],
  internalPort: ['Port on which the app listens in its container; it also gets it as PORT.', 8080],
  hostPort: ['Port on the host: on 127.0.0.1, and of a public database on all addresses.', 41_000],
  databasePublicEnabled: ['Whether the database can be reached from outside of its host.', false],
  databasePublicHostname: ['Host name of a public database.', 'db.example.com'],
  postgresLogicalReplicationEnabled: ['Whether PostgreSQL runs with `wal_level=logical`.', false],
  engineSettings: ["Settings of the database engine, by the engine's own names.", { maxmemory: '256mb' }],
  databaseImage: ['The image that the next deployment of the database runs.', 'postgres:17'],
  reachable: ["Whether its port answered at the host's last look.", true],
  localUrl: ['Address on the host itself; empty for workers and databases.', 'http://127.0.0.1:41000'],
  primaryUrl: ['The address to give to people.', 'https://shop.example.com'],
  preferredDomain: ['The first active custom domain.', 'shop.example.com'],
  framework: ['What the analyzer found; of a database, its engine.', 'nextjs'],
  lastDeployedAt: ['When a version last went live.', time],
  runnerId: ['The host, which POST /api/system/runners enrolled.', 'run_1a2s3d4f5g6h7j8k'],
  healthCheckPath: [
    'Path that must answer with 2xx or 3xx before a version goes live; null: only its port must open.',
    '/healthz',
  ],
  healthCheckIntervalSeconds: [
    'Seconds between two health checks of a new version; null: 0.02 at first, growing to 0.2.',
    2,
  ],
  healthCheckTimeoutSeconds: ['Seconds that one health check may take; null: 5.', 10],
  healthCheckStartPeriodSeconds: [
    'Seconds that a new version may take to its first good answer; null: 60.',
    300,
  ],
  command: [
    "Of a service: arguments in place of the image's own. Otherwise the command to run.",
    ['node', 'server.js'],
  ],
  entrypoint: ["Program in place of the image's own.", ['/bin/sh', '-c']],
  user: ["User in place of the image's own.", '1000:1000'],
  shmSizeMb: ["Size of /dev/shm in megabytes; null: Docker's own.", 256],
  variableNames: [
    'Names that variables have in the container in place of their keys, for programs that read names in lower case.',
    [{ key: 'DISCOVERY_TYPE', name: 'discovery.type' }],
  ],
  run: ['The command that runs once; of an occurrence: null if it was skipped.', undefined],
  schedule: ['The schedule.', undefined],
  schedules: ['The schedules, in order of creation.', undefined],
  cron: ['Minute, hour, day of the month, month, day of the week.', '0 3 * * *'],
  timeZone: ['IANA time zone of `cron`.', 'Europe/Berlin'],
  overlap: ['If the previous command has not ended: skip the occurrence, or wait for the end.', 'skip'],
  nextRunAt: ['The next occurrence; null: disabled.', time],
  occurrences: ['The times at which it was due, and what happened at each; newest first.', undefined],
  dueAt: ['When it was due.', time],
  missed: ['Occurrences before it that were not started, because the control plane was down.', 0],
  runs: ['The commands, newest first.', undefined],
  scheduleId: ['The schedule that has started the command; null: a client.', 'sch_4k2m9x7q1z8w5v3n'],
  exitCode: ['Exit code of the command; null until it has ended by itself.', 0],
  timeLimitSeconds: ['Seconds after which it is ended.', 3600],
  pendingFiles: [
    'Paths of mounted files that the live version has otherwise or not yet.',
    ['/etc/app/app.conf'],
  ],
  pendingVariables: ['Keys of variables that the live version has not got yet.', ['MODE']],
  protected: ['Whether it, its project and its backups are kept from deletion.', false],
  warnings: [
    'Sentences about what will not work as it is.',
    ['DATABASE_URL refers to a service that does not exist.'],
  ],
  ok: ['The change was made.', true],
  proxy: [
    "Result of a real request through the host's proxy; with `ok: false` the change still holds.",
    undefined,
  ],
  detail: [
    'What happened or what it waits for, as a sentence.',
    'shop.example.com answered 200 through the proxy in 13 ms.',
  ],
  port: ['The port that the service has or will have.', 41_005],
  pending: ['Whether it only takes effect with the next deployment.', false],
  publicIp: ['Address of the host for DNS records.', '203.0.113.7'],
};

const volumeNotes: FieldNotes = {
  volume: ['The volume.', undefined],
  volumes: ['The volumes, in order of creation.', undefined],
  volumeId: [
    'The volume. Of a backup: the one that it was taken of, which may be deleted since.',
    'vol_1a2s3d4f5g6h7j8k',
  ],
  targetVolumeId: [
    "Volume of the same service whose files are replaced; absent: the backup's own.",
    'vol_1a2s3d4f5g6h7j8k',
  ],
  quiesce: [
    'What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.',
    'stop',
  ],
  mountPath: ['Absolute path of the volume in the container.', '/var/lib/app'],
  sizeMb: [
    "What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.",
    2_048,
  ],
  usedMb: ['What it holds in megabytes, as last measured by the host; null: not measured yet.', 310],
  switch: [
    '`overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.',
    'stop-start',
  ],
};

const fileNotes: FieldNotes = {
  file: ['The file.', undefined],
  files: ['The files, by path.', undefined],
  path: ['Absolute path in the container.', '/etc/app/app.conf'],
  content: ['The text of the file; null where it is hidden from the key.', 'mode = production'],
  mode: ['Permissions as an octal number; the user of the container owns the file.', '0444'],
};

const variableNotes: FieldNotes = {
  env: ['The variables.', undefined],
  key: ['Name: upper-case letters, digits and underscores.', 'DATABASE_URL'],
  value: [
    'The text as it was set; it may refer to others with `${<service>.<VARIABLE>}`.',
    '${db.DATABASE_URL}',
  ],
  resolvedValue: ['The value with its references filled in.', 'postgres://app:...@db:5432/app'],
  hasValue: ['Whether the value is not empty, also where it is hidden.', true],
  secret: ['Whether it is masked in logs and hidden from read keys.', true],
  text: ['Text of a .env file.', 'MODE=production\nGREETING="hello"'],
  created: ['Whether it is new; false: it was changed.', true],
  suggestions: ['What the service seems to need.', undefined],
  databaseVariables: ["References to the project's databases.", undefined],
  label: ['Why it is suggested.', 'Connection string of db'],
};

const domainNotes: FieldNotes = {
  hostname: ['Host name, in lower case.', 'shop.example.com'],
  domain: ['The domain.', undefined],
  domains: ['The custom domains.', undefined],
  targetIp: ['Address to which the name has to point.', '203.0.113.7'],
  certificate: ['Its TLS certificate.', undefined],
  expiresAt: ['When it expires.', time],
  proof: ['TXT record that verifies the name; absent once it is verified.', undefined],
  recordType: ['Type of the DNS record.', 'A'],
  providerId: ['Id of a connected provider.', 'cloudflare'],
  provider: ['The provider.', 'cloudflare'],
  providerName: ['Its name, for people.', 'Cloudflare'],
  zone: ['The DNS zone of the record.', 'example.com'],
  host: ['Name of the record in its zone.', 'shop'],
  verificationRecord: ['The TXT record that was made to verify the name.', undefined],
};

const deploymentNotes: FieldNotes = {
  deployment: ['The deployment.', undefined],
  deployments: ['The deployments, newest first.', undefined],
  commitSha: ['The commit; null until it is known, and for images and databases.', sha],
  commitMessage: ["The commit's first line.", 'Fix the cart'],
  commitAuthor: ["Name of the commit's author.", 'Ann Lee'],
  sourceDigest: ['Checksum of its uploaded folder; null for other sources.', sha],
  failureCode: ['Why it failed, for programs; null unless it has.', 'build_failed'],
  failureMessage: [
    'Why it failed, as a sentence; null unless it has.',
    'The build failed: npm ended with exit code 1.',
  ],
  waitsFor: [
    'What a queued deployment waits for, or a started one whose host went away, as a sentence; else null.',
    'Waits for another job of this service to end.',
  ],
  trigger: ['What started it.', 'manual'],
  imageTag: [
    'Tag of the image that was built; null until then.',
    'longshore-svc_3kq9x7m2v5c8b1n4-dep_5t8r2y6u1i4o7p9a',
  ],
  containerName: ['Name of the container once it runs.', 'longshore-svc_3kq9x7m2v5c8b1n4-stable'],
  startedAt: ['When it started; null until then.', time],
  finishedAt: ['When it ended; null until then.', time],
  accepted: ['The abort was passed on.', true],
  logs: ['Lines, oldest first.', undefined],
  line: ['Text of the line, with secrets masked.', 'Done.'],
  stream: ['`system` lines are from the platform.', 'stdout'],
  explanation: ['Why it failed and what to do.', undefined],
  summary: ['One sentence.', 'The build failed because a module is missing.'],
  likelyCause: ['The most probable reason.', 'express is not in package.json.'],
  suggestedFix: ['What to change.', 'Run npm install express and commit package.json.'],
  commands: ['Commands that help.', ['npm install express']],
  model: ["Name of the provider's model; absent: its default.", 'small-1'],
  fallbackReason: ['Why the rules answered in place of the model; null if they did not.', null],
  error: ['What is wrong and what to do, as a sentence.', 'The field "name" must not be empty.'],
  code: ['The kind of error, for programs.', 'invalid_request'],
  requestId: ['Id of the request, also in the header X-Request-Id.', 'f6a18658-74a5-4a1f-8eb7-b8bf98dca42a'],
};

/** A name means the same wherever it occurs. */
export const fieldNotes: FieldNotes = {
  ...instanceFieldNotes,
  ...shellFieldNotes,
  ...trafficFieldNotes,
  ...systemFieldNotes,
  ...serviceNotes,
  ...volumeNotes,
  ...fileNotes,
  ...variableNotes,
  ...domainNotes,
  ...deploymentNotes,
};
