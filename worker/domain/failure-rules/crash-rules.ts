/** The app started and gave up: what its own last lines say. */
import {
  deployAgain,
  patchService,
  referToDatabase,
  setVariable,
  shellWord,
  showService,
  showSuggestions,
} from './commands.ts';
import type { FailureRule } from './failure.ts';

const codes = ['health_failed'] as const;
/** Ports below this one belong to root (ip_unprivileged_port_start). */
const unprivilegedPort = 8080;

export const crashRules: readonly FailureRule[] = [
  {
    id: 'missing-variable',
    codes: ['health_failed', 'build_failed'],
    says: /Environment variable not found: (?<prisma>[A-Z_][A-Z0-9_]*)|KeyError: '(?<python>[A-Z_][A-Z0-9_]*)'|(?:[Mm]issing|[Uu]ndefined|[Rr]equired)(?: required)?(?: env(?:ironment)?)?(?: variables?)?:? ["'`]?(?<named>[A-Z][A-Z0-9]*_[A-Z0-9_]+)|(?<![A-Z0-9_])(?<set>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]? (?:environment variable )?(?:is not (?:set|defined)|is required|must be set|is missing|must not be empty|setting must not be empty|not found in environment|is undefined)|Missing `(?<rails>secret_key_base)`/,
    explain: ({ groups, line }, failure) => {
      const found = groups.prisma || groups.python || groups.named || groups.set || '';
      const key = groups.rails ? 'SECRET_KEY_BASE' : found;
      return {
        summary: `The variable ${key} is not set.`,
        likelyCause: `"${line}". The app needs it, and the service has no variable of this name (files such as .env are not deployed).`,
        suggestedFix: `Set ${key}. A value of another service is a reference: \${<service>.<VARIABLE>}.`,
        commands: [setVariable(failure, key), showService(failure), deployAgain(failure)],
      };
    },
  },
  {
    id: 'port-in-use',
    codes,
    says: /EADDRINUSE: address already in use (?<address>\S+)|[Aa]ddress already in use|bind: address already in use/,
    explain: ({ line }, failure) => ({
      summary: 'The app opened its port twice.',
      likelyCause: `"${line}". The container has its network to itself, so it is the app: it is started twice (a process manager, cluster mode, two "listen" calls).`,
      suggestedFix: 'Start one server, on the port in PORT.',
      commands: ["git grep -nE 'listen\\(|PORT'", deployAgain(failure)],
    }),
  },
  {
    id: 'privileged-port',
    codes,
    says: /listen EACCES: permission denied (?:\S*:)?(?<port>\d+)|bind: permission denied|bind\(\) to \S+:(?<nginx>\d+) failed \(13: Permission denied\)/,
    explain: ({ groups }, failure) => ({
      summary: `The app may not open port ${groups.port || groups.nginx || 'below 1024'}.`,
      likelyCause: 'It runs as an ordinary user, and ports below 1024 belong to root.',
      suggestedFix: 'Let the app listen on the port in PORT, and choose one above 1023 for the service.',
      commands: [patchService(failure, { internalPort: unprivilegedPort }), deployAgain(failure)],
    }),
  },
  {
    id: 'database-password',
    codes: ['health_failed', 'build_failed'],
    says: /password authentication failed for user|Access denied for user '|WRONGPASS|NOAUTH Authentication required|Authentication failed\.? *(?:\(code 18\)|code: 18)|AuthenticationFailed/,
    explain: ({ line }, failure) => ({
      summary: 'The database refused user or password.',
      likelyCause: `"${line}". The variables of the app hold another password than the database has (a database keeps the one of its first start).`,
      suggestedFix: 'Refer to the variables of the database service instead of copying them.',
      commands: [showSuggestions(failure), referToDatabase(failure), deployAgain(failure)],
    }),
  },
  {
    id: 'database-unreachable',
    codes: ['health_failed', 'build_failed'],
    says: /ECONNREFUSED (?<refused>\S+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<unknown>\S+)|could not translate host name "(?<pg>[^"]+)"|Can't reach database server at `(?<prisma>[^`]+)`|connection to server at .* failed: Connection refused|Can't connect to (?:MySQL|MariaDB) server on '(?<mysql>[^']+)'|Temporary failure in name resolution|dial tcp (?<go>\S+): connect: connection refused|php_network_getaddresses/,
    explain: ({ line, groups }, failure) => {
      const address =
        groups.refused ||
        groups.unknown ||
        groups.pg ||
        groups.prisma ||
        groups.mysql ||
        groups.go ||
        'a server';
      return {
        summary: `The app could not connect to ${address.replace(/[.,;]$/, '')}.`,
        likelyCause: /127\.0\.0\.1|localhost|::1/.test(line)
          ? `"${line}". In a container, localhost is the container itself: nothing else listens there.`
          : `"${line}". The name is not that of a service of this project, or that service does not run; during a build no service can be reached.`,
        suggestedFix:
          'Use the reference of the database service as the URL; inside the project a service answers under its slug. Let the app try again for a while instead of ending.',
        commands: [showSuggestions(failure), referToDatabase(failure), deployAgain(failure)],
      };
    },
  },
  {
    id: 'java-version',
    codes,
    says: /UnsupportedClassVersionError.*class file version (?<built>\d+)\.\d+\).*up to (?<runs>\d+)/,
    explain: ({ groups }, failure) => {
      // JVM specification, table 4.1-A: version 61 is Java 17.
      const java = (version: string | undefined) => Number(version) - 44;
      return {
        summary: `The app was compiled for Java ${java(groups.built)}, the image has Java ${java(groups.runs)}.`,
        likelyCause: 'The build stage uses a newer JDK than the last stage of the Dockerfile.',
        suggestedFix: `Use Java ${java(groups.built)} in the last stage, or compile with --release ${java(groups.runs)}.`,
        commands: ["git grep -n '^FROM' -- '*Dockerfile*'", deployAgain(failure)],
      };
    },
  },
  {
    id: 'file-not-writable',
    codes,
    says: /(?:EACCES|EROFS|EPERM): [^,]+, \w+ '(?<node>[^']+)'|PermissionError: \[Errno 13\] Permission denied: '(?<python>[^']+)'|Read-only file system(?:: '(?<readOnly>[^']+)')?|mkdir\(\) "(?<nginx>[^"]+)" failed \(13: Permission denied\)|open (?<go>\S+): permission denied/,
    explain: ({ groups }, failure) => {
      const path = groups.node || groups.python || groups.readOnly || groups.nginx || groups.go || '/app';
      return {
        summary: `The app may not write ${path}.`,
        likelyCause:
          'It runs as an ordinary user (USER in the Dockerfile), and the directory belongs to root.',
        suggestedFix:
          'Give the directory to the user before the USER line of the Dockerfile, or write to /tmp.',
        commands: [
          `echo ${shellWord(`RUN chown -R <user> ${path}`)}`,
          "git grep -n '^USER' -- '*Dockerfile*'",
          deployAgain(failure),
        ],
      };
    },
  },
];
